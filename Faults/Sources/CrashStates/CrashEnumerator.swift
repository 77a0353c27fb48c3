// What the suite uses is public, since it has no access to what is `package`; no product has it.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Enumerates the states that a disk may hold after a power failure, as ALICE does (Pillai et al., OSDI '14).
///
/// Both models assume:
/// - The power may fail after any call.
/// - What a completed `fsync` or `fdatasync` covered is on disk: the calls that ended before it began.
/// - Data is written in blocks of 4096 bytes, each of them whole or not at all.
/// - An `fsync` that failed wrote nothing, and a later one that succeeds writes what the failed one did not.
/// - The target of a symbolic link is on disk whenever its name is.
/// - Modes, owners, times and extended attributes are ignored.
///
/// Three kinds of moments suffice: just before a sync returns, at an acknowledgement, and after the last call. Between
/// them, each further call only adds states.
public struct CrashEnumerator: Sendable {
  /// What a file system promises.
  public enum Promise: String, Sendable, CaseIterable {
    /// The least that POSIX promises. Every directory entry is old or new independently of all others until its
    /// directory is synced: both entries of a rename, the entry of a file that was itself synced, the entry of a new
    /// directory in its parent. Every block of a file that was not synced is old, zero or new independently, and the
    /// file's size is any that it had on the way.
    case weak
    /// ext4 with its defaults: `data=ordered`, delayed allocation, `auto_da_alloc`. Changes of directories and
    /// truncations reach the disk in order, a rename in one step, and every `fsync` commits all earlier ones. New
    /// blocks of a file reach the disk in order, before or after its name; overwritten blocks do so independently. The
    /// data of a file that is renamed over another one is written before the rename.
    case ext4
  }

  public struct Result: Sendable {
    /// Each state with the number of acknowledgements given by the latest moment at which it is possible.
    public var states: [DiskTree: Int] = [:]
    /// Whether these are all.
    public var isExhaustive = true
  }

  static let blockSize = 4096

  let model: DiskModel
  let promise: Promise
  /// If a moment has more states than this, this many are drawn at random.
  let limit: Int

  public init(_ model: DiskModel, promise: Promise, limit: Int = 20_000) {
    self.model = model
    self.promise = promise
    self.limit = limit
  }

  /// - Parameter marks: The acknowledgements, ascending: after how many events each was given.
  public func states(marks: [Int], random: inout some RandomNumberGenerator) -> Result {
    var result = Result()
    var moments = Set(marks + [model.events.count])
    for (index, event) in model.events.enumerated() where event.change.isSync { moments.insert(index) }
    for moment in moments.sorted() {
      let passed = marks.count { $0 <= moment }
      let view = CrashMoment(model, after: moment, promise: promise, limit: limit)
      var oracle = ChoiceOracle()
      var count = 0
      repeat {
        oracle.rewind()
        insert(view.state(&oracle), passed)
        count += 1
      } while oracle.advance() && count < limit
      if !view.isExhaustive { result.isExhaustive = false }
      guard oracle.hasMore else { continue }
      result.isExhaustive = false
      for _ in 0..<limit {
        var drawn = ChoiceOracle(drawing: random.next())
        insert(view.state(&drawn), passed)
      }
    }
    return result

    func insert(_ tree: DiskTree, _ passed: Int) {
      result.states[tree] = max(result.states[tree] ?? 0, passed)
    }
  }
}

/// Answers each "which of these n?" that building a state asks: with every combination of answers in turn, one for each
/// state built, or at random.
struct ChoiceOracle {
  private var path: [(choice: Int, count: Int)] = []
  private var position = 0
  private var random: UInt64?
  private(set) var hasMore = true

  init() {}

  init(drawing seed: UInt64) { random = seed }

  mutating func choose(_ count: Int) -> Int {
    guard count > 1 else { return 0 }
    if random != nil {
      // SplitMix64
      random! &+= 0x9E37_79B9_7F4A_7C15
      var mixed = random!
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return Int((mixed ^ (mixed >> 31)) % UInt64(count))
    }
    if position == path.count { path.append((0, count)) }
    defer { position += 1 }
    return path[position].choice
  }

  mutating func rewind() { position = 0 }

  /// Goes on to the next combination of answers; `false` after the last.
  mutating func advance() -> Bool {
    while let last = path.popLast() {
      if last.choice + 1 < last.count {
        path.append((last.choice + 1, last.count))
        return true
      }
    }
    hasMore = false
    return false
  }
}

extension DiskModel.Change {
  var isSync: Bool {
    switch self {
    case .sync, .syncAll: true
    case .entry, .write, .resize: false
    }
  }
}
