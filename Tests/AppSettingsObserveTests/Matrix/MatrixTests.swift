import AppSettings
import AppSettingsObserve
import Foundation
import SettingsTOML
import Testing
import TestSupport

/// Every way of changing a settings file, by real tools in real processes, through every kind of change.
///
/// What is not here: stores and the command line write nothing that does not parse, so they have no such column. A burst
/// is as long as a tool is quick, since each change is a process or several; `BurstTests` makes 10,000 changes by the
/// calls that the tools make.
@Suite(.timeLimit(.minutes(10))) struct MatrixTests {
  @Test(arguments: ChangeWay.all)
  func `each state that a tool leaves is seen once, whole and in order`(_ way: ChangeWay) async throws {
    if let program = way.needs, !isInstalled(program) {
      return print("'\(way)' is not tried: \(program) is not installed (Scripts/setup says how).")
    }
    // Not in the temporary directory: editors make no backups there.
    let home = ScratchHome(under: ChildProcess.builtProducts)
    let shared = TestDirectory(in: "/dev/shm")
    let text = home.path + "/text"
    let variables = way.variables(in: home, text: text, shared: shared.path)
    func put(_ script: String) async throws {
      #expect(try await home.run(script, with: variables) == 0, "\(way): \(script)")
    }
    try home.write(MatrixStep.all[0].text, to: text)
    try await put(way.begin ?? way.script)

    let settings = try way.store(in: home, keys: MatrixStep.keys)
    let recorder = Recorder(settings.snapshots())
    let values = Recorder(settings.updates(.number))
    let problems = Recorder(settings.problems)
    var wanted: [TOMLTable] = []
    for step in MatrixStep.all {
      if !wanted.isEmpty {
        try home.write(step.text, to: text)
        try await put(way.script)
      }
      if let table = step.table {
        await recorder.wait { $0.last?.root == table }
        // A stream that is not asked in time skips to the newest value: each has to have shown this state.
        if case .integer(let number) = table["number"] ?? 0 { await values.wait(for: Int(number)) }
        wanted.append(table)
      } else {
        await problems.wait { $0.contains { $0.code == .unparsable } }
      }
    }
    expectStates(
      recorder.elements.map(\.root), are: wanted, orGapsOf: way.hasGap ? TOMLTable() : nil, way.description)
    if !way.hasGap { #expect(values.elements == [0, 1, 2, 0, 3, 4]) }

    // A burst: the last is seen, and nothing is seen again.
    let last = way.isSlow ? 104 : 120
    try await put(
      "i=100; while [ $i -lt \(last) ]; do i=$((i+1)); echo \"number = $i\" > $N\n\(way.script)\ndone")
    await values.wait(for: last)
    let burst = values.elements.filter { $0 > 100 }
    #expect(burst == burst.sorted() && Set(burst).count == burst.count)
    #expect(values.elements.allSatisfy { $0 < 5 || $0 > 100 })
  }

  @Test func `each state that this process sets is seen once, whole and in order`() async throws {
    let home = ScratchHome()
    try home.write(MatrixStep.all[0].text)
    let settings = try home.store()
    let recorder = Recorder(settings.snapshots())
    var wanted: [TOMLTable] = []
    for table in MatrixStep.all.compactMap(\.table) {
      if let last = wanted.last {
        try await settings.update { transaction in
          for (key, value) in last.steps(to: table) { transaction[key] = value }
        }
      }
      await recorder.wait { $0.last?.root == table }
      wanted.append(table)
    }
    expectStates(recorder.elements.map(\.root), are: wanted, orGapsOf: nil, "this process")
  }

  @Test func `each state that another process's store sets is seen once, whole and in order`() async throws {
    let home = ScratchHome()
    try home.write(MatrixStep.all[0].text)
    let settings = try home.store()
    let recorder = Recorder(settings.snapshots())
    var wanted: [TOMLTable] = []
    for step in MatrixStep.all {
      guard let table = step.table else { continue }
      if !wanted.isEmpty {
        try home.write(step.text, to: home.path + "/text")
        let probe = ChildProcess.product("settings-probe")
        #expect(try await home.run("'\(probe)' become $F '\(home.path)/text'") == 0)
      }
      await recorder.wait { $0.last?.root == table }
      wanted.append(table)
    }
    expectStates(recorder.elements.map(\.root), are: wanted, orGapsOf: nil, "another process")
  }

  @Test func `each value that settings-cli sets and unsets is seen once and in order`() async throws {
    let home = ScratchHome()
    let settings = try home.store()
    let recorder = Recorder(settings.snapshots())
    await recorder.wait { $0.count == 1 }
    let command = ChildProcess.product("settings-cli")
    var table = TOMLTable()
    var wanted = [table]
    for step in MatrixStep.all {
      for (key, value) in table.steps(to: step.table ?? table) {
        var verb = "unset org.example.test '\(key.name)'"
        if let value {
          // A string is set as it is.
          let text = if case .string(let text) = value { text } else { value.tomlText }
          verb = "set org.example.test '\(key.name)' '\(text)'"
        }
        #expect(try await home.run("'\(command)' \(verb)") == 0, "\(verb)")
        table[key.name] = value
        let now = table
        await recorder.wait { $0.last?.root == now }
        wanted.append(now)
      }
    }
    expectStates(recorder.elements.map(\.root), are: wanted, orGapsOf: nil, "settings-cli")

    let values = Recorder(settings.updates(.number, initial: false))
    let script = "i=100; while [ $i -lt 130 ]; do i=$((i+1)); '\(command)' set org.example.test number $i; done"
    #expect(try await home.run(script) == 0)
    await values.wait(for: 130)
    #expect(values.elements == values.elements.sorted() && Set(values.elements).count == values.elements.count)
  }
}
