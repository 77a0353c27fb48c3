import AppSettings
import Foundation
import Testing
import TestSupport

/// A write whose text is in place is done: what others save at the same time is added to it, and it never runs again.
///
/// | saved right before the exchange | saved when that is in place | the file holds |
/// |---|---|---|
/// | nothing | nothing | ours |
/// | `F` | nothing | ours, applied on `F` |
/// | `F` | `L` | `L` with the lines of `F`; of two values at one path that of `L` |
/// | `F`, which does not parse, or does not fit | any | ours or `L`, and `F` is a backup that is reported |
/// | a link, a directory | any | that again; ours is where it leads, or the call fails |
struct DoneOnceTests {
  let home = ScratchHome()
  private var directory: String { home.path + "/config/org.example.test" }
  private static let base = "# mine\nn = 0\na = 1\nb = 1\nm = 27\nlist = [\"p\"]\n"

  /// A program that does not lock.
  enum Edit: Sendable {
    case replace(String, String)
    case append(String)
    case text(String)
    case shell(String)

    func run(_ home: ScratchHome) {
      switch self {
      case .replace(let old, let new):
        save(home.text()?.replacingOccurrences(of: old, with: new), home)
      case .append(let text): save(home.text().map { $0 + text }, home)
      case .text(let text): save(text, home)
      case .shell(let script):
        _ = try? ChildProcess.shell(
          "cd '\(home.path)/config/org.example.test' && \(script)", environment: home.environment)
      }
    }

    private func save(_ text: String?, _ home: ScratchHome) {
      let new = home.file + ".editor"
      try? Data((text ?? "").utf8).write(to: URL(fileURLWithPath: new))
      rename(new, home.file)
    }
  }

  /// A store whose write meets one edit right before the exchange, and another one when the directory is synced.
  private func store(_ first: Edit?, _ second: Edit?) throws -> (settings: SettingsStore, arm: () -> Void) {
    let home = home
    let (renames, syncs) = (Counter(isRunning: false), Counter(isRunning: false))
    let system = Syscalls.before(.rename, at: .nth(1), counting: renames) { _ in
      first?.run(home)
      syncs.start()
    }
    .and(.before(.fsyncDirectory, at: .nth(1), counting: syncs) { _ in second?.run(home) })
    let settings = try home.store(system: system)
    _ = settings.snapshot
    return (settings, { renames.start() })
  }

  private func append(_ element: String, in settings: SettingsStore) throws -> (changed: Bool, runs: Int) {
    var runs = 0
    let changed = try settings.core.commit { view in
      runs += 1
      guard case .array(let elements)? = view[["list"]] else { return [] }
      return [AppSettings.Edit(path: ["list"], value: .array(elements + [.string(element)]))]
    }
    return (changed, runs)
  }

  private static let pairs: [(first: Edit, second: Edit?, text: String)] = [
    (.replace("a = 1", "a = 2"), nil, "# mine\nn = 0\na = 2\nb = 1\nm = 27\nlist = [\"p\", \"x\"]\n"),
    (
      .replace("a = 1", "a = 2"), .replace("b = 1", "b = 2"),
      "# mine\nn = 0\na = 2\nb = 2\nm = 27\nlist = [\"p\", \"x\"]\n"
    ),
    (
      .replace("a = 1", "a = 2"), .append("k = 1\n"),
      "# mine\nn = 0\na = 2\nb = 1\nm = 27\nlist = [\"p\", \"x\"]\nk = 1\n"
    ),
    (
      .replace("m = 27\n", ""), .append("m = 28\n"), "# mine\nn = 0\na = 1\nb = 1\nlist = [\"p\", \"x\"]\nm = 28\n"
    ),
    (
      .replace("a = 1", "a = 2"), .replace("a = 1", "a = 3"),
      "# mine\nn = 0\na = 3\nb = 1\nm = 27\nlist = [\"p\", \"x\"]\n"
    ),
    (
      .append("k = 1\n"), .append("l = 1\n"),
      "# mine\nn = 0\na = 1\nb = 1\nm = 27\nlist = [\"p\", \"x\"]\nl = 1\nk = 1\n"
    ),
  ]

