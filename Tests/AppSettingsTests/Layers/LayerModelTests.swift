import AppSettings
import AppSettingsSchema
import Foundation
import Testing
import TestSupport

/// Random layers, locks and overrides, against a model of the rule.
///
/// `SETTINGS_LAYERS=full` tries 20,000 of them, a number that many; `SETTINGS_LAYER_SEED` repeats the one that a failure
/// names.
struct LayerModelTests {
  private static let variables = ProcessInfo.processInfo.environment

  static func seeds(_ count: Int) -> Range<UInt64> {
    if let seed = variables["SETTINGS_LAYER_SEED"].flatMap({ UInt64($0) }) { return seed..<seed + 1 }
    let count = variables["SETTINGS_LAYERS"].map { $0 == "full" ? 20_000 : Int($0) ?? count } ?? count
    return 0..<UInt64(count)
  }

  private static let keys = LayerCase.paths.map { path in
    let name = TOMLPath(path).description
    return (path, SettingsKey<SettingsValue?>(name), SettingsKey<[String: SettingsValue]?>(name))
  }

  private func snapshot(of layers: LayerCase, _ overrides: SettingsOverrides = .none) throws -> SettingsSnapshot {
    let contents = try layers.files.enumerated().map { index, file in
      LayerContent(
        layer: SettingsLayer(layers.kinds[index], file: "/\(index)"),
        document: try TOMLDocument(parsing: file.text), locks: file.locks.map { LockEntry(TOMLPath($0)) })
    }
    return SettingsSnapshot(
      generation: 1, layers: contents, userIndex: layers.own, pending: PendingEdits(), overrides: overrides)
  }

  /// What differs between a snapshot and the model; `nil` if nothing does.
  private func difference(_ snapshot: SettingsSnapshot, _ model: LayerModel, files: Int) -> String? {
    if .table(snapshot.root) != model.root.value { return "root: \(snapshot.root), not \(model.root.value.tomlText)" }
    for (path, key, table) in Self.keys {
      let setting = model[path]
      let value = snapshot[TOMLPath(path)]
      if value != setting?.value {
        return "\(key): \(value?.tomlText ?? "nil"), not \(setting?.value.tomlText ?? "nil")"
      }
      if snapshot[key] != value { return "typed \(key): \(String(describing: snapshot[key]))" }
      if case .table(let members)? = value {
        let fields = snapshot[table] ?? [:]
        if fields.count != members.count || members.contains(where: { fields[$0.key] != $0.value }) {
          return "dictionary \(key): \(fields)"
        }
      }
      let origin = snapshot.origin(of: TOMLPath(path))
      let layer = setting.map { setting -> SettingsLayer in
        if setting.layer < files { return snapshot.layers[setting.layer].layer }
        let kind = [SettingsLayer.Kind.credential, .environment, .process][setting.layer - files]
        // A credential has a file of its own; a table around several, and a part of one, have none.
        let credentials = kind == .credential ? snapshot.overrides.credentials : nil
        return SettingsLayer(kind, file: credentials?.file(at: [TOMLPath(path)]))
      }
      if origin.layer != layer ?? SettingsLayer(.default) {
        return "origin of \(key): \(origin.layer), not \(layer as Any)"
      }
      if origin.lock?.layer != model.lock(of: path).map({ snapshot.layers[$0].layer }) {
        return "lock of \(key): \(String(describing: origin.lock?.layer))"
      }
      if let setting, setting.layer < files {
        let place = snapshot.layers[setting.layer].document.position(of: TOMLPath(path))
        if origin.position != place { return "place of \(key): \(String(describing: origin.position))" }
      }
    }
    return nil
  }

  @Test func `every reading of random layers and locks is the model's`() throws {
    for seed in Self.seeds(80) {
      let layers = LayerCase(seed: seed, personal: seed % 2 == 1)
      let snapshot = try snapshot(of: layers)
      guard let difference = difference(snapshot, LayerModel(layers), files: layers.files.count) else { continue }
      let texts = layers.files.map(\.text).joined(separator: "---\n")
      Issue.record("SETTINGS_LAYER_SEED=\(seed): \(difference)\n\(texts)")
      return
    }
  }

