package import SettingsTOML

// Applies overrides from the environment and arguments to the files' values. An override replaces its whole value and
// is not merged with the files'. It applies to the parts of the value, and to every table around it.

extension SettingsSnapshot {
  /// The value of a path, or of a key under any of its names, with overrides applied.
  package struct Overlay: Sendable {
    package var value: TOMLValue?
    /// The layer of the highest override that affects the value; `nil` if none does.
    package var layer: SettingsLayer.Kind?
    /// The text of the override that is the whole value, to be read as the key's type; `nil` if there is none.
    package var text: String?
    /// The files' value, of whose kind the text most likely is.
    package var former: TOMLValue?
  }

  /// The value of a path with overrides applied. Credentials apply to paths that are known to be secret.
  package func overlay(of path: TOMLPath) -> Overlay {
    let stored = stored(at: path)
    // Without overrides, no list with a single name is made for each read.
    return overrides.isEmpty ? Overlay(value: stored) : overlaid(stored, at: [path])
  }

  /// The value of a key with overrides applied.
  package func overlay(of key: AnySettingsKey) -> Overlay {
    overlaid(stored(at: key.paths), at: key.paths, isSecret: key.isSecret)
  }

  /// The highest layer of overrides that affects a value: `default` if it removes the value, `nil` if none does.
  func overrideLayer(of names: [TOMLPath], isSecret: Bool = false) -> SettingsLayer.Kind? {
    if overrides.isEmpty { return nil }
    let overlay = overlaid(stored(at: names), at: names, isSecret: isSecret)
    return overlay.value == nil && overlay.layer != nil ? .default : overlay.layer
  }

  /// The layer of an override, with the file of a credential.
  func layer(of override: SettingsLayer.Kind, at names: [TOMLPath]) -> SettingsLayer {
    SettingsLayer(override, file: override == .credential ? overrides.credentials?.file(at: names) : nil)
  }

  /// Applies credentials, then the environment, then arguments, each above the one before.
  ///
  /// - Parameters:
  ///   - names: The names of the value, the present one first.
  ///   - isSecret: Whether the value is that of a secret key, for which credentials count.
  private func overlaid(_ stored: TOMLValue?, at names: [TOMLPath], isSecret: Bool = false) -> Overlay {
    var result = Overlay(value: stored)
    guard !overrides.isEmpty, !names.contains(where: { locks.lock(around: $0) != nil }) else { return result }
    for layer in [SettingsLayer.Kind.credential, .environment, .process] {
      if layer == .credential, overrides.credentials == nil { continue }
      for name in names {
        guard let (found, text) = override(around: name, in: layer, isSecret: isSecret) else { continue }
        if case .value(let value) = found { result.value = value } else { result.value = nil }
        (result.layer, result.text, result.former) = (layer, text, stored ?? Self.usual(in: layer))
        break
      }
      for name in names.reversed() {
        guard let table = overriding(result.value, at: name, in: layer, over: stored) else { continue }
        result = Overlay(value: .table(table), layer: layer)
      }
    }
    return result
  }

  /// The effect of the nearest override at or above a path.
  ///
  /// - Returns: The effect, with the override's text if it is at the path and not affected by a lock; `nil` for none.
  private func override(
    around path: TOMLPath, in layer: SettingsLayer.Kind, isSecret: Bool
  ) -> (found: LayerLookup, text: String?)? {
    for count in stride(from: path.components.count, to: 0, by: -1) {
      let place = path.prefix(count)
      let isSecret = isSecret && count == path.components.count
      guard let text = overrides.text(for: place, in: layer, isSecret: isSecret),
        let value = permitted(text, at: place, over: stored(at: place), in: layer)
      else { continue }
      let isText = count == path.components.count && locks[place] == nil
      return (LayerLookup(value, at: path.components.dropFirst(count)), isText ? text : nil)
    }
    return nil
  }

  /// The value of an override at a path; `nil` if a lock disables it. Locked parts have the files' values. A credential
  /// or an argument has the form that its key reads.
  ///
  /// - Parameter former: The files' value.
  private func permitted(
    _ text: String, at path: TOMLPath, over former: TOMLValue?, in layer: SettingsLayer.Kind
  ) -> TOMLValue? {
    if locks.lock(around: path) != nil { return nil }
    let candidates = SettingsOverrides.candidates(for: text, like: former ?? Self.usual(in: layer))
    let key = overrides.key(at: path, in: layer)
    let value = key.flatMap { key in candidates.first { key.canRead($0) } } ?? candidates.first
    guard let locked = locks[path] else { return value }
    guard case .table(let above)? = value?.counted(for: layers.count, under: locked) else { return nil }
    var table = TOMLTable()
    for part in locked.parts {
      if let value = stored(at: path.appending(part)) { table.apply(Edit(path: part, value: value)) }
    }
    return .table(table.merging(above))
  }

  /// What an override is like where no file has a value: most secrets are strings.
  private static func usual(in layer: SettingsLayer.Kind) -> TOMLValue? { layer == .credential ? .string("") : nil }

  /// A table with the overrides of the paths below it; `nil` if there are none.
  private func overriding(
    _ value: TOMLValue?, at path: TOMLPath, in layer: SettingsLayer.Kind, over stored: TOMLValue?
  ) -> TOMLTable? {
    var table = value?.table ?? TOMLTable()
    var isChanged = false
    for (place, text) in overrides.texts(below: path, in: layer, for: [value, stored]) {
      let below = place.rest(below: path)
      guard let value = permitted(text, at: place, over: stored?.table?[path: below], in: layer) else { continue }
      table.apply(Edit(path: below, value: value))
      isChanged = true
    }
    return isChanged ? table : nil
  }
}
