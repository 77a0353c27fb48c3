package import AppSettings
import AppSettingsSchema

extension OpenedSettings {
  /// Where the layers are that decide whether a value of the target's file is effective; `nil` if they are those of the
  /// store. For a profile they are those with that profile, for another file of the person's what the app reads, and for an
  /// administrator's file all administrators' files.
  private var decidingPlace: SettingsLocation? {
    get throws {
      func app() throws -> SettingsLocation {
        try SettingsLocation(app: target.name, environment: target.environment)
      }
      guard !target.isFile else { return nil }
      switch target.layer {
      case .own, .personal(.profile): return nil
      case .personal: return try app().resolvingProfile()
      case .system, .dropIn: return try app().withoutPersonalLayers
      }
    }
  }

  /// Throws if those layers cannot be found. Call it before a write: after that it would be too late to refuse.
  package func checkPlaces() throws { _ = try decidingPlace }

  /// The layers that decide whether a value of the target's file is effective.
  package var effective: SettingsSnapshot {
    get throws {
      guard let place = try decidingPlace else { return store.snapshot }
      var snapshot = SettingsStore(
        at: place, migrations: schema.schema?.migrations ?? .none, logger: .silent,
        acceptsAnyVersion: schema.schema == nil, onlyReads: true, showsText: schema.showsText
      ).snapshot
      if target.isAdministrators { snapshot.userDocument = TOMLDocument() }
      return snapshot
    }
  }

  /// Throws if a higher layer hides the stored value, or a part of it.
  ///
  /// - Parameter snapshot: The layers that decide it.
  package func checkEffective(
    _ path: TOMLPath, _ value: TOMLValue?, in snapshot: SettingsSnapshot
  ) throws(ToolError) {
    guard let part = value?.firstPart(missingIn: schema.effectiveValue(of: path, in: snapshot)) else { return }
    let hidden = path.appending(part)
    let layer = schema.origin(of: hidden, in: snapshot).layer
    let subject = part.isRoot ? "it" : "'\(hidden)' in it"
    if layer.file == file {
      throw ToolError(.changed, "Stored '\(path)' in '\(file)', but another program has changed the file since.")
    }
    throw ToolError(
      .notWritable,
      "Stored '\(path)' in '\(file)', but \(subject) has no effect: the value comes from the "
        + "\(layer.kind.rawValue) layer\(layer.file.map { " '\($0)'" } ?? "").")
  }

  /// Says that other users may read a secret that was stored for all.
  package func warnOfExposure(of paths: [TOMLPath]) {
    guard target.isAdministrators, let secret = paths.first(where: { schema.isSecret($0, nil) }) else { return }
    target.warn("The secret '\(secret)' is now in a file that all users may read.")
  }

  /// Says what values lack after a change, so that the app cannot use them.
  package func warnOfLacks(around paths: [TOMLPath]) {
    for lack in schema.lacks(around: paths, in: store.snapshot) { target.warn(lack) }
  }
}

extension TOMLValue {
  /// The path of the first value in this one that another lacks; `nil` if it lacks none. What else the other has, as
  /// tables of several layers do, does not matter.
  fileprivate func firstPart(missingIn other: TOMLValue?) -> TOMLPath? {
    guard case .table(let table) = self, case .table(let others)? = other else { return self == other ? nil : .root }
    for (key, value) in table {
      if let part = value.firstPart(missingIn: others[key]) { return TOMLPath([key] + part.components) }
    }
    return nil
  }
}
