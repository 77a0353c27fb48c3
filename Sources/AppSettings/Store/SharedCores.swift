/// The stores' engines that are open in this process, so that several stores on one file are one: a value set through
/// one is there for all of them at once, and one thread writes.
///
/// Stores share an engine if they agree on where their files are, on the history of the representation, and on
/// overrides. Those that do not agree meet at the file, as two processes do.
enum SharedCores {
  struct Key: Hashable, Sendable {
    var location: SettingsLocation
    var migrations: [String]
    var acceptsAnyVersion: Bool
    var overrides: SettingsOverrides
  }

  private struct Entry: Sendable { weak var core: StoreCore? }

  // Protects the table; making a core reads no file.
  private static let entries = Lock<[Key: Entry]>([:])

  static func core(for key: Key, make: () -> StoreCore) -> StoreCore {
    entries.withLock { entries in
      if let core = entries[key]?.core { return core }
      // Stores come and go in tests: what is over is swept out as new ones come.
      if entries.count >= 64 { entries = entries.filter { $0.value.core != nil } }
      let core = make()
      entries[key] = Entry(core: core)
      return core
    }
  }
}
