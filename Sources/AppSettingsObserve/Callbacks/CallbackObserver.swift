internal import AppSettings

/// An observer outside any task: a function, called on the thread that made a change.
///
/// Calls never overlap. A change that comes while the function runs, even one that the function itself makes, is
/// handled after it has returned.
final class CallbackObserver<View: MomentView>: @unchecked Sendable {  // `memory` is the one runner's alone
  private let store: SettingsStore
  private let view: View
  private let follower: StoreFollower
  /// Returns whether to continue.
  private let body: @Sendable (View.Element) -> Bool
  // Nothing is called while it is held.
  private let agenda = Lock(Agenda())
  /// Used only by the agenda's one runner.
  private var memory: View.Memory

  /// Creates an observer, and calls the function if the view has a first element.
  ///
  /// - Parameter isKept: Whether the store retains the observer until it is cancelled. Otherwise the caller has to.
  init(_ store: SettingsStore, _ view: View, isKept: Bool, _ body: @escaping @Sendable (View.Element) -> Bool) {
    self.store = store
    self.view = view
    self.body = body
    follower = StoreFollower.of(store.core)
    memory = view.remember(store)
    let waiter: ChangeWaiter
    if isKept {
      waiter = view.makeWaiter { self.signalled() }
    } else {
      waiter = view.makeWaiter { [weak self] in self?.signalled() }
    }
    agenda.withLock { $0.begin(waiter) }
    // Registers before it reads, so that no change after the remembered state is missed.
    view.add(waiter, to: store.core)
    memory = view.remember(store)
    work()
  }

  func cancel() {
    if let waiter = agenda.withLock({ $0.cancel() }) { view.remove(waiter, from: store.core) }
  }

  private func signalled() {
    if agenda.withLock({ $0.add(.look) }) { work() }
  }

  private func work() {
    while let (work, waiter) = agenda.withLock({ $0.next() }) {
      if work.contains(.first), let element = view.first(store, &memory), !deliver(element) { return }
      guard work.contains(.look) else { continue }
      // Both belong to one moment: a value set without propagation after it is left for the next round.
      let (wake, moment) = store.core.moment { waiter.take() }
      guard let wake else { continue }
      let element = view.look(store, wake, moment, &memory)
      if wake.isLoud, let element, !deliver(element) { return }
    }
  }

  /// Calls the function, unless the observer was cancelled.
  private func deliver(_ element: View.Element) -> Bool {
    guard !agenda.withLock({ $0.isCancelled }) else { return false }
    if body(element) { return true }
    cancel()
    return false
  }
}

/// The work to do. Declared outside the class: its generic code would have to look up a nested type at run time.
private struct Work: OptionSet, Sendable {
  let rawValue: UInt8
  /// Deliver the first element.
  static let first = Work(rawValue: 1)
  /// Check for changes.
  static let look = Work(rawValue: 2)
}

/// The work of an observer, and whether a thread (the runner) is doing it.
private struct Agenda: Sendable {
  /// The thread that creates the observer is the first runner.
  private var isRunning = true
  private(set) var isCancelled = false
  private var work: Work = []
  private var waiter: ChangeWaiter?

  mutating func begin(_ waiter: ChangeWaiter) {
    self.waiter = waiter
    work.insert(.first)
  }

  /// Adds work.
  ///
  /// - Returns: Whether the caller has to do it.
  mutating func add(_ work: Work) -> Bool {
    guard !isCancelled else { return false }
    self.work.formUnion(work)
    defer { isRunning = true }
    return !isRunning
  }

  /// The runner's next work; `nil` if there is none, and the caller is then no longer the runner.
  mutating func next() -> (Work, ChangeWaiter)? {
    guard let waiter, !work.isEmpty else {
      isRunning = false
      return nil
    }
    defer { work = [] }
    return (work, waiter)
  }

  /// - Returns: The waiter to remove.
  mutating func cancel() -> ChangeWaiter? {
    isCancelled = true
    defer { waiter = nil }
    return waiter
  }
}
