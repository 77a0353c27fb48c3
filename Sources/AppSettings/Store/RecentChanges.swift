import SettingsTOML
import Synchronization

/// The paths of a store's newest changes, so that a reader who knows an older state need not check everything again.
///
/// It keeps the newest few hundred paths: enough to update a list of records that is read often; one that is read
/// rarely is made again.
struct RecentChanges: Sendable {
  /// Identifies a state of a store among all states of the process.
  struct Position: Sendable, Hashable {
    fileprivate var store: UInt64 = 0
    fileprivate var count: UInt64 = 0
  }

  /// The present state.
  private(set) var position: Position
  /// The paths of each change, the newest last.
  private var changes: [[TOMLPath]] = []
  private var pathCount = 0
  /// At twice this number of paths, the oldest are dropped at once, because each removal moves the rest.
  private static let keptPaths = 256
  private static let stores = Atomic<UInt64>(0)

  init() {
    position = Position(store: Self.stores.wrappingAdd(1, ordering: .relaxed).newValue)
  }

  /// Adds a change, on average in time proportional to its number of paths.
  mutating func append(_ paths: [TOMLPath]) {
    position.count += 1
    changes.append(paths)
    pathCount += paths.count
    if pathCount > 2 * Self.keptPaths { forgetOldest() }
  }

  private mutating func forgetOldest() {
    var old = 0
    while pathCount > Self.keptPaths {
      pathCount -= changes[old].count
      old += 1
    }
    changes.removeFirst(old)
  }

  /// The paths that have changed since a state; `nil` if it is too old or another store's.
  func since(_ old: Position) -> [TOMLPath]? {
    let count = position.count &- old.count
    guard old.store == position.store, count <= UInt64(changes.count) else { return nil }
    return changes.suffix(Int(count)).flatMap { $0 }
  }
}
