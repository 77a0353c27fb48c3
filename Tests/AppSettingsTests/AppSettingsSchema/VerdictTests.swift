import AppSettings
import AppSettingsSchema
import Foundation
import Testing
import TestSupport

/// The app, `set` and `check` refuse the same values, of every type with every constraint.
///
/// `SETTINGS_VERDICTS=full` asks about more random values.
struct VerdictTests {
  /// The subjects with their types as a schema file has them.
  static let subjects: [(subject: Verdicts.Subject, type: SchemaType)] = {
    let read = try! SettingsSchema.readText(Verdicts.schema.text)
    return Verdicts.subjects.map { subject in (subject, read.keys.first { $0.path == subject.key.path }!.type) }
  }()

  private func expectAgreement(on values: [TOMLValue], _ name: String = "") {
    for (subject, type) in Self.subjects {
      for value in values {
        let app = (try? subject.key.check(value)) != nil
        let set = (try? type.check(value)) != nil
        // What only the app knows is taken by the others, never refused: a subject says which values those are.
        if set && subject.onlyTheAppKnows(value) { continue }
        let check = (try? type.check(value, isStored: true)) != nil
        guard app != set || app != check else { continue }
        Issue.record("\(name)\(subject.key) = \(value.tomlText): app \(app), set \(set), check \(check)")
      }
    }
  }

  @Test func `set and check refuse what the app refuses, and nothing else`() {
    expectAgreement(on: Verdicts.scalars + Verdicts.parts)
  }

  @Test func `set and check agree with the app on random values`() {
    var random = Verdicts.random()
    let values = (0..<(Verdicts.isFull ? 20_000 : 30)).map { _ in Verdicts.random(&random) }
    expectAgreement(on: values, "seed \(random.seed): ")
  }

  @Test func `the command's check of files says what the app says`() throws {
    let home = ScratchHome()
    try home.write(Verdicts.schema.text, to: home.path + "/schema.toml")
    var random = Verdicts.random()
    let all = Verdicts.scalars + Verdicts.parts
    for value in (0..<(Verdicts.isFull ? 100 : 4)).map({ _ in all.randomElement(using: &random)! }) {
      var document = TOMLDocument()
      for (subject, _) in Self.subjects { try document.set(value, at: subject.key.path) }
      try home.write(document.text, to: home.path + "/s.toml")
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), ["check", "./s.toml", "--schema", "schema.toml", "--json"],
        environment: home.environment, directory: home.path)
      let findings = try #require(
        try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]], "\(result)")
      let refused = Set(
        findings.filter { $0["kind"] as? String == "invalid-value" }.compactMap { $0["key"] as? String })
      for (subject, _) in Self.subjects where !subject.onlyTheAppKnows(value) {
        let app = (try? subject.key.check(value)) != nil
        let key = subject.key.description
        // The path of the wrong part.
        let isRefused = refused.contains { $0 == key || $0.hasPrefix(key + ".") }
        #expect(isRefused == !app, "seed \(random.seed): \(subject.key) = \(value.tomlText)")
      }
    }
  }

  @Test func `the command reads fixed offsets of time zones as an app with Foundation does`() throws {
    let home = ScratchHome()
    try home.write(Verdicts.schema.text, to: home.path + "/data/app-settings/\(Verdicts.schema.app).toml")
    let forms = [
      "GMT+5", "UTC-05", "GMT+0", "GMT+18", "GMT+19", "UTC+0530", "GMT-5:30", "UTC+18:00", "GMT+18:01", "GMT+530",
      "GMT+5:3", "GMT+:30", "GMT+", "gmt+5", "UTC", "GMT5", "GMT+0560", "GMT+a", "UTC+1:00:00",
    ]
    for form in forms {
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), ["set", Verdicts.schema.app, "zone", "--", form],
        environment: home.environment)
      #expect(result.status == (TimeZone(identifier: form) != nil ? 0 : 4), "\(form): \(result.error)")
    }
  }

  @Test func `the command's set of a value says what the app says`() throws {
    let home = ScratchHome()
    try home.write(Verdicts.schema.text, to: home.path + "/data/app-settings/\(Verdicts.schema.app).toml")
    var random = Verdicts.random()
    let all = Verdicts.scalars + Verdicts.parts
    for _ in 0..<(Verdicts.isFull ? 3000 : 15) {
      let (subject, _) = Self.subjects.randomElement(using: &random)!
      let value = all.randomElement(using: &random)!
      if subject.onlyTheAppKnows(value) { continue }
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"),
        ["set", Verdicts.schema.app, subject.key.description, "--type", "toml", "--", value.tomlText],
        environment: home.environment)
      let app = (try? subject.key.check(value)) != nil
      #expect(
        result.status == (app ? 0 : 4),
        "seed \(random.seed): \(subject.key) = \(value.tomlText), app \(app): \(result.error)")
    }
  }
}
