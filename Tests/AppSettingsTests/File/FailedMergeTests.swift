import AppSettings
import Foundation
import Testing
import TestSupport

/// A disk that fails while a write merges what another program has saved: that text is never lost.
struct FailedMergeTests {
  let home = ScratchHome()
  private static let old = "# mine\na = 1\n"
  private static let new = "# mine, edited by somebody else\na = 10\n"
  private var directory: String { home.path + "/config/org.example.test" }

  /// What the disk refuses from when a foreign save has been found.
  enum Fault: String, CaseIterable, Sendable {
    case write, open, fsync, rename, everything

    func refuses(_ call: Syscalls.Call, _ path: String) -> Bool {
      switch self {
      case .write: call == .write
      case .open: call == .open
      case .fsync: call == .fsync || call == .fsyncDirectory
      case .rename: call == .rename
      case .everything: [.write, .open, .fsync, .fsyncDirectory, .rename, .unlink, .xattr].contains(call)
      }
    }
  }

  private struct Saving: Sendable {
    var descriptor: Int32 = -1
    var hasSaved = false
    var isArmed = false
    var renames = 0
  }

  /// A store whose next write meets a save into the file that it replaces, and then a disk that fails.
  private func store(
    fault: Fault, from begin: @escaping @Sendable (Syscalls.Call, String) -> Bool, canExchange: Bool
  ) throws -> (settings: SettingsStore, arm: () -> Void) {
    let file = home.file
    let saving = Monitor(Saving())
    let settings = try home.store(
      system: Syscalls { (call, path) throws(Errno) -> Int? in
        let failure = saving.withLock { saving -> Int32? in
          guard saving.isArmed else { return nil }
          if saving.hasSaved, fault.refuses(call, path) { return EIO }
          if call == .rename, !path.hasSuffix("settings-aside") {
            saving.renames += 1
            if saving.descriptor < 0 { saving.descriptor = open(file, O_WRONLY | O_CLOEXEC) }
            // The first of two is the exchange.
            if !canExchange, saving.renames % 2 == 1 { return EINVAL }
          }
          if call == .lease, saving.descriptor >= 0 {
            ftruncate(saving.descriptor, 0)
            _ = Array(Self.new.utf8).withUnsafeBytes { write(saving.descriptor, $0.baseAddress, $0.count) }
            close(saving.descriptor)
            saving.descriptor = .max
          }
          if saving.descriptor == .max, begin(call, path) { saving.hasSaved = true }
          return nil
        }
        if let failure { throw Errno(failure) }
        return nil
      })
    return (settings, { saving.withLock { $0.isArmed = true } })
  }

  private func texts(in directory: String) -> [String] {
    home.names(in: directory).compactMap { home.text(of: directory + "/" + $0) }
  }

