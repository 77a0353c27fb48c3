import AppSettings
import AppSettingsObserve
import Foundation
import Synchronization
import Testing
import TestSupport

/// Files that cannot be read for a while, for reasons whose end is no event of theirs.
@Suite(.timeLimit(.minutes(10))) struct FailingReadTests {
  let home = ScratchHome()

  /// Calls that fail while they are counted.
  private func failing(_ calls: Syscalls.Call..., counting fault: Counter) -> Syscalls {
    calls.reduce(Syscalls()) { system, call in
      system.and(
        .failing(call, with: EMFILE, counting: fault) { $0.hasSuffix(".toml") || $0.hasSuffix(".d") })
    }
  }

  private func store(_ system: Syscalls) throws -> SettingsStore {
    try home.store(system: system)
  }

  /// Nothing tells that a problem has ended; of several files, each ends at its own time.
  private func waitUntilMended(_ settings: SettingsStore) async throws {
    while !settings.currentProblems.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
  }

  @Test func `a change that could not be read for want of descriptors arrives when there are some again`() async throws
  {
    try home.write("number = 1\n")
    let fault = Counter(isRunning: false)
    let settings = try store(failing(.open, counting: fault))
    let recorder = Recorder(settings.updates(.number))
    let problems = Recorder(settings.problems)
    await recorder.wait(for: 1)
    fault.start()
    try home.replace("number = 2\n")
    await problems.wait { $0.contains { $0.code == .io && $0.file == home.file } }
    #expect(settings[.number] == 1)
    fault.stop()
    await recorder.wait(for: 2)
    #expect(recorder.elements == [1, 2])
    try await waitUntilMended(settings)
  }

  @Test func `an administrator's files stay as they were while they cannot be listed or read`() async throws {
    let directory = home.path + "/etc/xdg/org.example.test"
    try home.write("number = 1\n", to: directory + "/settings.toml")
    try home.write("number = 2\n", to: directory + "/settings.d/50.toml")
    try home.write("flag = 0\n", to: directory + "/settings.d/60.toml")
    let fault = Counter(isRunning: false)
    let settings = try store(failing(.open, .list, counting: fault))
    let recorder = Recorder(settings.updates(.number))
    let problems = Recorder(settings.problems)
    await recorder.wait(for: 2)
    fault.start()
    try home.replace("flag = 1\n", file: directory + "/settings.d/60.toml")
    await problems.wait { $0.filter { $0.code == .io }.count >= 4 }
    #expect(settings[.number] == 2)
    try home.replace("number = 3\n", file: directory + "/settings.d/50.toml")
    fault.stop()
    await recorder.wait(for: 3)
    #expect(recorder.elements == [2, 3])
    try await waitUntilMended(settings)
  }

  @Test func `a problem with the file ends when the text is the one before again, and may come back`() async throws {
    try home.write("number = 1\n")
    let settings = try home.store()
    let recorder = Recorder(settings.updates(.number))
    let problems = Recorder(settings.problems)
    await recorder.wait(for: 1)
    for round in 1...2 {
      try home.replace("number = = 1\n")
      await problems.wait { $0.count == round }
      try home.replace("number = 1\n")
      try await waitUntilMended(settings)
    }
    // A directory in the file's place is another problem.
    try FileManager.default.removeItem(atPath: home.file)
    try FileManager.default.createDirectory(atPath: home.file, withIntermediateDirectories: false)
    await problems.wait { $0.count == 3 }
    #expect(settings.currentProblems.map(\.code) == [.io])
    try FileManager.default.removeItem(atPath: home.file)
    try home.write("number = 2\n")
    await recorder.wait(for: 2)
    try await waitUntilMended(settings)
    #expect(recorder.elements.allSatisfy { [0, 1, 2].contains($0) })
  }

  @Test func `an administrator's file that is being written is not taken over in part`() throws {
    let directory = home.path + "/etc/xdg/org.example.test/settings.d"
    try home.write("number = 1234\n", to: directory + "/10.toml")
    let settings = try home.store()
    #expect(settings[.number] == 1234)
    let file = open(directory + "/10.toml", O_WRONLY | O_TRUNC | O_CLOEXEC)
    #expect(settings.core.lookAround(.doubt) != .settled)
    #expect(settings[.number] == 1234)
    #expect(write(file, "number = 5", 10) == 10)
    // What another file's save makes for.
    let outcome = settings.core.lookAround(.doubt)
    guard case .unsettled(let nanoseconds) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(nanoseconds <= 50_000_000)
    #expect(settings[.number] == 1234)
    #expect(write(file, "678\n", 4) == 4)
    close(file)
    setAge(of: directory + "/10.toml")
    #expect(settle(settings) == .settled)
    #expect(settings[.number] == 5678)
    // One that was moved there is whole.
    try home.replace("number = 9\n", file: directory + "/10.toml")
    #expect(settle(settings) == .settled)
    #expect(settings[.number] == 9)
  }

  /// Checks until nobody has a file open: a process that another test is starting has our descriptors until its `exec`.
  private func settle(_ settings: SettingsStore) -> LookOutcome {
    var outcome = settings.core.lookAround(.doubt)
    for _ in 0..<100 {
      guard case .unsettled(let nanoseconds) = outcome else { break }
      usleep(UInt32(nanoseconds / 1000))
      outcome = settings.core.lookAround(.doubt)
    }
    return outcome
  }

  /// Makes a file one that nobody has written to for a minute.
  private func setAge(of file: String) {
    var times = [timeval(tv_sec: time(nil) - 60, tv_usec: 0), timeval(tv_sec: time(nil) - 60, tv_usec: 0)]
    #expect(utimes(file, &times) == 0)
  }
}
