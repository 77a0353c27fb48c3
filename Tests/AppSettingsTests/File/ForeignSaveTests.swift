import AppSettings
import Foundation
import Testing
import TestSupport

/// Own writes beside programs that do not lock: each step of theirs at each step of ours.
struct ForeignSaveTests {
  let home = ScratchHome()
  private static let old = "# mine\na = 1\nb = 2\nname = \"old\"\n"
  private static let new = "# mine, edited\na = 10\nb = 20\nname = \"new\"\n"

  private static func open(_ path: String, _ flags: Int32) -> Int32 { Glibc.open(path, flags | O_CLOEXEC) }

  private static func put(_ text: Substring, _ descriptor: Int32) {
    _ = Array(text.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
  }

  // MARK: A save in place that began before

  @Test(arguments: [0, 9, 30])
  func `a set beside a save in place waits for its end, and keeps all of it`(written: Int) throws {
    try home.write(Self.old)
    let file = home.file
    let saver = Monitor<Int32>(-1)
    // Ours has found the file open, some times: now the rest comes.
    let rest = Counter(isRunning: false)
    let settings = try home.store(
      system: .before(.lease, at: .nth(5), counting: rest) { _ in
        let descriptor = saver.withLock { $0 }
        Self.put(Self.new.dropFirst(written), descriptor)
        close(descriptor)
      })
    #expect(settings[.name] == "old")
    let descriptor = Self.open(file, O_WRONLY | O_TRUNC)
    saver.withLock { $0 = descriptor }
    Self.put(Self.new.prefix(written), descriptor)
    rest.start()
    try settings.set(7, for: .counter)
    #expect(home.text() == Self.new + "counter = 7\n")
    #expect(settings[.name] == "new")
  }

  @Test func `a save that goes on for longer than one waits is an error, and what is there stays`() throws {
    try home.write(Self.old)
    let settings = try home.store(lockTimeout: .milliseconds(100))
    #expect(settings[.name] == "old")
    let descriptor = Self.open(home.file, O_WRONLY | O_TRUNC)
    let error = #expect(throws: SettingsError.self) { try settings.set(7, for: .counter) }
    #expect(error?.code == .lockTimeout)
    #expect(error?.message.contains("another program has been writing to it") == true)
    #expect(home.text() == "")
    Self.put(Self.new[...], descriptor)
    close(descriptor)
    // A process that another test is starting has the descriptor until its 'exec': this wait is not cut short.
    try home.store().set(7, for: .counter)
    #expect(home.text() == Self.new + "counter = 7\n")
  }

  @Test func `a first access migrates no file on disk that a program is writing`() throws {
    let text = "colour = \"red\"\n"
    try home.write(text)
    let descriptor = Self.open(home.file, O_WRONLY)
    // So that it never is at rest, however long this takes.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: 3_600)], ofItemAtPath: home.file)
    let settings = try home.store(
      migrations: [Migration(2, "rename a key", [.rename("colour", to: "color")])])
    #expect(settings[SettingsKey("color", default: "")] == "red")
    #expect(home.text() == text)
    close(descriptor)
  }

  @Test func `an empty file counts when it has been so for half a second`() throws {
    try home.write(Self.old)
    let settings = try home.store()
    #expect(settings[.name] == "old")
    try home.write("", isSettled: false)
    let begin = ContinuousClock.now
    try settings.set(7, for: .counter)
    #expect(begin.duration(to: .now) > .milliseconds(400))
    #expect(home.text() == "counter = 7\n")
    #expect(settings[.name] == "")
  }

  @Test func `a first read waits for the end of a save in place`() throws {
    try home.write(Self.old)
    let descriptor = Self.open(home.file, O_WRONLY | O_TRUNC)
    Self.put(Self.new.prefix(40), descriptor)
    let settings = try home.store(
      system: .before(.lease, at: .nth(3)) { _ in
        Self.put(Self.new.dropFirst(40), descriptor)
        close(descriptor)
      })
    #expect(settings[.name] == "new")
    #expect(settings.currentProblems == [])
  }

  @Test func `a first read of an administrator's file waits for the end of a save in place`() throws {
    let file = home.path + "/etc/xdg/org.example.test/settings.d/10.toml"
    try home.write("name = \"old\"\n", to: file)
    let descriptor = Self.open(file, O_WRONLY | O_TRUNC)
    let settings = try home.store(
      system: .before(.lease, at: .nth(3)) { _ in
        Self.put("name = \"new\"\n", descriptor)
        close(descriptor)
      })
    #expect(settings[.name] == "new")
    #expect(settings.currentProblems == [])
  }

  // MARK: A save that meets ours

  /// What another program does with the file in the middle of our write.
  enum Save: String, CaseIterable, Sendable {
    case inPlace, byRename, byRemoval

    func run(_ file: String, _ text: String) {
      switch self {
      case .inPlace: break
      case .byRename:
        let new = file + ".foreign"
        try? Data(text.utf8).write(to: URL(fileURLWithPath: new))
        rename(new, file)
        return
      case .byRemoval: unlink(file)
      }
      let descriptor = Glibc.open(file, O_WRONLY | O_TRUNC | O_CREAT | O_CLOEXEC, 0o600)
      ForeignSaveTests.put(text[...], descriptor)
      close(descriptor)
    }
  }

  @Test(arguments: Save.allCases, [Syscalls.Call.open, .write, .fsync, .rename])
  func `a save between our read and our rename is the text that ours is applied to`(
    save: Save, call: Syscalls.Call
  ) throws {
    try home.write(Self.old)
    let file = home.file
    let calls = Counter(isRunning: false)
    // The file is opened to be read first: that is before what this is about.
    let system = Syscalls.before(
      call, at: .nth(1), counting: calls, where: { call != .open || $0.hasSuffix("settings-new") }
    ) { _ in save.run(file, Self.new) }
    let settings = try home.store(system: system)
    #expect(settings[.name] == "old")
    calls.start()
    var runs = 0
    try settings.update {
      runs += 1
      $0[.counter] = 7
    }
    #expect(runs == 1)
    #expect(home.text() == Self.new + "counter = 7\n")
    #expect(settings[.name] == "new")
    #expect(home.names(in: home.path + "/config/org.example.test") == ["settings.toml"])
  }

  @Test(arguments: [true, false])
  func `what a program still writes into the replaced file is merged`(isTruncatedBefore: Bool) throws {
    try home.write(Self.old)
    let file = home.file
    let saver = Monitor<Int32>(-1)
    let begin = Counter(isRunning: false)
    let end = Counter(isRunning: false)
    let system = Syscalls.before(.rename, at: .nth(1), counting: begin) { _ in
      let descriptor = Self.open(file, isTruncatedBefore ? O_WRONLY | O_TRUNC : O_WRONLY)
      saver.withLock { $0 = descriptor }
      end.start()
    }
    .and(
      .before(.lease, at: .nth(3), counting: end) { _ in
        let descriptor = saver.withLock { $0 }
        if !isTruncatedBefore { ftruncate(descriptor, 0) }
        Self.put(Self.new[...], descriptor)
        close(descriptor)
      })
    let settings = try home.store(system: system)
    #expect(settings[.name] == "old")
    begin.start()
    try settings.set(7, for: .counter)
    #expect(home.text() == Self.new + "counter = 7\n")
    #expect(settings[.name] == "new")
    #expect(settings[.counter] == 7)
  }

  @Test func `a file that is made anew at the last moment is waited for`() throws {
    try home.write(Self.old)
    let file = home.file
    let saver = Monitor<Int32>(-1)
    // As Emacs does, 'tar x' and 'git checkout'.
    let begin = Counter(isRunning: false)
    let end = Counter(isRunning: false)
    let system = Syscalls.before(.rename, at: .nth(1), counting: begin) { _ in
      rename(file, file + "~")
      let descriptor = Glibc.open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      saver.withLock { $0 = descriptor }
      end.start()
    }
    .and(
      .before(.lease, at: .nth(3), counting: end) { _ in
        let descriptor = saver.withLock { $0 }
        Self.put(Self.new[...], descriptor)
        close(descriptor)
      })
    let settings = try home.store(system: system)
    #expect(settings[.name] == "old")
    begin.start()
    try settings.set(7, for: .counter)
    #expect(home.text() == Self.new + "counter = 7\n")
    #expect(home.names(in: home.path + "/config/org.example.test") == ["settings.toml", "settings.toml~"])
  }

  @Test func `a late save that does not end has a name that is reported, and the set is done`() throws {
    try home.write(Self.old)
    let file = home.file
    let saver = Monitor<Int32>(-1)
    let begin = Counter(isRunning: false)
    let system = Syscalls.before(.rename, at: .nth(1), counting: begin) { _ in
      let descriptor = Self.open(file, O_WRONLY | O_TRUNC)
      saver.withLock { $0 = descriptor }
    }
    let settings = try home.store(system: system, lockTimeout: .milliseconds(200))
    #expect(settings[.name] == "old")
    begin.start()
    #expect(try settings.set(7, for: .counter))
    let descriptor = saver.withLock { $0 }
    Self.put(Self.new[...], descriptor)
    close(descriptor)
    #expect(home.text() == Self.old + "counter = 7\n")
    let aside = home.path + "/config/org.example.test/.settings.toml.settings-aside"
    #expect(home.text(of: aside) == Self.new)
    #expect(settings.currentProblems.map(\.message).contains { $0.contains("Kept '\(aside)'") })
  }

  @Test(arguments: ["mode", "time"])
  func `a late save is merged, also if the file is touched meanwhile`(change: String) throws {
    try home.write(Self.old)
    let file = home.file
    let saver = Monitor<Int32>(-1)
    let begin = Counter(isRunning: false)
    let end = Counter(isRunning: false)
    let touch = Counter(isRunning: false)
    let system = Syscalls.before(.rename, at: .nth(1), counting: begin) { _ in
      let descriptor = Self.open(file, O_WRONLY)
      saver.withLock { $0 = descriptor }
      end.start()
    }
    .and(
      .before(.lease, at: .nth(2), counting: end) { _ in
        let descriptor = saver.withLock { $0 }
        ftruncate(descriptor, 0)
        Self.put(Self.new[...], descriptor)
        close(descriptor)
      }
    )
    .and(
      .before(.fsync, at: .nth(2), counting: touch) { _ in
        if change == "mode" { chmod(file, 0o640) } else { utimes(file, nil) }
      })
    let settings = try home.store(system: system)
    #expect(settings[.name] == "old")
    begin.start()
    touch.start()
    try settings.set(7, for: .counter)
    #expect(home.text() == Self.new + "counter = 7\n")
  }

  @Test(arguments: [-20_000_000_000, 20_000_000_000])
  func `a file of another age can be read and written`(seconds: Int) throws {
    try home.write(Self.old)
    var times = [timeval(tv_sec: seconds, tv_usec: 0), timeval(tv_sec: seconds, tv_usec: 0)]
    #expect(utimes(home.file, &times) == 0)
    let settings = try home.store()
    #expect(settings[.name] == "old")
    try settings.set(7, for: .counter)
    #expect(home.text() == Self.old + "counter = 7\n")
  }

  @Test func `a late save that does not parse becomes a backup that is reported, and the set is done`() throws {
    try home.write(Self.old)
    let file = home.file
    let broken = "a = = 1\n"
    let saver = Monitor<Int32>(-1)
    let begin = Counter(isRunning: false)
    let end = Counter(isRunning: false)
    let system = Syscalls.before(.rename, at: .nth(1), counting: begin) { _ in
      let descriptor = Self.open(file, O_WRONLY)
      saver.withLock { $0 = descriptor }
      end.start()
    }
    .and(
      .before(.lease, at: .nth(2), counting: end) { _ in
        let descriptor = saver.withLock { $0 }
        ftruncate(descriptor, 0)
        Self.put(broken[...], descriptor)
        close(descriptor)
      })
    let settings = try home.store(system: system)
    #expect(settings[.name] == "old")
    begin.start()
    #expect(try settings.set(7, for: .counter))
    #expect(home.text() == Self.old + "counter = 7\n")
    #expect(home.names(in: home.path + "/config/org.example.test") == ["settings.toml"])
    let backup = try #require(try settings.backups().first)
    #expect(backup.path.hasSuffix(".overtaken.toml") && home.text(of: backup.path) == broken)
    #expect(settings.currentProblems.map(\.message).contains { $0.contains("Kept '\(backup.path)'") })
  }

  @Test func `a file that another program makes meanwhile is not replaced by a first one`() throws {
    let file = home.file
    let renames = Counter(isRunning: false)
    let system = Syscalls.before(.rename, at: .nth(1), counting: renames) { _ in
      try? Data(Self.new.utf8).write(to: URL(fileURLWithPath: file))
    }
    let settings = try home.store(system: system)
    #expect(settings[.name] == "")
    renames.start()
    try settings.set(7, for: .counter)
    #expect(home.text() == Self.new + "counter = 7\n")
  }

  @Test func `a program that keeps the file open costs a write a second, once, and nothing else`() throws {
    try home.write(Self.old)
    let asked = Counter()
    let settings = try home.store(system: .counting(.lease, into: asked))
    #expect(settings[.name] == "old")
    let descriptor = Self.open(home.file, O_RDWR)
    try settings.set(7, for: .counter)
    #expect(home.text() == Self.old + "counter = 7\n")
    // While it waits, it asks again and again whether the file is still open elsewhere.
    let whileWaiting = asked.value
    try settings.set(8, for: .counter)
    let afterwards = asked.value - whileWaiting
    close(descriptor)
    try settings.set(9, for: .counter)
    #expect(whileWaiting > 3 && afterwards <= asked.value - whileWaiting - afterwards, "\(whileWaiting), \(afterwards)")
  }

  // MARK: Where the path leads

  @Test(arguments: ["mv d e; cp -a e d", "ln -sfn w cur"])
  func `a set ends where the path leads by then`(script: String) throws {
    let isLink = script.hasPrefix("ln")
    let directory = home.path + (isLink ? "/v" : "/d")
    try home.write(Self.old, to: directory + "/s.toml")
    if isLink {
      try home.write(Self.new, to: home.path + "/w/s.toml")
      try FileManager.default.createSymbolicLink(atPath: home.path + "/cur", withDestinationPath: "v")
    }
    let file = home.path + (isLink ? "/cur" : "/d") + "/s.toml"
    let environment = home.environment
    let path = home.path
    let syncs = Counter(isRunning: false)
    let settings = SettingsStore(
      at: try SettingsLocation(file: file, environment: home.environment), migrations: .none, logger: .silent,
      acceptsAnyVersion: false,
      system: .before(.fsync, at: .nth(1), counting: syncs) { _ in
        _ = try? ChildProcess.shell("cd \(path) && \(script)", environment: environment)
      })
    #expect(settings[.name] == "old")
    syncs.start()
    try settings.set(7, for: .counter)
    #expect(home.text(of: file) == (isLink ? Self.new : Self.old) + "counter = 7\n")
    #expect(settings[.name] == (isLink ? "new" : "old"))
    settings.reload()
    #expect(settings[.counter] == 7)
  }

  // MARK: Equal texts

  @Test func `a set of what is there syncs it, for whoever wrote it may not have`() throws {
    try home.write("counter = 7\n")
    let trace = Monitor<[Syscalls.Call]>([])
    var synced: [Syscalls.Call] { trace.withLock { $0.filter { $0 == .fsync || $0 == .fsyncDirectory } } }
    let settings = try home.store(system: .tracing(into: trace))
    #expect(try settings.set(7, for: .counter) == false)
    #expect(synced == [.fsync, .fsyncDirectory])
    // It is known to be on disk now, until somebody writes it anew.
    #expect(try settings.set(7, for: .counter) == false)
    #expect(synced.count == 2)
    try home.write("counter = 7\n", isSettled: false)
    #expect(try settings.set(7, for: .counter) == false)
    #expect(synced.count == 4)
  }

  @Test(arguments: [Syscalls.Call.fsync, .fsyncDirectory])
  func `a text that cannot be synced is an error each time, also if it is equal`(call: Syscalls.Call) throws {
    try home.write("counter = 7\n")
    let failures = Counter()
    let settings = try home.store(system: .failing(call, with: EIO, counting: failures))
    for _ in 0..<2 {
      let error = #expect(throws: SettingsError.self) { try settings.set(7, for: .counter) }
      #expect(error?.message.contains("may not survive a power failure") == true)
    }
    failures.stop()
    #expect(try settings.set(7, for: .counter) == false)
  }
}