  @Test(arguments: pairs.indices)
  func `saves around a write are in the file with it, which is applied once`(index: Int) throws {
    let (first, second, text) = Self.pairs[index]
    try home.write(Self.base)
    let (settings, arm) = try store(first, second)
    arm()
    let (changed, runs) = try append("x", in: settings)
    #expect(changed && runs == 1)
    #expect(home.text() == text)
    #expect(home.names(in: directory) == ["settings.toml"])
    #expect(settings.currentProblems == [] && home.names(in: home.backups) == [])
  }

  @Test func `a save that cannot be merged is a backup and a problem, and the write is done`() throws {
    try home.write(Self.base)
    let (settings, arm) = try store(.text("broken =\n"), nil)
    arm()
    let (changed, runs) = try append("x", in: settings)
    #expect(changed && runs == 1)
    #expect(home.text()?.contains("list = [\"p\", \"x\"]\n") == true)
    let backup = try #require(try settings.backups().first)
    #expect(home.text(of: backup.path) == "broken =\n")
    #expect(settings.currentProblems.map(\.message).contains { $0.hasPrefix("Kept '\(backup.path)'") })
  }

  @Test(arguments: [
    "mv ../org.example.test ../old; cp -a ../old ../org.example.test",
    "cp -a settings.toml t && ln -sf t settings.toml",
  ])
  func `a path that leads to a copy by the end has the write once`(script: String) throws {
    try home.write(Self.base)
    let (settings, arm) = try store(nil, .shell(script))
    arm()
    let (changed, _) = try append("x", in: settings)
    #expect(changed)
    #expect(home.text() == Self.base.replacingOccurrences(of: "[\"p\"]", with: "[\"p\", \"x\"]"))
    #expect(settings.currentProblems == [])
  }

  @Test func `a removal whose path leads to a copy by the end is done, and no error`() throws {
    try home.write(Self.base)
    let (settings, arm) = try store(nil, .shell("mv ../org.example.test ../old; cp -a ../old ../org.example.test"))
    struct Missing: Error {}
    arm()
    let changed = try settings.core.commit { view in
      guard view.userDocument.contains(["a"]) else { throw Missing() }
      return [AppSettings.Edit(path: ["a"], value: nil)]
    }
    #expect(changed && home.text()?.contains("a = 1") == false)
  }

  @Test func `a condition is checked until the text is in place, and not after`() throws {
    try home.write(Self.base)
    let (settings, arm) = try store(.replace("a = 1", "a = 2"), .replace("b = 1", "b = 2"))
    struct Changed: Error {}
    arm()
    let changed = try settings.core.commit(checking: { bytes in
      guard bytes == Array(Self.base.utf8) else { throw Changed() }
    }) { _ in [AppSettings.Edit(path: ["n"], value: .integer(5))] }
    #expect(changed && home.text()?.contains("n = 5\na = 2\nb = 2\n") == true)
  }

  @Test func `a link that was displaced goes back, and the write is where it leads`() throws {
    try home.write(Self.base)
    let (settings, arm) = try store(
      .shell("cp settings.toml real.toml; ln -s real.toml l; mv -T l settings.toml"), nil)
    arm()
    let (changed, _) = try append("x", in: settings)
    #expect(changed)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: home.file) == "real.toml")
    #expect(home.text() == Self.base.replacingOccurrences(of: "[\"p\"]", with: "[\"p\", \"x\"]"))
    #expect(home.names(in: directory) == ["real.toml", "settings.toml"])
  }

  @Test func `a directory that was displaced goes back, and the write fails`() throws {
    try home.write(Self.base)
    let (settings, arm) = try store(.shell("rm settings.toml; mkdir settings.toml"), nil)
    arm()
    let error = settingsError { _ = try append("x", in: settings) }
    #expect(error?.message.contains("it is a directory") == true)
    #expect(home.names(in: directory) == ["settings.toml"])
  }

