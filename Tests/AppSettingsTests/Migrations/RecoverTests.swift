import AppSettings
import Foundation
import Testing
import TestSupport

/// Moving a broken file away: at no step, and with no editor in between, is a text lost.
struct RecoverTests {
  let home = ScratchHome()
  private static let broken = "a = \n# mine\n"
  private static let good = "a = 1\n"
  private var directory: String { home.path + "/config/org.example.test" }

  private func store(_ system: Syscalls = Syscalls()) throws -> SettingsStore {
    try home.store(acceptsAnyVersion: true, system: system)
  }

  private func isSuccess<Success>(_ result: Result<Success, any Error>) -> Bool {
    if case .success = result { true } else { false }
  }

  private var kept: [String?] { home.names(in: home.backups).map { home.text(of: home.backups + "/" + $0) } }

  @Test func `the backup is on disk before the file goes, and nothing else is in its place`() throws {
    try home.write(Self.broken)
    let trace = Monitor<[String]>([])
    let settings = try store(
      .tracing(into: trace) { call, path in
        guard [.link, .fsync, .fsyncDirectory, .rename, .unlink].contains(call) else { return nil }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return "\(call) \(name.hasPrefix("settings.0") ? "backup" : name)"
      })
    #expect(try settings.recover() != nil)
    #expect(
      trace.withLock { $0.suffix(6) } == [
        "link backup", "fsync backup", "fsyncDirectory settings.toml.backups",
        "rename .settings.toml.settings-aside", "unlink .settings.toml.settings-aside",
        "fsyncDirectory org.example.test",
      ])
    #expect(home.names(in: directory) == [] && kept == [Self.broken])
  }

  @Test(arguments: Syscalls.Call.allCases, [false, true])
  func `a step that fails leaves the file or its backup, and the next attempt works`(
    call: Syscalls.Call, isCopied: Bool
  ) throws {
    // Each call fails once, with one error after another; in the long form with each.
    let errors = [EIO, EACCES, ENOSPC]
    for first in Exploration.isFull ? errors.indices : errors.indices.prefix(1) {
      for number in 1...40 {
        let errno = errors[(first + number) % errors.count]
        let home = ScratchHome()
        try home.write(Self.broken)
        let calls = Counter()
        let failing = Syscalls.failing(call, at: .nth(number), with: errno, counting: calls)
        let settings = try home.store(
          acceptsAnyVersion: true, system: isCopied ? .failing(.link, with: EXDEV).and(failing) : failing)
        let result = Result { try settings.recover() }
        let at = "\(call) \(number) \(errno)"
        let kept = home.names(in: home.backups).filter { $0.hasSuffix(".toml") }
          .map { home.text(of: home.backups + "/" + $0) }
        switch result {
        case .success(let backup?):
          #expect(home.text() == nil && home.text(of: backup.path) == Self.broken, "\(at)")
        case .success(nil): #expect(home.text() == Self.broken, "\(at)")
        case .failure(let error):
          // What the message says is so.
          let isThere = home.text() == Self.broken
          #expect(isThere || kept == [Self.broken], "\(at)")
          #expect("\(error)".contains("Cannot sync the removal of") == !isThere, "\(at): \(error)")
          if "\(error)".contains("Cannot move away") { #expect(isThere, "\(at)") }
        }
        let names = home.names(in: home.path + "/config/org.example.test")
        // What cannot be removed stays, for the next write to take away.
        let stray = call == .unlink && isSuccess(result) ? [".settings.toml.settings-aside"] : []
        #expect(names == (home.text() == nil ? [] : ["settings.toml"]) || names == stray, "\(at)")
        _ = try home.store().recover()
        #expect(home.text() == nil, "\(at)")
        #expect(home.names(in: home.backups).map { home.text(of: home.backups + "/" + $0) } == [Self.broken], "\(at)")
        if calls.value < number { break }
      }
    }
  }

  @Test(arguments: [Syscalls.Call.link, .fsync, .fsyncDirectory, .rename])
  func `a file that an editor mends meanwhile stays`(call: Syscalls.Call) throws {
    for isInPlace in [true, false] {
      for number in 1...3 {
        let home = ScratchHome()
        try home.write(Self.broken)
        let calls = Counter()
        let editing = Syscalls.before(call, at: .nth(number), counting: calls) { _ in
          // After the file has gone, this is a new one.
          guard FileManager.default.fileExists(atPath: home.file) else { return }
          try? Data(Self.good.utf8).write(to: URL(fileURLWithPath: home.file), options: isInPlace ? [] : .atomic)
        }
        let settings = try home.store(acceptsAnyVersion: true, system: editing)
        let backup = try settings.recover()
        if home.text() == nil {
          #expect(backup != nil && calls.value < number)
          continue
        }
        #expect(home.text() == Self.good && backup == nil, "\(call) \(number) \(isInPlace)")
        #expect(home.names(in: home.path + "/config/org.example.test") == ["settings.toml"])
        // No backup shares the file.
        let links = try FileManager.default.attributesOfItem(atPath: home.file)[.referenceCount] as? Int
        #expect(links == 1)
      }
    }
  }

  @Test func `of two files that come while one is taken away the later one stays`() throws {
    try home.write(Self.broken)
    let home = home
    // A text before the file is renamed, and another one before that is merged.
    func writing(before number: Int) -> Syscalls {
      .before(.rename, at: .nth(number)) { _ in
        try? Data("a = \(number)\n".utf8).write(to: URL(fileURLWithPath: home.file), options: .atomic)
      }
    }
    let settings = try store(writing(before: 1).and(writing(before: 2)))
    #expect(try settings.recover() != nil)
    #expect(home.text() == "a = 2\n")
    #expect(home.names(in: directory) == ["settings.toml"])
    #expect(kept == [Self.broken, "a = 1\n"])
  }

  @Test func `a file that comes before what was displaced can be put back stays, and so does that one`() throws {
    try home.write(Self.broken)
    let home = home
    // A text before the file is renamed, and another one when that cannot be set aside.
    func writing(before number: Int) -> Syscalls {
      .before(.rename, at: .nth(number)) { _ in
        try? Data("a = \(number)\n".utf8).write(to: URL(fileURLWithPath: home.file), options: .atomic)
      }
    }
    let settings = try store(
      writing(before: 1).and(writing(before: 2)).and(.failing(.rename, at: .nth(2), with: EIO)))
    #expect(try settings.recover() != nil)
    #expect(home.text() == "a = 2\n")
    #expect(settings.currentProblems.contains { $0.message.contains(".overtaken.toml': '") })
    #expect(home.names(in: directory) == ["settings.toml"] && kept.contains("a = 1\n"))
  }

  @Test func `a save that does not end is put back, and no backup shares its file`() throws {
    try home.write(Self.broken)
    let file = home.file
    let saver = Monitor<Int32>(-1)
    let system = Syscalls.before(.rename, at: .nth(1)) { _ in
      let descriptor = open(file, O_WRONLY | O_TRUNC | O_CLOEXEC)
      saver.withLock { $0 = descriptor }
    }
    let settings = try home.store(acceptsAnyVersion: true, system: system, lockTimeout: .seconds(1))
    #expect(settingsError { _ = try settings.recover() }?.code == .lockTimeout)
    let descriptor = saver.withLock { $0 }
    #expect(Self.good.utf8CString.withUnsafeBytes { write(descriptor, $0.baseAddress, Self.good.utf8.count) } == 6)
    close(descriptor)
    #expect(home.text() == Self.good)
    #expect(home.names(in: directory) == ["settings.toml"])
    #expect(try FileManager.default.attributesOfItem(atPath: file)[.referenceCount] as? Int == 1)
  }

  @Test func `a file system that only renames over what is there does, too`() throws {
    try home.write(Self.broken)
    let settings = try store(.failing(.rename, at: .nth(1), with: EINVAL))
    #expect(try settings.recover() != nil)
    #expect(home.text() == nil && kept == [Self.broken] && home.names(in: directory) == [])
  }

  @Test func `a link that is turned elsewhere meanwhile leads to what is moved`() throws {
    try home.write(Self.broken, to: home.path + "/v1/x.toml")
    try home.write("b = \n", to: home.path + "/v2/x.toml")
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: home.file, withDestinationPath: home.path + "/v1/x.toml")
    let home = home
    let turning = Syscalls.before(.lock, at: .nth(1)) { _ in
      try? FileManager.default.removeItem(atPath: home.file)
      try? FileManager.default.createSymbolicLink(atPath: home.file, withDestinationPath: home.path + "/v2/x.toml")
    }
    let settings = try store(turning)
    let backup = try #require(try settings.recover())
    #expect(home.text(of: backup.path) == "b = \n" && backup.path.hasPrefix(home.backups(of: home.path + "/v2/x.toml")))
    #expect(home.text(of: home.path + "/v1/x.toml") == Self.broken)
    #expect(home.text(of: home.path + "/v2/x.toml") == nil)
  }

  @Test func `what a killed recovery set aside is put away by the next set`() throws {
    try home.write("set aside =\n", to: directory + "/.settings.toml.settings-aside")
    try store().set(1, for: .counter)
    #expect(home.names(in: directory) == ["settings.toml"])
    #expect(kept == ["set aside =\n"])
  }

  // MARK: From a backup

  @Test func `a link in the place of what is set aside is not followed`() throws {
    let secret = home.path + "/secret"
    try home.write("not = \"yours\"\n", to: secret)
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: directory + "/.settings.toml.settings-aside", withDestinationPath: secret)
    try home.store().set(1, for: .counter)
    #expect(home.text() == "counter = 1\n")
    #expect(home.names(in: home.backups) == [])
  }

  @Test func `recovering from a backup is one write, and there is a file at every step`() throws {
    try home.write(Self.good, to: home.backups + "/settings.000001.20200101T000000Z.before-v2-was-v1.toml")
    try home.write("worse =\n", to: home.backups + "/settings.000002.20200101T000000Z.unparsable.toml")
    try home.write(Self.broken)
    let home = home
    let texts = Monitor<Set<String?>>([])
    let settings = try store(
      Syscalls { _, _ in
        texts.withLock { _ = $0.insert(home.text()) }
        return nil
      })
    guard case .restored(let source, _, let broken, let replaced) = try settings.recoverNewest(),
      case .backup(let backup) = source.origin
    else {
      Issue.record("It was not restored.")
      return
    }
    #expect(texts.withLock { $0 }.isSubset(of: [Self.broken, Self.good]))
    #expect(home.text() == Self.good)
    #expect(backup.reason == "before-v2-was-v1" && home.text(of: replaced?.path) == Self.broken)
    #expect(broken == Array(Self.broken.utf8) && source.time == Date(timeIntervalSince1970: 1_577_836_800))
    #expect(try settings.recoverNewest() == .notNeeded)
  }

  @Test func `the backup that is restored is not pruned for the one that this makes`() throws {
    for number in 1...10 {
      let name = "settings.\(String(format: "%06d", number)).20200101T000000Z.unparsable.toml"
      try home.write(number == 1 ? Self.good : "worse =\n", to: home.backups + "/" + name)
    }
    try home.write(Self.broken)
    guard case .restored(let source, _, _, let replaced) = try store().recoverNewest(),
      case .backup(let backup) = source.origin
    else {
      Issue.record("It was not restored.")
      return
    }
    #expect(home.text() == Self.good)
    #expect(home.text(of: backup.path) == Self.good && home.text(of: replaced?.path) == Self.broken)
    // So it is with one that is named.
    let settings = try store()
    try settings.restore(backup)
    try settings.set(3, for: .counter)
    try settings.restore(backup)
    #expect(home.text() == Self.good && home.text(of: backup.path) == Self.good)
    #expect(try settings.backups().count == 11)
  }

  @Test func `without a backup that parses nothing is done`() throws {
    try home.write("worse =\n", to: home.backups + "/settings.000002.20200101T000000Z.unparsable.toml")
    try home.write(Self.broken)
    guard case .nothingFound(let search) = try store().recoverNewest() else {
      Issue.record("It was replaced.")
      return
    }
    #expect(search.source == nil && search.incomplete == nil)
    #expect(home.text() == Self.broken && kept == ["worse =\n"])
  }

  // MARK: Killed

  @Test(arguments: Syscalls.Call.allCases, Exploration.isFull ? ["recover", "recover-newest"] : ["recover-newest"])
  func `killed at any call: the text is in the file or in a backup, and the next attempt finishes`(
    call: Syscalls.Call, verb: String
  ) throws {
    for number in 1...60 {
      let home = ScratchHome()
      if verb != "recover" {
        try home.write(Self.good, to: home.backups + "/settings.000001.20200101T000000Z.before-v2-was-v1.toml")
      }
      try home.write(Self.broken)
      func probe(_ arguments: String...) throws -> ChildProcess.Result {
        try ChildProcess.run(
          ChildProcess.product("settings-probe"), [verb, home.file] + arguments, environment: home.environment)
      }
      let first = try probe(call.rawValue, "\(number)")
      let after = home.text()
      let at = "\(verb) \(call) \(number)"
      func keptTexts() -> [String?] {
        home.names(in: home.backups).filter { $0.hasSuffix(".toml") }.map { home.text(of: home.backups + "/" + $0) }
      }
      #expect(after == Self.broken || keptTexts().contains(Self.broken), "\(at)")
      if verb != "recover" { #expect(after == Self.broken || after == Self.good, "\(at)") }
      let second = try probe()
      #expect(second.status == 0, "\(at): \(second.error)")
      #expect(home.text() == (verb == "recover" ? nil : Self.good), "\(at)")
      // An app that starts now leaves nothing else.
      try home.store().set(1, for: .counter)
      #expect(home.names(in: home.path + "/config/org.example.test") == ["settings.toml"], "\(at)")
      #expect(keptTexts().filter { $0 == Self.broken }.count == 1, "\(at)")
      #expect(home.names(in: home.backups).allSatisfy { $0.hasSuffix(".toml") }, "\(at)")
      if !first.wasKilled { break }
    }
  }
}
