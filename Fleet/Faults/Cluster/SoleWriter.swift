import EtcdClient
import SettingsFleet
import Synchronization

/// Stores, replaces and removes a document in which nobody else writes, with good texts and with bad ones.
final class SoleWriter: Sendable {
  /// What the document is.
  enum Content: Hashable, Sendable {
    case absent
    case good(TextDigest)
    case bad(TextDigest)
    /// There is a version that the machines' app does not know, beside the one that it knows, if there is one.
    case newer(TextDigest?)
  }

  /// What to do next.
  enum Step: Sendable {
    case write(bytes: Int)
    case remove
    case bad(Fault.Kind)
  }

  private struct State {
    /// What the cluster acknowledged last, and what was sent since then without an answer.
    var acknowledged = Content.absent
    var maybe: [Content] = []
    /// What was sent while there was no document, without an answer. It is compared with that, so it may be carried out as
    /// soon as there is none again. (`settings-fleet` compares the note of a removal, too, which a late write then finds.)
    var late: [Content] = []
    var number = 0
    var serial: UInt64 = 0
    var wish: Step?
    var granted: (count: Int, revision: Int64) = (0, 0)
  }

  let document: FleetDocument
  private let client: EtcdClient
  private let figures: Figures
  private let key: SigningKey
  private let refused: RefusedTexts
  /// Protects what was written.
  private let state = Mutex(State())
  private static let newest = 9

  init(_ document: FleetDocument, client: EtcdClient, key: SigningKey, figures: Figures, refused: RefusedTexts) {
    (self.document, self.client, self.key, self.figures) = (document, client, key, figures)
    self.refused = refused
  }

  var acknowledged: Content { state.withLock { $0.acknowledged } }

  /// Notes what a restored backup has.
  func restore(_ content: Content) {
    state.withLock { state in
      state.acknowledged = content
      (state.maybe, state.late) = ([], [])
    }
  }

  /// Has the writer do something next.
  ///
  /// - Returns: What ``granted(after:)`` needs.
  func wish(_ step: Step) -> Int {
    state.withLock { state in
      state.wish = step
      return state.granted.count
    }
  }

  /// The revision at which the last wish was carried out; `nil` if that is not yet.
  func granted(after count: Int) -> Int64? {
    state.withLock { $0.granted.count > count ? $0.granted.revision : nil }
  }

  func forgetWish() { state.withLock { $0.wish = nil } }

  /// What the document is in the cluster.
  func content(_ items: [EtcdKeyValue]) -> Content {
    func item(_ version: Int) -> EtcdKeyValue? {
      items.first { $0.key.elementsEqual(document.key(version: version).utf8) }
    }
    let text = item(1).map { TextDigest(of: $0.value) }
    if item(Self.newest) != nil { return .newer(text) }
    guard let text else { return .absent }
    return refused.contains(text) ? .bad(text) : .good(text)
  }

  /// Checks what is in the cluster.
  func check(_ items: [EtcdKeyValue]) {
    let content = content(items)
    let (acknowledged, maybe) = state.withLock { state in
      (state.acknowledged, state.maybe + (state.acknowledged == .absent ? state.late : []))
    }
    guard content != acknowledged, !maybe.contains(content) else { return }
    figures.count(
      .lost, "\(document) is \(content) in the cluster, and \(acknowledged) was acknowledged, \(maybe) sent")
    restore(content)
  }