  @Test(arguments: Fault.allCases)
  func `a disk that fails in the second round keeps the foreign save where a recovery finds it`(fault: Fault) throws {
    try home.write(Self.old)
    let (settings, arm) = try store(
      fault: fault, from: { call, path in call == .rename && path.hasSuffix("settings-aside") }, canExchange: true)
    #expect(settings[.counter] == 0)
    arm()
    let result = Result { try settings.set(7, for: .counter) }
    let messages = settings.currentProblems.map(\.message) + ["\(result)"]
    #expect(home.text()?.hasSuffix("counter = 7\n") == true)
    if case .failure = result { #expect(messages.last?.contains("may not survive a power failure") == true) }
    let isMerged = home.text() == Self.new + "counter = 7\n"
    #expect(isMerged || texts(in: directory).contains(Self.new) || texts(in: home.backups).contains(Self.new))
    #expect(isMerged || messages.contains { $0.contains(".settings-aside'") || $0.contains(".overtaken.toml'") })
    _ = try home.store().recover()
    #expect(isMerged || texts(in: home.backups).contains(Self.new))
    // The next write is as ever.
    try home.store().set(8, for: .counter)
    #expect(home.text()?.hasSuffix("counter = 8\n") == true)
    #expect(home.names(in: directory) == ["settings.toml"])
  }

  /// A store whose next write replaces a file that somebody is writing to, and then meets what is given.
  private func store(
    after save: @escaping @Sendable (_ call: Syscalls.Call, _ path: String) -> Int32?
  ) throws -> (settings: SettingsStore, arm: () -> Void) {
    let file = home.file
    let saving = Monitor(Saving())
    let settings = try home.store(
      system: Syscalls { (call, path) throws(Errno) -> Int? in
        let failure = saving.withLock { saving -> Int32? in
          guard saving.isArmed else { return nil }
          if saving.hasSaved { return save(call, path) }
          guard call == .rename else { return nil }
          // Into the file that is about to be replaced.
          let descriptor = open(file, O_WRONLY | O_TRUNC | O_CLOEXEC)
          saving.descriptor = descriptor
          saving.hasSaved = true
          return nil
        }
        if call == .fsyncDirectory || call == .lease {
          saving.withLock { saving in
            guard saving.descriptor >= 0 else { return }
            _ = Array(Self.new.utf8).withUnsafeBytes { write(saving.descriptor, $0.baseAddress, $0.count) }
            close(saving.descriptor)
            saving.descriptor = -1
          }
        }
        if let failure { throw Errno(failure) }
        return nil
      })
    return (settings, { saving.withLock { $0.isArmed = true } })
  }

  @Test func `a directory that cannot be synced keeps what was saved into the replaced file`() throws {
    try home.write(Self.old)
    let (settings, arm) = try store { call, _ in call == .fsyncDirectory ? EIO : nil }
    #expect(settings[.counter] == 0)
    arm()
    let error = #expect(throws: SettingsError.self) { try settings.set(7, for: .counter) }
    #expect(error?.message.contains("may not survive a power failure") == true, "\(error!)")
    let aside = directory + "/.settings.toml.settings-aside"
    #expect(error?.message.contains("that text is '\(aside)'") == true, "\(error!)")
    #expect(home.text() == Self.old + "counter = 7\n" && home.text(of: aside) == Self.new)
    let next = try home.store()
    try next.set(8, for: .counter)
    #expect(home.text() == Self.old + "counter = 8\n")
    #expect(texts(in: home.backups) == [Self.new] && home.names(in: directory) == ["settings.toml"])
    #expect(next.currentProblems.contains { $0.message.contains(".overtaken.toml': '\(home.file)' had this text") })
  }

  @Test func `a save into the new file while a merge fails stays`() throws {
    try home.write(Self.old)
    let (file, third) = (home.file, "# a third one\n")
    let writes = Lock(0)
    let (settings, arm) = try store { call, path in
      guard call == .write, !path.contains(".history/") else { return nil }
      writes.withLock { writes in
        writes += 1
        // The disk is full for us, and was not for somebody else.
        if writes == 1 { try? Data(third.utf8).write(to: URL(fileURLWithPath: file)) }
      }
      return ENOSPC
    }
    #expect(settings[.counter] == 0)
    arm()
    #expect(try settings.set(7, for: .counter))
    #expect(home.text() == third)
    #expect(texts(in: directory).contains(Self.new) || texts(in: home.backups).contains(Self.new))
  }

  @Test func `edits that are made of the values are made again of what another program saves`() throws {
    try home.write("counter = 1\n")
    let settings = try home.store()
    var runs = 0
    try settings.core.commit { view in
      runs += 1
      guard case .integer(let number)? = view[["counter"]] else { return [] }
      if runs == 1 {
        try Data("counter = 10\nother = 2\n".utf8).write(to: URL(fileURLWithPath: home.file), options: .atomic)
      }
      return [Edit(path: ["counter"], value: .integer(number + 1))]
    }
    #expect(runs == 2)
    #expect(home.text() == "counter = 11\nother = 2\n")
  }

  @Test func `a disk that renames nothing any more keeps the foreign save, and the problem says where`() throws {
    try home.write(Self.old)
    let (settings, arm) = try store(fault: .rename, from: { _, _ in true }, canExchange: true)
    #expect(settings[.counter] == 0)
    arm()
    #expect(try settings.set(7, for: .counter))
    #expect(home.text() == Self.old + "counter = 7\n")
    let aside = directory + "/.settings.toml.settings-aside"
    #expect(home.text(of: aside) == Self.new)
    #expect(
      settings.currentProblems.contains { $0.message.hasPrefix("Kept '\(aside)'") }, "\(settings.currentProblems)")
    let recovering = try home.store()
    #expect(try recovering.recover() == nil)
    #expect(texts(in: home.backups) == [Self.new] && home.names(in: directory) == ["settings.toml"])
    #expect(recovering.currentProblems.contains { $0.message.contains(".overtaken.toml'") })
  }

  @Test(arguments: [Fault.fsync, .rename])
  func `a file system without exchanges keeps the foreign save, too`(fault: Fault) throws {
    try home.write(Self.old)
    let (settings, arm) = try store(
      fault: fault, from: { call, path in call == .open && path.hasSuffix("settings-new") }, canExchange: false)
    #expect(settings[.counter] == 0)
    arm()
    #expect(try settings.set(7, for: .counter))
    #expect(texts(in: directory).contains(Self.new) || texts(in: home.backups).contains(Self.new))
    #expect(settings.currentProblems.contains { $0.message.hasPrefix("Kept '") })
    _ = try home.store().recover()
    #expect(texts(in: home.backups) == [Self.new])
    #expect(home.names(in: directory) == ["settings.toml"])
  }
}