  @Test func `credentials, variables and arguments over random layers are the model's`() throws {
    for seed in Self.seeds(80) {
      var layers = LayerCase(seed: seed, overrides: true, personal: seed % 2 == 1)
      let files = LayerModel(LayerCase(files: layers.files, kinds: layers.kinds))
      layers.variables.removeAll { files[$0.path] == nil }
      // Which of two texts for one path counts is not the matter here.
      var seen: Set<[String]> = []
      layers.variables.removeAll { !seen.insert($0.path).inserted }
      seen = []
      layers.arguments.removeAll { !seen.insert($0.path).inserted }
      seen = []
      layers.credentials.removeAll { !seen.insert($0.path).inserted }
      let snapshot = try snapshot(of: layers, layers.overrides(app: "app"))
      guard let difference = difference(snapshot, LayerModel(layers), files: layers.files.count) else { continue }
      let texts = layers.files.map(\.text).joined(separator: "---\n")
      Issue.record(
        "SETTINGS_LAYER_SEED=\(seed): \(difference)\n\(texts)\n\(layers.credentials)\n\(layers.variables)\n\(layers.arguments)"
      )
      return
    }
  }

  @Test func `what may be written comes through, and leaves what is locked as it is`() throws {
    for seed in Self.seeds(200) {
      var layers = LayerCase(seed: seed, personal: seed % 2 == 1)
      let path = TOMLPath(layers.pick(LayerCase.paths))
      let tree = layers.tree(depth: layers.number(0...2))
      let value = layers.chance(15) ? nil : try TOMLValue(parsing: layers.inlineText(tree))
      let before = try snapshot(of: layers)
      let failure = try write(path, value, over: before, layers)
      guard let failure else { continue }
      let texts = layers.files.map(\.text).joined(separator: "---\n")
      Issue.record("SETTINGS_LAYER_SEED=\(seed): \(path) = \(value?.tomlText ?? "nil"): \(failure)\n\(texts)")
      return
    }
  }

  /// Makes an edit, if it is permitted.
  ///
  /// - Returns: What is wrong with what came of it.
  private func write(
    _ path: TOMLPath, _ value: TOMLValue?, over before: SettingsSnapshot, _ layers: LayerCase
  ) throws -> String? {
    let locks = layers.files.flatMap(\.locks).map { TOMLPath($0) }
    let isLocked = locks.contains { path.hasPrefix($0) }
    var table = try TOMLDocument(parsing: layers.files[layers.own].text).root
    let edits: [Edit]
    do {
      edits = try before.permitted([Edit(path: path, value: value)])
    } catch {
      if isLocked { return nil }
      // Then it would have changed something that is locked.
      guard let value else { return "removal was refused" }
      let isChange = locks.filter { $0.hasPrefix(path) }.contains { lock in
        switch LayerLookup(value, at: lock.components.dropFirst(path.components.count)) {
        case .absent: false
        case .hidden: true
        case .value(let part): part != before[lock]
        }
      }
      return isChange ? nil : "it was refused: \(error)"
    }
    if isLocked { return "a locked path was written" }
    for edit in edits { table.apply(edit) }
    var changed = layers
    changed.files[layers.own].text = table.documentText
    let after = try snapshot(of: changed)
    for lock in locks where after[lock] != before[lock] { return "'\(lock)' is \(after[lock]?.tomlText ?? "nil")" }
    // A layer above the own one may hide it.
    guard let value, layers.own == layers.files.count - 1 else { return nil }
    return comesThrough(value, in: after[path]) ? nil : "it has no effect"
  }

  private func comesThrough(_ value: TOMLValue, in other: TOMLValue?) -> Bool {
    guard case .table(let table) = value, case .table(let others)? = other else { return value == other }
    return table.allSatisfy { comesThrough($0.value, in: others[$0.key]) }
  }

  @Test func `check finds what random locks make void, what hides a table, and nothing else`() throws {
    let home = ScratchHome()
    var counts = [SettingsFinding.Kind: Int]()
    for seed in Self.seeds(30) {
      // A check of a project is of what the app allows there.
      var layers = LayerCase(seed: seed, personal: seed % 2 == 1, projects: false)
      let model = LayerModel(layers)
      let names = try layers.write(to: home, seed: seed)
      let profile = layers.kinds[layers.own] == .profile ? SettingsProfile.named("p\(layers.own)") : .none
      let location = try home.location(profile: profile)
      let findings = SettingsCheck.findings(at: location, schema: nil)
      for (index, name) in names.enumerated() {
        for (kind, wanted) in [(SettingsFinding.Kind.locked, model.void), (.hidden, model.hiding)] {
          counts[kind, default: 0] += wanted[index]?.count ?? 0
          let found = Set(findings.filter { $0.file == name && $0.kind == kind }.compactMap(\.key?.components))
          guard found != wanted[index] ?? [] else { continue }
          let texts = layers.files.map(\.text).joined(separator: "---\n")
          Issue.record(
            "SETTINGS_LAYER_SEED=\(seed): \(kind) in \(index): \(found), not \(wanted[index] ?? [])\n\(texts)")
          return
        }
      }
    }
    // What is made at random has to have what is looked for.
    #expect(Self.seeds(30).count == 1 || counts[.locked, default: 0] > 30 && counts[.hidden, default: 0] > 3)
  }
}