  @Test(arguments: Syscalls.Call.allCases, [EIO, ENOMEM])
  func `no error after the exchange loses a save that met it`(call: Syscalls.Call, errno: Int32) throws {
    for number in 1...40 {
      let home = ScratchHome()
      try home.write(Self.base)
      let calls = Counter(isRunning: false)
      let saved = Self.base.replacingOccurrences(of: "a = 1", with: "a = 2")
      let system = Syscalls.before(.rename, at: .nth(1)) { _ in
        Edit.replace("a = 1", "a = 2").run(home)
        calls.start()
      }
      .and(.failing(call, at: .nth(number), with: errno, counting: calls))
      let settings = try home.store(system: system)
      _ = settings.snapshot
      let result = Result { try settings.set(7, for: .counter) }
      calls.stop()
      let text = home.text() ?? ""
      let names = home.names(in: home.path + "/config/org.example.test")
      let others =
        names.map { home.path + "/config/org.example.test/" + $0 }
        + home.names(in: home.backups).map { home.backups + "/" + $0 }
      let place = others.first { $0 != home.file && home.text(of: $0) == saved }
      let isMerged = text.contains("a = 2\n")
      #expect(isMerged || place != nil, "\(call) \(number): \(text) \(names)")
      if case .success = result { #expect(text.contains("counter = 7\n"), "\(call) \(number)") }
      if !isMerged, let place {
        let messages = settings.currentProblems.map(\.message) + ["\(result)"]
        #expect(messages.contains { $0.contains(place) }, "\(call) \(number): \(messages)")
      }
      if calls.value < number { break }
    }
  }

  @Test func `a process that dies with a displaced save leaves it, and the next write keeps it`() throws {
    for step in 1...40 {
      let home = ScratchHome()
      try home.write(Self.base)
      let calls = Lock<Int?>(nil)
      // All calls fail from one of them on, which leaves the files as a kill before it would.
      let system = Syscalls.before(.rename, at: .nth(1)) { _ in
        Edit.replace("a = 1", "a = 2").run(home)
        calls.withLock { $0 = 0 }
      }
      .and(
        Syscalls { (call, _) throws(Errno) -> Int? in
          let count = calls.withLock { calls -> Int in
            if calls != nil { calls! += 1 }
            return calls ?? 0
          }
          if count > step { throw Errno(EIO) }
          return nil
        })
      let settings = try home.store(system: system)
      _ = settings.snapshot
      _ = try? settings.set(7, for: .counter)
      let isOver = calls.withLock { $0! <= step }
      // A child of another test that has not begun its program yet may have the save open: then it would be left.
      let later = Syscalls.failing(.lease, with: EINVAL)
      _ = try home.store(system: later).set(8, for: .counter)
      _ = try home.store(system: later).recover()
      let texts = [home.text()] + home.names(in: home.backups).map { home.text(of: home.backups + "/" + $0) }
      #expect(texts.contains { $0?.contains("a = 2\n") == true }, "\(step): \(texts)")
      #expect(home.names(in: home.path + "/config/org.example.test") == ["settings.toml"], "\(step)")
      if isOver { return #expect(step > 5) }
    }
  }

  @Test func `a file of the same size and time that was saved in place is seen`() throws {
    try home.write(Self.base)
    let file = home.file
    let syncs = Counter(isRunning: false)
    let settings = try home.store(
      system: .before(.fsync, at: .nth(1), counting: syncs) { _ in
        var status = stat()
        stat(file, &status)
        let descriptor = open(file, O_WRONLY | O_CLOEXEC)
        _ = Array("# mine\nn = 9\n".utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        var times = [status.st_atim, status.st_mtim]
        futimens(descriptor, &times)
        close(descriptor)
      })
    _ = settings.snapshot
    syncs.start()
    try settings.set(7, for: .counter)
    #expect(home.text() == Self.base.replacingOccurrences(of: "n = 0", with: "n = 9") + "counter = 7\n")
  }
}
