package import SettingsTOML
import Synchronization

/// One observer's place to wait: woken when something that it is interested in changed.
///
/// It holds no values. A wake-up means "look again"; what there is to see is read then.
package final class ChangeWaiter: Sendable {
  private struct State: Sendable {
    var isSignalled = false
    var isCancelled = false
    var batches: [SettingsChangeBatch] = []
    var continuation: CheckedContinuation<Void, Never>?
    var callback: (@Sendable () -> Void)?
  }

  /// The paths to be woken for: changes at, above or below one of them. The root is for everything.
  package let paths: [TOMLPath]
  /// Whether batches are kept until they are taken.
  private let keepsBatches: Bool
  // Protects the fields above; continuations and callbacks run after it is released.
  private let state = Mutex(State())

  package init(paths: [TOMLPath], keepsBatches: Bool = false) {
    self.paths = paths
    self.keepsBatches = keepsBatches
  }

  /// Called instead of resuming a waiting task; for observers without one. Runs on the thread that made the change.
  package func setCallback(_ callback: (@Sendable () -> Void)?) { state.withLock { $0.callback = callback } }

  package func signal(_ batch: SettingsChangeBatch) {
    let (continuation, callback) = state.withLock {
      state -> (CheckedContinuation<Void, Never>?, (@Sendable () -> Void)?) in
      guard !state.isCancelled else { return (nil, nil) }
      state.isSignalled = true
      if keepsBatches { state.batches.append(batch) }
      defer { state.continuation = nil }
      return (state.continuation, state.callback)
    }
    continuation?.resume()
    callback?()
  }

  /// Takes the batches that came in since the last call.
  package func takeBatches() -> [SettingsChangeBatch] {
    state.withLock { state in
      defer { state.batches = [] }
      return state.batches
    }
  }

  /// Waits for the next signal, or takes one that has come since the last wait.
  ///
  /// - Returns: `false` once the waiter or the task is cancelled.
  package func wait() async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let resumesNow = state.withLock { state in
          if state.isSignalled || state.isCancelled { return true }
          state.continuation = continuation
          return false
        }
        if resumesNow { continuation.resume() }
      }
      return state.withLock { state in
        state.isSignalled = false
        return !state.isCancelled
      }
    } onCancel: {
      cancel()
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
    var children: [String: Node] = [:]

    func collectAll(into found: inout [ObjectIdentifier: ChangeWaiter]) {
      found.merge(waiters) { first, _ in first }
      for child in children.values { child.collectAll(into: &found) }
    }
  }

  // Protects the tree; waiters are signalled after it is released.
  private let root = Mutex(Node())

  package init() {}

  package func add(_ waiter: ChangeWaiter) {
    root.withLock { root in
      for path in waiter.paths {
        Self.update(&root, path.components[...]) { $0.waiters[ObjectIdentifier(waiter)] = waiter }
      }
    }
  }

  package func remove(_ waiter: ChangeWaiter) {
    root.withLock { root in
      for path in waiter.paths {
        Self.update(&root, path.components[...]) { $0.waiters[ObjectIdentifier(waiter)] = nil }
      }
    }
  }

  package func signal(_ batch: SettingsChangeBatch) {
    var found: [ObjectIdentifier: ChangeWaiter] = [:]
    root.withLock { root in
      for path in batch.paths { Self.collect(root, path.components[...], into: &found) }
    }
    for waiter in found.values { waiter.signal(batch) }
  }

  private static func update(_ node: inout Node, _ components: ArraySlice<String>, _ body: (inout Node) -> Void) {
    guard let first = components.first else { return body(&node) }
    var child = node.children.removeValue(forKey: first) ?? Node()
    update(&child, components.dropFirst(), body)
    if !child.waiters.isEmpty || !child.children.isEmpty { node.children[first] = child }
  }

  private static func collect(
    _ node: Node, _ components: ArraySlice<String>, into found: inout [ObjectIdentifier: ChangeWaiter]
  ) {
    guard let first = components.first else { return node.collectAll(into: &found) }
    found.merge(node.waiters) { first, _ in first }
    if let child = node.children[first] { collect(child, components.dropFirst(), into: &found) }
  }
}
