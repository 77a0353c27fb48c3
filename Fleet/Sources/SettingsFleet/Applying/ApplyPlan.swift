/// What makes the documents of a fleet those of a directory.
///
/// A document that was changed by hand is not replaced: it is a conflict until an operator decides whose text to take. Only
/// what an earlier plan of the same directory has stored is removed.
///
/// ```swift
/// let plan = ApplyPlan(of: tree, in: snapshot, options)
/// guard plan.conflicts.isEmpty, plan.refusals.isEmpty else { … }
/// for steps in plan.batches(mostOperations: 128) { … }
/// ```
public struct ApplyPlan: Sendable {
  /// Whose text to take for a document that was changed by hand.
  public enum Take: String, Sendable, CaseIterable {
    /// The directory's.
    case ours
    /// The fleet's. The document is left as it is.
    case theirs
  }

  /// How to make a plan.
  public struct Options: Sendable {
    /// The name of the directory.
    public var source: String
    /// Whether documents that came from the directory, and are not in it any more, are removed.
    public var prunes = false
    /// Whose text is taken; `nil` for a conflict.
    public var take: Take?
    /// The key to sign with.
    public var signing: DocumentWriter.Signing?
    /// The keys whose signatures, and whose marks of signed documents, are valid.
    public var trust = Trust([])
    /// The version that each app reads here; without an entry, any.
    public var appVersions: [String: Int] = [:]

    /// Options for a directory.
    public init(source: String) { self.source = source }
  }

  /// What happens to a document.
  public enum Action: String, Sendable, Codable, CaseIterable {
    /// It is new.
    case create
    /// Its text changes.
    case change
    /// Its text stays and is signed.
    case sign
    /// Its text stays. From now on the directory owns it.
    case adopt
    /// It is removed.
    case remove
  }

  /// A text that changes.
  public struct TextChange: Hashable, Sendable {
    /// The version.
    public var version: Int
    /// The text before; `nil` for a new version.
    public var before: [UInt8]?
    /// The text after; `nil` for a version that is removed.
    public var after: [UInt8]?
  }

  /// A document that is written.
  public struct Step: Sendable {
    /// The document.
    public var document: FleetDocument
    /// What happens to it.
    public var action: Action
    /// The texts that change, from the newest version to the oldest.
    public var texts: [TextChange]
    /// Its newest version, beside which the change is noted.
    public var version: Int
    /// What writes it, if nothing of the document has changed since the snapshot.
    public var transaction: FleetTransaction
  }

  /// What is written, by document.
  public private(set) var steps: [Step] = []
  /// What was changed by hand, by document: an operator has to decide before it is written.
  package private(set) var conflicts: [(document: FleetDocument, conflict: DocumentWriter.Provenance)] = []
  /// What cannot be written, by document.
  public private(set) var refusals: [(document: FleetDocument, error: WriterError)] = []
  /// What was changed by hand and stays so, because the options take the fleet's text.
  public private(set) var left: [FleetDocument] = []
  /// How many documents of the directory are as they should be.
  public private(set) var unchanged = 0

  /// Compares a directory with what the cluster has.
  ///
  /// - Parameters:
  ///   - tree: The directory's texts, by version.
  ///   - snapshot: The documents of its apps at least; to remove documents of others, all.
  ///   - options: How.
  public init(of tree: [FleetDocument: [Int: [UInt8]]], in snapshot: FleetSnapshot, _ options: Options) {
    // A writer looks through what it is given, once for each document.
    var own: [FleetDocument: [FleetItem]] = [:]
    var rollouts: [String: FleetItem] = [:]
    for item in snapshot.items {
      switch FleetKey(item.key) {
      case .rollout(let app)?: rollouts[app] = item
      case let key: if let document = key?.document { own[document, default: []].append(item) }
      }
    }
    for document in Set(own.keys).union(tree.keys).sorted() where document.app != FleetNames.ownApp {
      let items = (own[document] ?? []) + [rollouts[document.app]].compactMap(\.self)
      let part = FleetSnapshot(
        cluster: snapshot.cluster, revision: snapshot.revision, app: document.app, items: items)
      let writer = DocumentWriter(document, in: part, appVersion: options.appVersions[document.app])
      do throws(WriterError) {
        try add(writer, texts: tree[document] ?? [:], options)
      } catch {
        refusals.append((document, error))
      }
    }
  }

  /// Whether nothing is to be done.
  public var isEmpty: Bool { steps.isEmpty }

  private mutating func add(
    _ writer: DocumentWriter, texts: [Int: [UInt8]], _ options: Options
  ) throws(WriterError) {
    let isRemoved = texts.isEmpty
    let changed = texts.filter { version, text in writer.versions[version]?.text != text }.keys
    let provenance = writer.provenance(from: options.source, changing: changed, options.trust)
    if isRemoved {
      // What did not come from the directory is not removed with it.
      guard options.prunes, provenance == .applied || provenance == .edited, !writer.isEmptied else { return }
    }
    // A newer version than the directory has is a change, too.
    let isSame = changed.isEmpty && texts.keys.max() ?? 0 >= writer.versions.keys.max() ?? 0
    if !isSame, provenance != .absent, provenance != .applied {
      switch options.take {
      case .ours?: break
      case .theirs?: return left.append(writer.document)
      case nil: return conflicts.append((writer.document, provenance))
      }
    }
    if isSame, case .other = provenance { return unchanged += 1 }
    let transaction =
      isRemoved
      ? try writer.prune(from: options.source, signing: options.signing)
      : try writer.apply(texts, from: options.source, signing: options.signing)
    guard !transaction.isEmpty else { return unchanged += 1 }
    let signs = transaction.puts.contains {
      if case .part(.signature, _, _)? = FleetKey($0.key) { true } else { false }
    }
    let action: Action =
      isRemoved ? .remove : isSame ? (signs ? .sign : .adopt) : writer.versions.isEmpty ? .create : .change
    let versions = isRemoved ? Array(writer.versions.keys) : Array(texts.keys)
    let changes = versions.sorted(by: >).compactMap { version -> TextChange? in
      let before = writer.versions[version]?.text
      return before == texts[version] ? nil : TextChange(version: version, before: before, after: texts[version])
    }
    steps.append(
      Step(
        document: writer.document, action: action, texts: changes,
        version: max(versions.max() ?? 1, writer.versions.keys.max() ?? 1), transaction: transaction))
  }

  /// The steps as they fit into etcd's transactions, those of an app together where that is possible.
  ///
  /// - Parameter mostOperations: How many comparisons, and how many changes, a transaction can have.
  public func batches(mostOperations: Int) -> [[Step]] {
    func fit(_ steps: [Step]) -> Bool {
      let transactions = steps.map(\.transaction)
      // With the note of who changed each.
      let changes = transactions.reduce(0) { $0 + $1.puts.count + $1.deletes.count + 1 }
      let compares = transactions.reduce(0) { $0 + $1.compares.count }
      let bytes = transactions.reduce(0) { $0 + $1.byteCount + 1000 }
      return max(compares, changes) <= mostOperations && bytes <= FleetTransaction.mostBytes
    }
    var batches: [[Step]] = []
    func add(_ steps: [Step]) {
      if let last = batches.last, fit(last + steps) {
        batches[batches.count - 1] += steps
      } else {
        batches.append(steps)
      }
    }
    for app in Dictionary(grouping: steps, by: \.document.app).sorted(by: { $0.key < $1.key }).map(\.value) {
      if fit(app) { add(app) } else { for step in app { add([step]) } }
    }
    return batches
  }

}
