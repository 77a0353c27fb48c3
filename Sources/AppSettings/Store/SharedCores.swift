/// The engines open in this process, shared so that several stores on one file are one: a value set through one is
/// visible in all of them at once, and one thread writes.
///
/// Stores share an engine if they have the same files, migrations and overrides. Others share only the file.
enum SharedCores {
  /// Everything in which stores that cannot share an engine differ. Migrations are compared by version and name.
  struct Key: Hashable, Sendable {
    var location: SettingsLocation
    var migrations: [String]
    var acceptsAnyVersion: Bool
    var onlyReads: Bool
    var overrides: SettingsOverrides
    var project: SettingsProject?
    var history: SettingsHistory

    // Few stores have the same file and differ in anything else.
    func hash(into hasher: inout Hasher) { hasher.combine(location) }
  }

  // Protects the table; making a core reads no file.
  private static let table = Lock(WeakTable<Key, StoreCore>())

  /// The engine for a key; a new one if no store uses one.
  static func core(for key: Key, make: () -> StoreCore) -> StoreCore {
    // A new engine may report what is wrong with its overrides.
    DeferredCalls.section { table.withLock { $0.value(for: key, make: make) } }
  }
}

/// Objects by key, each as long as something else holds it.
struct WeakTable<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
  private struct Entry: Sendable {
    var key: Key
    weak var value: Value?
  }

  /// By the hashes of their keys: a table by the keys would hash and move them all whenever it grows.
  private var entries: [Int: [Entry]] = [:]
  /// The number of entries, including those of released objects.
  private(set) var count = 0
  /// The number of entries at which those of released objects are removed.
  private var limit = 64

  /// The object of a key; a new one if there is none any more.
  ///
  /// Beyond the first 64, the table has at most twice as many entries as objects. A removal visits all entries and
  /// follows as many additions, so an addition costs the same whatever the number of objects.
  mutating func value(for key: Key, make: () -> Value) -> Value {
    let hash = key.hashValue
    for entry in entries[hash] ?? [] where entry.key == key { if let value = entry.value { return value } }
    if count >= limit {
      entries = entries.compactMapValues { entries in
        let living = entries.filter { $0.value != nil }
        return living.isEmpty ? nil : living
      }
      count = entries.values.reduce(0) { $0 + $1.count }
      limit = max(64, 2 * count)
    }
    let value = make()
    if let index = entries[hash]?.firstIndex(where: { $0.value == nil }) {
      entries[hash]![index] = Entry(key: key, value: value)
    } else {
      entries[hash, default: []].append(Entry(key: key, value: value))
      count += 1
    }
    return value
  }
}
