package import SettingsTOML

/// One observer's place to wait: woken when something that it is interested in changed.
///
/// It holds no values. A wake-up means "look again"; what there is to see is read then.
package final class ChangeWaiter: Sendable {
  /// Why an observer was woken. Several reasons since its last wait are one wake-up.
  package struct Wake: Sendable {
    /// The newest change; `nil` if values were only set to what they were.
    package var batch: SettingsChangeBatch?
    /// All changes, oldest first, for an observer that wants each.
    package var batches: [SettingsChangeBatch] = []
    /// Whether a value was set that was there already.
    package var isEqualSet = false

    fileprivate mutating func keep(_ batch: SettingsChangeBatch) {
      guard batches.count >= ChangeWaiter.mostBatches, var last = batches.popLast() else {
        return batches.append(batch)
      }
      let known = Set(last.paths)
      last.paths += batch.paths.filter { !known.contains($0) }
      last.generation = batch.generation
      last.origin = batch.origin
      batches.append(last)
    }
  }

  private struct State: Sendable {
    var wake: Wake?
    var isCancelled = false
    /// Taken out to be resumed, by one who has the lock: so once.
    var continuation: UnsafeContinuation<Void, Never>?
  }

  /// An observer that is further behind gets the rest as one batch: what is kept for it has a bound.
  package static let mostBatches = 64

  /// The paths to be woken for: changes at, above or below one of them. The root is for everything.
  package let paths: [TOMLPath]
  /// Whether to be woken by a value that is set and was there already.
  package let seesEqualSets: Bool
  /// Whether each batch is kept, and not only the newest.
  private let keepsBatches: Bool
  /// For an observer that is no task: called at each signal, on the thread that made the change.
  private let callback: (@Sendable () -> Void)?
  // Protects the fields above; the continuation is resumed and the callback called after it is released.
  private let state = Lock(State())

  package init(
    paths: [TOMLPath], keepsBatches: Bool = false, seesEqualSets: Bool = false,
    callback: (@Sendable () -> Void)? = nil
  ) {
    self.callback = callback
    self.paths = paths
    self.keepsBatches = keepsBatches
    self.seesEqualSets = seesEqualSets
  }

  /// Wakes the observer for a change, or, without one, for a value that was set to what it was.
  package func signal(_ batch: SettingsChangeBatch?) {
    let continuation = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      guard !state.isCancelled else { return nil }
      var wake = state.wake ?? Wake()
      if let batch {
        wake.batch = batch
        if keepsBatches { wake.keep(batch) }
      } else {
        wake.isEqualSet = true
      }
      state.wake = wake
      defer { state.continuation = nil }
      return state.continuation
    }
    continuation?.resume()
    callback?()
  }

  /// Waits for the next signal, or takes those that have come since the last wait.
  ///
  /// - Returns: `nil` once the waiter or the task is cancelled.
  package func wait() async -> Wake? {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        let resumesNow = state.withLock { state in
          if state.wake != nil || state.isCancelled { return true }
          state.continuation = continuation
          return false
        }
        if resumesNow { continuation.resume() }
      }
      return state.withLock { state in
        defer { state.wake = nil }
        return state.isCancelled ? nil : state.wake
      }
    } onCancel: {
      cancel()
    }
  }

  /// Takes the signals that have come since the last time, for an observer that is no task.
  package func take() -> Wake? {
    state.withLock { state in
      defer { state.wake = nil }
      return state.wake
    }
  }

  package func cancel() {
    let continuation = state.withLock { state in
      state.isCancelled = true
      defer { state.continuation = nil }
      return state.continuation
    }
    continuation?.resume()
  }
}

/// All waiters of a store, found by path: the cost of a change grows with the observers of that path only.
package final class ChangeWaiters: Sendable {
  private struct Node: Sendable {
    var waiters: [ObjectIdentifier: ChangeWaiter] = [:]
    var children: [ExactKey: Node] = [:]

    func collectAll(into found: inout [ChangeWaiter]) {
      found += waiters.values
      for child in children.values { child.collectAll(into: &found) }
    }
  }

  private struct Tree: Sendable {
    var root = Node()
    /// How many waiters see equal sets.
    var seeingEqualSets = 0
  }

  // Protects the tree; waiters are signalled after it is released.
  private let tree = Lock(Tree())

  package init() {}

  package func add(_ waiter: ChangeWaiter) {
    tree.withLock { tree in
      for path in waiter.paths {
        Self.update(&tree.root, path.components[...]) { $0.waiters[ObjectIdentifier(waiter)] = waiter }
      }
      if waiter.seesEqualSets { tree.seeingEqualSets += 1 }
    }
  }

  package func remove(_ waiter: ChangeWaiter) {
    tree.withLock { tree in
      for path in waiter.paths {
        Self.update(&tree.root, path.components[...]) { $0.waiters[ObjectIdentifier(waiter)] = nil }
      }
      if waiter.seesEqualSets { tree.seeingEqualSets -= 1 }
    }
  }

  /// Wakes the observers of a change, each once.
  ///
  /// - Parameters:
  ///   - batch: The change; `nil` if nothing became different.
  ///   - sets: The paths that were set, be it to what they were: for those who want to know.
  package func signal(_ batch: SettingsChangeBatch?, sets: @autoclosure () -> [TOMLPath] = []) {
    let (changed, set) = tree.withLock { tree in
      var changed: [ChangeWaiter] = []
      var set: [ChangeWaiter] = []
      for path in batch?.paths ?? [] { Self.collect(tree.root, path.components[...], into: &changed) }
      if tree.seeingEqualSets > 0 {
        for path in sets() { Self.collect(tree.root, path.components[...], into: &set) }
      }
      return (changed, set)
    }
    // One that has several paths may have been found several times.
    var woken: Set<ObjectIdentifier> = []
    let isAlone = changed.count == 1 && set.isEmpty
    for waiter in changed where isAlone || woken.insert(ObjectIdentifier(waiter)).inserted { waiter.signal(batch) }
    for waiter in set where waiter.seesEqualSets && woken.insert(ObjectIdentifier(waiter)).inserted {
      waiter.signal(nil)
    }
  }

  private static func update(_ node: inout Node, _ components: ArraySlice<String>, _ body: (inout Node) -> Void) {
    guard let first = components.first else { return body(&node) }
    var child = node.children.removeValue(forKey: ExactKey(first)) ?? Node()
    update(&child, components.dropFirst(), body)
    if !child.waiters.isEmpty || !child.children.isEmpty { node.children[ExactKey(first)] = child }
  }

  private static func collect(_ node: Node, _ components: ArraySlice<String>, into found: inout [ChangeWaiter]) {
    guard let first = components.first else { return node.collectAll(into: &found) }
    found += node.waiters.values
    if let child = node.children[ExactKey(first)] { collect(child, components.dropFirst(), into: &found) }
  }
}
