package import SettingsTOML

/// One observer's place to wait: it is woken when something that it observes has changed.
///
/// It holds no values. A wake-up means "read again".
///
/// ```swift
/// let waiter = ChangeWaiter(paths: [["theme"]])
/// core.waiters.add(waiter)
/// while await waiter.wait(), let wake = waiter.take() { … }
/// ```
///
/// Only one task at a time may wait on it. ``ChangeWaiters`` retain it until it is removed from them.
package final class ChangeWaiter: Sendable {
  /// Why an observer was woken. Several reasons since its last wait are one wake-up.
  package struct Wake: Sendable {
    /// The newest change; `nil` if values were only set to what they were.
    package var batch: SettingsChangeBatch?
    /// All changes, oldest first, for an observer that wants each.
    package var batches: [SettingsChangeBatch] = []
    /// Whether a value was set that was already there.
    package var isEqualSet = false
    /// For an observer that distinguishes changes without propagation: the paths with other changes that no change
    /// without propagation has followed.
    fileprivate var loud: Set<TOMLPath> = []
    fileprivate var isLoudSet = false

    /// Whether there is more than changes without propagation.
    package var isLoud: Bool { isLoudSet || !loud.isEmpty }

    /// Appends a batch, or joins it to the last one if there are too many.
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
    /// Whoever holds the lock takes it out to resume it, so it is resumed once.
    var continuation: UnsafeContinuation<Void, Never>?
  }

  /// An observer that is further behind gets the rest as one batch: what is kept for it is limited.
  package static let mostBatches = 64

  /// The observed paths: the observer is woken by changes at, above or below one of them. The root observes everything.
  package let paths: [TOMLPath]
  /// Whether to wake it if a value is set that was already there.
  package let seesEqualSets: Bool
  /// Whether to wake it if the keys of the table at a path change their order, but not their values.
  fileprivate let seesOrder: Bool
  /// Whether to distinguish changes without propagation.
  fileprivate let tellsQuiet: Bool
  /// Whether to keep each batch, and not only the newest.
  private let keepsBatches: Bool
  /// For an observer outside a task: called after each record, on the thread that made the change.
  private let callback: (@Sendable () -> Void)?
  // Protects the fields above. Innermost: resuming and calling back happen after all locks are released.
  private let state = Lock(State())

  /// - Parameters:
  ///   - paths: What is observed: changes at, above and below each of them.
  ///   - keepsBatches: Whether to keep each batch, and not only the newest.
  ///   - seesEqualSets: Whether to wake if a value is set to what it was.
  ///   - seesOrder: Whether to wake if the keys of a table at one of the paths change their order.
  ///   - tellsQuiet: Whether to distinguish changes without propagation.
  ///   - callback: Called after each record, when the thread that made the change holds no locks.
  package init(
    paths: [TOMLPath], keepsBatches: Bool = false, seesEqualSets: Bool = false, seesOrder: Bool = false,
    tellsQuiet: Bool = false, callback: (@Sendable () -> Void)? = nil
  ) {
    self.seesOrder = seesOrder
    self.callback = callback
    self.tellsQuiet = tellsQuiet
    self.paths = paths
    self.keepsBatches = keepsBatches
    self.seesEqualSets = seesEqualSets
  }

  /// A change of values that an observer observes.
  fileprivate struct Record {
    /// The change; `nil` if values were only set to what they were.
    var batch: SettingsChangeBatch?
    /// The paths of the change that concern the observer.
    var paths: [TOMLPath] = []
    /// The paths that were set without propagation.
    var quiet: [TOMLPath] = []
    /// Whether an equal set was without propagation.
    var isQuiet = false
    /// Whether the calling thread calls back: not if only paths have changed whose setters do so themselves.
    var callsBack = false
  }

  /// Records a change. Waiters are woken later, when no lock is held.
  fileprivate func record(_ new: Record, _ wakeUps: inout WakeUps) {
    let isCancelled = state.withLock { state -> Bool in
      guard !state.isCancelled else { return true }
      if state.wake == nil { state.wake = Wake() }
      if let batch = new.batch {
        state.wake?.batch = batch
        if keepsBatches { state.wake?.keep(batch) }
      } else {
        state.wake?.isEqualSet = true
        if !new.isQuiet { state.wake?.isLoudSet = true }
      }
      if tellsQuiet {
        state.wake?.loud.formUnion(new.paths)
        for quiet in new.quiet { state.wake?.loud.remove(below: quiet) }
      }
      if let continuation = state.continuation { wakeUps.continuations.append(continuation) }
      state.continuation = nil
      return false
    }
    if !isCancelled, new.callsBack, let callback { wakeUps.callbacks.append(callback) }
  }

  /// Whether ``cancel()`` was called.
  package var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Adds the callback, unless the waiter is cancelled.
  fileprivate func collectCallback(_ wakeUps: inout WakeUps) {
    if let callback, !isCancelled { wakeUps.callbacks.append(callback) }
  }

  /// Records a new problem, for an observer of problems.
  func recordProblem(_ wakeUps: inout WakeUps) {
    let batch = SettingsChangeBatch(generation: 0, paths: [], origin: .outside)
    record(Record(batch: batch, callsBack: true), &wakeUps)
  }

  /// Waits for the next record; returns at once if there is one since the last ``take()``.
  ///
  /// - Returns: `true` for a record; `false` once the waiter or the task is cancelled.
  package func wait() async -> Bool {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        let resumesNow = state.withLock { state in
          if state.wake != nil || state.isCancelled { return true }
          state.continuation = continuation
          return false
        }
        if resumesNow { continuation.resume() }
      }
      return !isCancelled
    } onCancel: {
      cancel()
    }
  }

  /// Takes the records since the last call; `nil` if there are none.
  ///
  /// Records are made with the change. So records taken in ``StoreCore/moment(_:)`` match the state there exactly.
  package func take() -> Wake? {
    state.withLock { state in
      defer { state.wake = nil }
      return state.wake
    }
  }

  /// Makes the present and every later ``wait()`` return `false`. Any thread may call it, any number of times.
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
///
/// The paths form a tree. A change at `editor.font-size` finds the observers of the root, of `editor`, of the path, and
/// of everything below it.
package final class ChangeWaiters: Sendable {
  /// The observers of a path, and the paths below it.
  private struct Node: Sendable {
    var waiters: [ObjectIdentifier: ChangeWaiter] = [:]
    var children: [ExactKey: Node] = [:]

    func collectAll(into found: inout [ChangeWaiter]) {
      for waiter in waiters.values { found.append(waiter) }
      for child in children.values { child.collectAll(into: &found) }
    }
  }

  private struct Tree: Sendable {
    var root = Node()
    /// The number of waiters that observe equal sets.
    var seeingEqualSets = 0
    /// The paths of waiters that observe the order of keys, with the number of waiters for each.
    var ordered: [TOMLPath: Int] = [:]
  }

  // Protects the tree. Taken under the state's lock, before those of the waiters.
  private let tree = Lock(Tree())

  /// Up to so many are found without a table of them.
  private static let fewWaiters = 8

  package init() {}

  /// Begins to record changes with an observer, until ``remove(_:)``.
  package func add(_ waiter: ChangeWaiter) {
    tree.withLock { tree in
      for path in waiter.paths {
        Self.update(&tree.root, path.components[...]) { $0.waiters[ObjectIdentifier(waiter)] = waiter }
      }
      if waiter.seesEqualSets { tree.seeingEqualSets += 1 }
      if waiter.seesOrder { for path in waiter.paths { tree.ordered[path, default: 0] += 1 } }
    }
  }

  /// Ends recording with an observer, which must have been added.
  package func remove(_ waiter: ChangeWaiter) {
    tree.withLock { tree in
      for path in waiter.paths {
        Self.update(&tree.root, path.components[...]) { $0.waiters[ObjectIdentifier(waiter)] = nil }
      }
      if waiter.seesEqualSets { tree.seeingEqualSets -= 1 }
      guard waiter.seesOrder else { return }
      for path in waiter.paths {
        let count = tree.ordered[path, default: 1] - 1
        tree.ordered[path] = count > 0 ? count : nil
      }
    }
  }

  /// The paths of the tables whose order of keys is observed.
  var orderedPaths: [TOMLPath] { tree.withLock { Array($0.ordered.keys) } }

  /// Records a new order of keys in some tables with their observers.
  func record(_ batch: SettingsChangeBatch, reordered paths: [TOMLPath], _ wakeUps: inout WakeUps) {
    tree.withLock { tree in
      for path in paths {
        var found: [ChangeWaiter] = []
        Self.collect(tree.root, path.components[...], into: &found)
        for waiter in found where waiter.seesOrder && waiter.paths.contains(path) {
          waiter.record(ChangeWaiter.Record(batch: batch, callsBack: true), &wakeUps)
        }
      }
    }
  }

  /// Records a change with the observers of its paths, once for each observer.
  ///
  /// - Parameters:
  ///   - batch: The change; `nil` if no value changed.
  ///   - sets: The paths that the calling thread has set, including those set to what they were.
  ///   - quiet: Those of them that it has set without propagation. Other changes in the batch were not.
  ///   - awaited: The paths that calls have set which call back themselves, with ``callBack(at:)``.
  ///   - wakeUps: Collects the waiters to wake.
  func record(
    _ batch: SettingsChangeBatch?, sets: [TOMLPath], quiet: [TOMLPath], awaited: AwaitedPaths, _ wakeUps: inout WakeUps
  ) {
    let quiet = awaited.quiet.isEmpty ? quiet : quiet + awaited.quiet
    tree.withLock { tree in
      var records: [(waiter: ChangeWaiter, record: ChangeWaiter.Record)] = []
      // Made when there are many: a usual change has one observer.
      var places: [ObjectIdentifier: Int] = [:]
      var found: [ChangeWaiter] = []
      func place(of waiter: ChangeWaiter, _ record: @autoclosure () -> ChangeWaiter.Record) -> Int {
        if records.count < Self.fewWaiters {
          if let place = records.firstIndex(where: { $0.waiter === waiter }) { return place }
        } else {
          if places.isEmpty {
            for (place, known) in records.enumerated() { places[ObjectIdentifier(known.waiter)] = place }
          }
          if let place = places[ObjectIdentifier(waiter)] { return place }
          places[ObjectIdentifier(waiter)] = records.count
        }
        records.append((waiter, record()))
        return records.count - 1
      }
      for path in batch?.paths ?? [] {
        found.removeAll(keepingCapacity: true)
        Self.collect(tree.root, path.components[...], into: &found)
        let isQuietPath = quiet.contains { $0.isRelated(to: path) }
        let isAwaited = awaited.all.contains { $0.isRelated(to: path) }
        for waiter in found {
          let place = place(of: waiter, ChangeWaiter.Record(batch: batch))
          if !isAwaited { records[place].record.callsBack = true }
          guard waiter.tellsQuiet else { continue }
          if isQuietPath {
            records[place].record.quiet.append(path)
          } else {
            records[place].record.paths.append(path)
          }
        }
      }
      if tree.seeingEqualSets > 0 {
        for path in sets + awaited.all {
          found.removeAll(keepingCapacity: true)
          Self.collect(tree.root, path.components[...], into: &found)
          let isQuiet = quiet.contains { $0.isRelated(to: path) }
          let isAwaited = awaited.all.contains { $0.isRelated(to: path) }
          for waiter in found where waiter.seesEqualSets {
            let place = place(of: waiter, ChangeWaiter.Record(isQuiet: true))
            if !isQuiet { records[place].record.isQuiet = false }
            if !isAwaited { records[place].record.callsBack = true }
          }
        }
      }
      for (waiter, record) in records { waiter.record(record, &wakeUps) }
    }
  }

  /// Calls the callbacks of the observers of paths that the calling thread has set and waited for: another thread may
  /// have written them. A callback without a new record does nothing.
  func callBack(at paths: [TOMLPath]) {
    var found: [ChangeWaiter] = []
    tree.withLock { tree in
      for path in paths { Self.collect(tree.root, path.components[...], into: &found) }
    }
    var wakeUps = WakeUps()
    var seen: Set<ObjectIdentifier> = []
    for waiter in found where seen.insert(ObjectIdentifier(waiter)).inserted { waiter.collectCallback(&wakeUps) }
    wakeUps.deliver()
  }

  /// Changes the node of a path. A missing node is made, and one that is left empty is removed.
  private static func update(_ node: inout Node, _ components: ArraySlice<String>, _ body: (inout Node) -> Void) {
    guard let first = components.first else { return body(&node) }
    var child = node.children.removeValue(forKey: ExactKey(first)) ?? Node()
    update(&child, components.dropFirst(), body)
    if !child.waiters.isEmpty || !child.children.isEmpty { node.children[ExactKey(first)] = child }
  }

  /// Finds the observers at, above and below a path.
  private static func collect(_ node: Node, _ components: ArraySlice<String>, into found: inout [ChangeWaiter]) {
    guard let first = components.first else { return node.collectAll(into: &found) }
    for waiter in node.waiters.values { found.append(waiter) }
    if let child = node.children[ExactKey(first)] { collect(child, components.dropFirst(), into: &found) }
  }
}

extension Set<TOMLPath> {
  /// Removes the paths at and below one.
  fileprivate mutating func remove(below path: TOMLPath) { self = filter { !$0.hasPrefix(path) } }
}

/// The waiters to wake and callbacks to call for recorded changes.
package struct WakeUps {
  fileprivate var continuations: [UnsafeContinuation<Void, Never>] = []
  fileprivate var callbacks: [@Sendable () -> Void] = []

  package init() {}

  /// Wakes and calls them: now, or as soon as this thread has released its locks.
  package func deliver() {
    guard !continuations.isEmpty || !callbacks.isEmpty else { return }
    DeferredCalls.run {
      for continuation in continuations { continuation.resume() }
      for callback in callbacks { callback() }
    }
  }
}
