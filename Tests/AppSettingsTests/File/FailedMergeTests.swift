import AppSettings
import Foundation
import TestSupport
import Testing

/// A disk that fails while a write merges what another program has saved: that text is never lost.
@Suite struct FailedMergeTests {
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
    let settings = SettingsStore(
      at: try home.location(), migrations: .none, logger: .silent, acceptsAnyVersion: false,
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
    let error = #expect(throws: SettingsError.self) { try settings.set(7, for: .counter) }
    if home.text() != Self.new {
      #expect(error?.message.contains("'\(directory)/.settings.toml.settings-aside'") == true, "\(error!)")
    }
    #expect(texts(in: directory).contains(Self.new))
    _ = try home.store().recover()
    #expect(home.text() == Self.new || texts(in: home.backups).contains(Self.new))
    #expect(home.names(in: directory) == ["settings.toml"])
    // The next write is as ever.
    try home.store().set(8, for: .counter)
    #expect(home.text()?.hasSuffix("counter = 8\n") == true)
  }

  @Test func `a disk that renames nothing any more keeps the foreign save, and the error says where`() throws {
    try home.write(Self.old)
    let (settings, arm) = try store(fault: .rename, from: { _, _ in true }, canExchange: true)
    #expect(settings[.counter] == 0)
    arm()
    let error = #expect(throws: SettingsError.self) { try settings.set(7, for: .counter) }
    #expect(home.text(of: directory + "/.settings.toml.settings-new") == Self.new)
    #expect(error?.message.contains("'\(directory)/.settings.toml.settings-new'. Copy it") == true, "\(error!)")
  }

  @Test(arguments: [Fault.fsync, .rename])
  func `a file system without exchanges keeps the foreign save, too`(fault: Fault) throws {
    try home.write(Self.old)
    let (settings, arm) = try store(fault: fault, from: { call, _ in call == .unlink }, canExchange: false)
    #expect(settings[.counter] == 0)
    arm()
    let error = #expect(throws: SettingsError.self) { try settings.set(7, for: .counter) }
    #expect(error?.message.contains("'settings-cli recover'") == true, "\(error!)")
    #expect(texts(in: directory).contains(Self.new))
    _ = try home.store().recover()
    #expect(texts(in: home.backups) == [Self.new])
    #expect(home.names(in: directory) == ["settings.toml"])
  }
}
