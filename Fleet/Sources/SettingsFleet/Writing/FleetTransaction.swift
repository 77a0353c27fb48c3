/// A transaction of etcd: if all comparisons hold, all changes are made at once.
public struct FleetTransaction: Hashable, Sendable {
  /// A comparison of a modification revision. A key that does not exist has the revision 0.
  public struct Compare: Hashable, Sendable {
    /// How revisions are compared.
    public enum Relation: Hashable, Sendable {
      /// The key has this revision.
      case equal
      /// The key, or every key of the range, has a lower revision. A range without keys passes.
      case less
    }

    /// The key, or the first one of a range.
    public var key: [UInt8]
    /// The first key after the range; `nil` for a single key.
    public var rangeEnd: [UInt8]?
    /// How revisions are compared.
    public var relation: Relation
    /// The revision.
    public var modRevision: Int64

  }

  /// A key that gets a value.
  public struct Put: Hashable, Sendable {
    /// The key.
    public var key: [UInt8]
    /// The value.
    public var value: [UInt8]
    /// The lease that it is under.
    public var lease: LeaseID?

  }

  /// What has to hold.
  public var compares: [Compare] = []
  /// What is written. No key is in it twice.
  public var puts: [Put] = []
  /// What is removed. No key is in it twice, or in ``puts``.
  public var deletes: [[UInt8]] = []

  /// The largest sum of keys and values, in bytes, that leaves etcd's limit of 1.5 MiB some room.
  public static let mostBytes = 1_400_000

  /// Does nothing, and holds always.
  public init() {}

  /// Whether it changes nothing.
  public var isEmpty: Bool { puts.isEmpty && deletes.isEmpty }

  /// The sum of its keys and values, in bytes.
  public var byteCount: Int {
    compares.reduce(0) { $0 + $1.key.count + ($1.rangeEnd?.count ?? 0) }
      + puts.reduce(0) { $0 + $1.key.count + $1.value.count } + deletes.reduce(0) { $0 + $1.count }
  }

  /// Puts several transactions, of different documents, into one.
  ///
  /// - Throws: ``WriterError/tooLarge(bytes:)`` if etcd would not take it.
  public static func joined(_ transactions: some Sequence<FleetTransaction>) throws(WriterError) -> FleetTransaction {
    var result = FleetTransaction()
    for transaction in transactions {
      for compare in transaction.compares where !result.compares.contains(compare) { result.compares.append(compare) }
      result.puts += transaction.puts
      result.deletes += transaction.deletes
    }
    guard result.byteCount <= mostBytes else { throw .tooLarge(bytes: result.byteCount) }
    return result
  }

  mutating func require(_ key: String, at revision: Int64) {
    compares.append(Compare(key: Array(key.utf8), rangeEnd: nil, relation: .equal, modRevision: revision))
  }

  mutating func requireUnchanged(prefix: String, since revision: Int64) {
    compares.append(
      Compare(
        key: Array(prefix.utf8), rangeEnd: FleetNames.end(ofPrefix: prefix), relation: .less, modRevision: revision + 1)
    )
  }

  mutating func put(_ key: String, _ value: [UInt8], lease: LeaseID? = nil) {
    puts.append(Put(key: Array(key.utf8), value: value, lease: lease))
  }

  mutating func delete(_ key: String) { deletes.append(Array(key.utf8)) }
}
