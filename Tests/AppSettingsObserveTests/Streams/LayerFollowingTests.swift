import AppSettings
import AppSettingsObserve
import Foundation
import Testing
import TestSupport

/// Changes of the person's own layers, as streams show them: each is one batch with one generation.
@Suite(.timeLimit(.minutes(10))) struct LayerFollowingTests {
  private let home = ScratchHome()

  /// Follows a store through states of one number. Each is made by a script, and has to be one batch.
  private func expect(
    _ settings: SettingsStore, from first: Int, _ steps: [(script: String, number: Int)],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let values = Recorder(settings.updates(.number))
    await values.wait { !$0.isEmpty }
    let batches = Recorder(settings.changes())
    let generation = settings.snapshot.generation
    for (script, number) in steps {
      #expect(try await home.run(script) == 0, "\(script)", sourceLocation: sourceLocation)
      await values.wait(for: number)
    }
    let numbers = [first] + steps.map(\.number)
    #expect(values.elements == numbers, sourceLocation: sourceLocation)
    await batches.wait { $0.count >= steps.count }
    #expect(
      batches.elements.map(\.generation) == (1...steps.count).map { generation + UInt64($0) },
      sourceLocation: sourceLocation)
  }

  private let host = "@host=$(uname -n)"

  @Test func `declared files and directories of conditions are followed as they come and go`() async throws {
    try await expect(
      try home.store(), from: 0,
      [
        ("mkdir -p $D/settings.d; echo 'number = 1' > new; mv new $D/settings.d/a.toml", 1),
        ("echo 'number = 2' > new; mkdir new.d; mv new new.d/b.toml; mv new.d \"$D/settings.d/@arch=$(uname -m)\"", 2),
        ("mkdir \"$D/settings.d/\(host)\"; echo 'number = 3' > new; mv new \"$D/settings.d/\(host)/c.toml\"", 3),
        ("mv \"$D/settings.d/\(host)\" gone", 2), ("echo 'number = 4' > \"$D/settings.d/@arch=$(uname -m)/b.toml\"", 4),
        ("rm -r $D/settings.d", 0),
      ])
  }

  @Test func `a directory of declared files that is a link is followed when the link is replaced`() async throws {
    #expect(
      try await home.run(
        """
        mkdir -p $D store/1 store/2; echo 'number = 1' > store/1/a.toml; echo 'number = 2' > store/2/a.toml
        ln -s $PWD/store/1 $D/settings.d
        """) == 0)
    try await expect(
      try home.store(), from: 1,
      [
        ("ln -s $PWD/store/2 tmp; mv -T tmp $D/settings.d", 2), ("ln -s $PWD/store/1 tmp; mv -T tmp $D/settings.d", 1),
      ])
  }

  @Test func `a switch of the profile is one batch, and writes go to the new one`() async throws {
    try home.write("number = 1\nlist = [1]\n")
    try home.write("number = 2\nlist = [2]\nview.flag = true\n", to: home.file("profiles/work.toml"))
    let settings = try home.store()
    let batches = Recorder(settings.changes())
    let values = Recorder(settings.updates(.number))
    await values.wait(for: 1)
    let generation = settings.snapshot.generation
    try home.profiles.choose("work")
    await values.wait(for: 2)
    await batches.wait { !$0.isEmpty }
    #expect(Set(batches.elements[0].paths.map(\.description)) == ["number", "list", "view.flag"])
    #expect(batches.elements[0].generation == generation + 1 && batches.elements[0].origin == .outside)
    try await settings.set(3, for: .number)
    #expect(home.text() == "number = 1\nlist = [1]\n")
    // The profile's file is followed now, and the user's as a layer below.
    try home.write("number = 4\n", to: home.file("profiles/work.toml"))
    await values.wait(for: 4)
    try home.write("number = 1\nlist = [9]\n")
    let lists = Recorder(settings.updates(.list))
    await lists.wait { $0.last == [9] }
    try home.profiles.choose(nil)
    await values.wait(for: 1)
    #expect(values.elements == [1, 2, 3, 4, 1])
  }

  @Test func `profiles below the active one are followed, those that do not exist yet too`() async throws {
    try home.write("settings-inherits = 'base'\n", to: home.file("profiles/work.toml"))
    try await expect(
      try home.store(profile: .named("work")), from: 0,
      [
        ("echo 'number = 1' > new; mv new $D/profiles/base.toml", 1),
        (
          "echo 'number = 2' > new; mv new $D/profiles/other.toml; echo \"settings-inherits = 'other'\" > new; "
            + "mv new $D/profiles/work.toml", 2
        ),
        ("echo 'number = 3' > new; mv new $D/profiles/other.toml", 3),
        ("echo \"settings-inherits = 'base'\" > new; mv new $D/profiles/work.toml", 1),
      ])
  }

  @Test func `a project's file is followed, and so is a nearer one that comes and goes`() async throws {
    try FileManager.default.createDirectory(atPath: home.path + "/p/a/b", withIntermediateDirectories: true)
    let project = SettingsProject(from: home.path + "/p/a/b", keys: [[["number"]]])
    try await expect(
      try home.store(project: project), from: 0,
      [
        ("echo 'number = 1' > new; mv new p/.org.example.test.toml", 1),
        ("echo 'number = 2' > new; mv new p/a/.org.example.test.toml", 2),
        ("echo 'number = 3' > new; mv new p/a/b/.org.example.test.toml", 3),
        ("rm p/a/b/.org.example.test.toml", 2), ("mv p/a/.org.example.test.toml gone", 1),
        ("echo 'number = 4' > p/.org.example.test.toml", 4),
      ])
  }

  @Test func `credentials are followed when a file or the directory is replaced`() async throws {
    let key = SettingsKey("db.password", default: "none", .secret)
    try home.write("one\n", to: home.path + "/credentials/db.password")
    let settings = try home.store(variables: ["CREDENTIALS_DIRECTORY": home.path + "/credentials"])
    let values = Recorder(settings.updates(key))
    await values.wait { $0.last == "one" }
    let generation = settings.snapshot.generation
    for (script, value) in [
      ("printf two > new; mv new credentials/db.password", "two"), ("printf three > credentials/db.password", "three"),
      ("mkdir c2; echo four > c2/db.password; mv credentials c1; mv c2 credentials", "four"),
      ("rm credentials/db.password", "none"),
    ] {
      #expect(try await home.run(script) == 0)
      await values.wait { $0.last == value }
    }
    #expect(values.elements.filter { $0 != "none" } == ["one", "two", "three", "four"])
    #expect(settings.snapshot.generation >= generation + 4)
  }
}
