import AppSettings
import Foundation
import Testing
import TestSupport

/// The reading verbs over random layers and locks, against a model of the rule.
///
/// `SETTINGS_LAYERS=full` tries 500 of them, `SETTINGS_LAYER_SEED` repeats the one that a failure names.
struct LayerModelCommandTests {
  let home = ScratchHome()
  private let app = "org.example.test"

  private static let seeds: Range<UInt64> = {
    let variables = ProcessInfo.processInfo.environment
    if let seed = variables["SETTINGS_LAYER_SEED"].flatMap({ UInt64($0) }) { return seed..<seed + 1 }
    return 0..<(variables["SETTINGS_LAYERS"] == "full" ? 500 : 5)
  }()

  private func run(_ arguments: String...) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), arguments, environment: home.environment, directory: home.path)
  }

  /// The values of an export.
  private func table(_ text: String) throws -> TOMLTable {
    var table = try TOMLDocument(parsing: text).root
    table["settings-version"] = nil
    return table
  }

  @Test func `every reading verb says what the model says`() throws {
    for seed in Self.seeds {
      // The command has no project.
      var layers = LayerCase(seed: seed, personal: seed % 2 == 1, projects: false)
      let model = LayerModel(layers)
      let names = try layers.write(to: home, seed: seed)
      guard let failure = try failure(model, layers, names) else { continue }
      let texts = layers.files.map(\.text).joined(separator: "---\n")
      Issue.record("SETTINGS_LAYER_SEED=\(seed): \(failure)\n\(texts)")
      return
    }
  }

  /// What a verb says otherwise than the model.
  private func failure(_ model: LayerModel, _ layers: LayerCase, _ names: [String]) throws -> String? {
    let documents = try layers.files.map { try TOMLDocument(parsing: $0.text) }
    let whole = model.root.value
    let export = try run("export", app, "--all-layers")
    if try .table(table(export.output)) != whole { return "export: \(export.output)" }
    let json = try run("export", app, "--all-layers", "--json")
    let values = json.output.replacing("  \"settings-version\": 1,\n", with: "")
    let wholeJSON = try JSONSerialization.jsonObject(with: Data(values.utf8)) as? NSDictionary
    if wholeJSON != Self.json(whole) as? NSDictionary { return "export --json: \(json.output)" }

    // What is the person's own comes back, wherever it hides nothing and nothing hides it.
    let own = try run("export", app)
    var others = LayerCase(files: layers.files, kinds: layers.kinds)
    for index in others.files.indices where ![.user, .profile].contains(others.kinds[index]) {
      others.files[index].tree = .table([])
    }
    if try .table(table(own.output)) != LayerModel(others).root.value { return "export of one's own: \(own.output)" }

    var lines: Set<String> = []
    var described: [String: String] = [:]
    for (path, setting) in model.leaves {
      let path = TOMLPath(path)
      let layer = layers.kinds[setting.layer].rawValue
      let line = documents[setting.layer].position(of: path)!.line
      let lock = model.lock(of: path.components)
      lines.insert(
        "\(path) = \(setting.value.tomlText)  # \(layer) \(names[setting.layer]):\(line)\(lock == nil ? "" : " (locked)")"
      )
      let lockedBy = lock.map { names[$0] } ?? "-"
      described[path.description] = "\(setting.value.tomlText) \(layer) \(names[setting.layer]):\(line) \(lockedBy)"
    }
    let list = try run("list", app, "--origin")
    if Set(list.output.split(separator: "\n").map(String.init)) != lines { return "list --origin: \(list.output)" }
    let description = try run("describe", app, "--json")
    let objects = try JSONSerialization.jsonObject(with: Data(description.output.utf8)) as? [[String: Any]] ?? []
    if objects.count != described.count { return "describe: \(description.output)" }
    for object in objects {
      let key = object["key"] as? String ?? ""
      let setting = try model[TOMLPath(parsing: key).components]
      let found =
        "\(setting?.value.tomlText ?? "-") \(object["layer"] ?? "") \(object["file"] ?? ""):\(object["line"] ?? "") "
        + (object["lockedBy"] as? String ?? "-")
      let value = setting.map { Self.json($0.value) as? NSObject }
      if found != described[key] || object["value"] as? NSObject != value { return "describe \(key): \(object)" }
    }
    for path in [["a"], ["b"], ["a", "b"], ["b", "x.y"], ["x.y", "c-d", "a"]] {
      let get = try run("get", app, TOMLPath(path).description, "--toml")
      let value = model[path]?.value
      let found = get.status == 0 ? try TOMLValue(parsing: String(get.output.dropLast())) : nil
      if found != value || get.status != (value == nil ? 1 : 0) { return "get \(path): \(get)" }
    }
    return try checkFailure(model, names)
  }

  private func checkFailure(_ model: LayerModel, _ names: [String]) throws -> String? {
    let check = try run("check", app, "--json")
    let findings = try JSONSerialization.jsonObject(with: Data(check.output.utf8)) as? [[String: Any]] ?? []
    for (index, name) in names.enumerated() {
      for (kind, wanted) in [("locked", model.void), ("hidden", model.hiding)] {
        let found = findings.filter { $0["file"] as? String == name && $0["kind"] as? String == kind }
          .compactMap { $0["key"] as? String }
        if Set(found) != Set((wanted[index] ?? []).map { TOMLPath($0).description }) { return "check: \(check.output)" }
      }
    }
    return nil
  }

  /// A value as JSON has it.
  private static func json(_ value: TOMLValue) -> Any {
    switch value {
    case .string(let text): text
    case .integer(let number): NSNumber(value: number)
    case .float(let number): NSNumber(value: number)
    case .boolean(let flag): NSNumber(value: flag)
    case .array(let items): items.map(json)
    case .table(let table): Dictionary(uniqueKeysWithValues: table.map { ($0.key, json($0.value)) })
    default: value.tomlText
    }
  }
}
