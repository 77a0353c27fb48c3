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
    var onlyReads: Bool
    var overrides: SettingsOverrides
  }

  // Protects the table; making a core reads no file.
  private static let table = Lock(WeakTable<Key, StoreCore>())

  static func core(for key: Key, make: () -> StoreCore) -> StoreCore {
    table.withLock { $0.value(for: key, make: make) }
  }
}

/// Objects by key, each as long as somebody else holds it.
struct WeakTable<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
  private struct Entry: Sendable { weak var value: Value? }

  private var entries: [Key: Entry] = [:]
  /// With so many entries, those of objects that are gone are removed.
  private var limit = 64

  /// How many entries there are, those of objects that are gone included.
  var count: Int { entries.count }

  /// The object of a key; a new one if there is none any more.
  ///
  /// The table has at most twice as many entries as objects, but for the first 64. A removal goes through all entries,
  /// and comes after as many additions: each addition costs the same, whatever the number of objects.
  mutating func value(for key: Key, make: () -> Value) -> Value {
    if let value = entries[key]?.value { return value }
    if entries.count >= limit {
      for (key, entry) in entries where entry.value == nil { entries[key] = nil }
      limit = max(64, 2 * entries.count)
    }
    let value = make()
    entries[key] = Entry(value: value)
    return value
  }
}
