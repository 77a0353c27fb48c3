import AppSettings
import AppSettingsObserve
import Testing
import TestSupport

/// A running release under files that a newer one has migrated: it keeps the values that it has.
@Suite(.timeLimit(.minutes(10))) struct NewerFileTests {
  let home = ScratchHome()
  private let colour = SettingsKey("colour", default: "blue")
  private let count = SettingsKey("count", default: 0)
  private static let old = "colour = \"red\"\ncount = 7\n"
  private static let new = "settings-version = 4\ncount = 70\n\n[theme]\naccent = \"red\"\n"

  @Test func `observers keep the last good values, are told once, and see the file again when it is known`()
    async throws
  {
    try home.write(Self.old)
    let settings = try home.store()
    let values = Recorder(settings.updates(colour, count))
    let problems = Recorder(settings.problems)
    let calls = Recorder<String>()
    let observation = settings.observe(colour, count) { calls.note("\($0)/\($1)") }
    await values.wait { $0.count == 1 }
    try home.replace(Self.new)
    await problems.wait { $0.contains { $0.code == .newerVersion } }
    try home.replace(Self.new + "more = 1\n")
    try home.replace("settings-version = 5\n")
    settings.reload()
    #expect(settings[colour] == "red" && settings[count] == 7)
    try home.replace("colour = \"red\"\ncount = 8\n")
    await values.wait { $0.contains { $0 == ("red", 8) } }
    await calls.wait { $0.count == 2 }
    #expect(values.elements.map { "\($0)/\($1)" } == ["red/7", "red/8"])
    #expect(calls.elements == ["red/7", "red/8"])
    #expect(!settings.currentProblems.contains { $0.code == .newerVersion })
    observation.cancel()
  }

  @Test(arguments: [false, true]) func `what cannot be written is one problem`(reloads: Bool) throws {
    try home.write(Self.old)
    let settings = try home.store()
    #expect(settings[count] == 7)
    try home.write(Self.new)
    if reloads { settings.reload() }
    #expect(settingsError { try settings.set(1, for: count) }?.code == .newerVersion)
    #expect(settingsError { try settings.update { $0[count] += 1 } }?.code == .newerVersion)
    settings[colour] = "green"
    #expect(settingsError { try settings.flush() }?.code == .newerVersion)
    #expect(settings[count] == 7 && settings[colour] == "red" && home.text() == Self.new)
    let problems = settings.currentProblems.filter { $0.code == .newerVersion }
    #expect(problems.count == 1, "\(problems)")
    #expect(problems.first?.message.contains("the values that were read last are used") == true)
  }

  @Test func `a release that begins under a newer file reads what it can, and follows that`() throws {
    try home.write(Self.new)
    let settings = try home.store()
    #expect(settings[count] == 70 && settings[colour] == "blue")
    #expect(settingsError { try settings.set(1, for: count) }?.code == .newerVersion)
    #expect(settings[count] == 70)
    try home.write("settings-version = 4\ncount = 71\n")
    settings.reload()
    #expect(settings[count] == 71)
    #expect(settings.currentProblems.map(\.code) == [.newerVersion])
    try home.write(Self.old)
    settings.reload()
    #expect(settings[count] == 7 && settings.currentProblems.isEmpty)
    try home.write(Self.new)
    settings.reload()
    #expect(settings[count] == 7 && settings[colour] == "red")
  }

  @Test func `a file that cannot be migrated does not take the values away either`() throws {
    struct Failure: Error {}
    let migrations = [
      Migration(2, "move the colour") { document in
        guard document.contains(["old"]) else { throw Failure() }
        try document.move(from: ["old"], to: ["colour"])
      }
    ]
    try home.write("settings-version = 2\ncolour = \"red\"\n")
    let settings = try home.store(migrations: migrations)
    #expect(settings[colour] == "red")
    try home.write("count = 3\n")
    settings.reload()
    #expect(settings[colour] == "red" && settings[count] == 0)
    #expect(settings.currentProblems.map(\.code) == [.migrationFailed])
    try home.write("old = \"green\"\n")
    settings.reload()
    #expect(settings[colour] == "green" && settings.currentProblems.isEmpty)
  }

  @Test func `an administrator's file of a newer release does not take effect in a running one`() async throws {
    let file = home.systemFile("settings.toml")
    try home.write(Self.old, to: file)
    let settings = try home.store()
    let values = Recorder(settings.updates(colour))
    await values.wait(for: "red")
    try home.replace(Self.new, file: file)
    while settings.currentProblems.map(\.code) != [.newerVersion] { await Task.yield() }
    #expect(settings[colour] == "red" && settings[count] == 7)
    try home.replace("colour = \"green\"\n", file: file)
    await values.wait(for: "green")
    #expect(settings.currentProblems.isEmpty)
    // At a start it reads what it can.
    try home.replace(Self.new, file: file)
    #expect(try home.store()[count] == 70)
  }
}
