/// The engines open in this process, shared so that several stores on one file are one: a value set through one is
/// visible in all of them at once, and one thread writes.
///
/// Stores share an engine if they have the same files, migrations and overrides. Others share only the file.
enum SharedCores {
  struct Key: Hashable, Sendable {
    var location: SettingsLocation
    var migrations: [String]
    var acceptsAnyVersion: Bool
    var onlyReads: Bool
    var overrides: SettingsOverrides
    var project: SettingsProject?
    var history: SettingsHistory
  }

  // Protects the table; making a core reads no file.
  private static let table = Lock(WeakTable<Key, StoreCore>())

  static func core(for key: Key, make: () -> StoreCore) -> StoreCore {
    table.withLock { $0.value(for: key, make: make) }
  }
}

/// Objects by key, each as long as something else holds it.
struct WeakTable<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
  private struct Entry: Sendable { weak var value: Value? }

  private var entries: [Key: Entry] = [:]
  /// The number of entries at which those of released objects are removed.
  private var limit = 64

  /// The number of entries, including those of released objects.
  var count: Int { entries.count }

  /// The object of a key; a new one if there is none any more.
  ///
  /// Beyond the first 64, the table has at most twice as many entries as objects. A removal visits all entries and
  /// follows as many additions, so an addition costs the same whatever the number of objects.
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