  /// Tries to carry out the wish, or stores something good.
  ///
  /// - Returns: Whether it was acknowledged.
  func write(using random: inout SplitMix) async -> Bool {
    let wish = state.withLock { $0.wish }
    let step: Step =
      wish
      ?? (Int.random(in: 0..<8, using: &random) == 0
        ? .remove
        : .write(bytes: Int.random(in: 0..<8, using: &random) == 0 ? 100_000 : Int.random(in: 0..<500, using: &random)))
    let items: [EtcdKeyValue]
    do throws(EtcdError) {
      items = try await figures.call("a range") { () async throws(EtcdError) in
        try await client.range(EtcdRange(.prefix(document.keyPrefix)))
      }.keyValues.filter { item in
        [1, Self.newest].contains { item.key.elementsEqual(document.key(version: $0).utf8) }
      }
    } catch {
      return false
    }
    check(items)
    let (operations, content) = plan(step, items)
    state.withLock { $0.maybe.append(content) }
    let compares = [1, Self.newest].map { version in
      let key = document.key(version: version)
      return EtcdCompare.modRevision(key, .equal, items.first { $0.key.elementsEqual(key.utf8) }?.modRevision ?? 0)
    }
    do throws(EtcdError) {
      let answer = try await figures.call("a transaction") { () async throws(EtcdError) in
        try await client.transaction(EtcdTransaction(if: compares, then: operations))
      }
      guard answer.succeeded else { return false }
      state.withLock { state in
        state.acknowledged = content
        // A change makes the comparisons of all that was sent before fail. Without one, what is still on its way may
        // be carried out yet.
        if items.isEmpty, content == .absent { _ = state.maybe.popLast() } else { state.maybe = [] }
        if wish != nil {
          state.wish = nil
          state.granted = (state.granted.count + 1, answer.header.revision)
        }
      }
      figures.note { $0.acknowledged += 1 }
      return true
    } catch {
      if error.mayHaveHappened {
        figures.note { $0.unknown += 1 }
        if items.isEmpty { state.withLock { $0.late.append(content) } }
      } else {
        state.withLock { _ = $0.maybe.popLast() }
      }
      return false
    }
  }

  /// What carries a step out, and what the document is then.
  private func plan(_ step: Step, _ items: [EtcdKeyValue]) -> ([EtcdOperation], Content) {
    let number = state.withLock { state in
      state.number += 1
      return state.number
    }
    let (key, newer) = (document.key(version: 1), document.key(version: Self.newest))
    let older = items.first { $0.key.elementsEqual(key.utf8) }.map { TextDigest(of: $0.value) }
    switch step {
    case .remove:
      // A machine that was away, and a history that was compacted meanwhile: only the note says that it was removed.
      let note = EtcdOperation.put(document.key(version: 1, .change), "{}")
      return ([.delete(.key(key)), .delete(.key(newer)), .delete(.key(signatureKey(1))), note], .absent)
    case .write(let bytes):
      let text = Texts.good(number, bytes: bytes)
      return ([.put(key, text), .delete(.key(newer)), signature(of: text)], .good(TextDigest(of: text)))
    case .bad(.unsigned):
      let text = Texts.bad(.unsigned, number)
      refused.insert(text)
      let signature: [EtcdOperation] =
        switch number % 3 {
        case 0: [.delete(.key(signatureKey(1)))]
        case 1: [self.signature(of: text, by: SigningKey())]
        // The one of the former text stays, if there is one.
        default: []
        }
      return ([.put(key, text), .delete(.key(newer))] + signature, .bad(TextDigest(of: text)))
    case .bad(let kind):
      let text = Texts.bad(kind, number)
      refused.insert(text)
      // Half of them as a newer version, the others as this one's, which the text denies.
      if kind == .tooNew, number.isMultiple(of: 2) {
        return ([.put(newer, text), signature(of: text, version: Self.newest)], .newer(older))
      }
      return ([.put(key, text), .delete(.key(newer)), signature(of: text)], .bad(TextDigest(of: text)))
    }
  }

  private func signatureKey(_ version: Int) -> String { document.key(version: version, .signature) }

  private func signature(of text: [UInt8], version: Int = 1, by other: SigningKey? = nil) -> EtcdOperation {
    let serial = state.withLock { state in
      state.serial =
        DocumentSignature.nextSerial(
          after: [state.serial], millisecondsSince1970: Texts.millisecondsSince1970) ?? 0
      return state.serial
    }
    let statement = Statement.document(document, version: version, text: TextDigest(of: text))
    return .put(signatureKey(version), (other ?? key).sign(statement, serial: serial).json)
  }
}
