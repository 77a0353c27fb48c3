internal import AppSettings

/// An observer that is no task: a function, called on the thread that made a change.
///
/// One call follows another, never two at once: a change that comes while the function runs, also one that the function
/// itself makes, is looked at when it has returned.
final class CallbackObserver<View: MomentView>: @unchecked Sendable {  // `memory` is the one runner's alone
  private let store: SettingsStore
  private let view: View
  private let follower: StoreFollower
  /// Returns whether to go on.
  private let body: @Sendable (View.Element) -> Bool
  // Nothing is called while it is held.
  private let agenda = Lock(Agenda())
  /// Touched by the one runner that the agenda has.
  private var memory: View.Memory

  /// Makes an observer, and calls the function if the view has something to begin with.
  ///
  /// - Parameter isKept: Whether the store keeps it until it is cancelled; somebody else has to, otherwise.
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
    // Registered first, then read: so a change after what is remembered is never missed.
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
      // As of one moment: what was set without propagation after that is told from the rest the next time.
      let (wake, moment) = store.core.moment { waiter.take() }
      guard let wake else { continue }
      let element = view.look(store, wake, moment, &memory)
      if wake.isLoud, let element, !deliver(element) { return }
    }
  }

  /// Calls the function, unless it was cancelled.
  private func deliver(_ element: View.Element) -> Bool {
    guard !agenda.withLock({ $0.isCancelled }) else { return false }
    if body(element) { return true }
    cancel()
    return false
  }
}

/// What there is to do. Not within the class, whose code serves views of any type and would look these types up, too.
private struct Work: OptionSet, Sendable {
  let rawValue: UInt8
  /// Deliver what there is to begin with.
  static let first = Work(rawValue: 1)
  /// See what is new.
  static let look = Work(rawValue: 2)
}

/// What an observer has to do, and whether somebody does it: the runner.
private struct Agenda: Sendable {
  /// At first whoever makes the observer is the runner.
  private var isRunning = true
  private(set) var isCancelled = false
  private var work: Work = []
  private var waiter: ChangeWaiter?

  mutating func begin(_ waiter: ChangeWaiter) {
    self.waiter = waiter
    work.insert(.first)
  }

  /// Adds some work.
  ///
  /// - Returns: Whether the caller has to do it.
  mutating func add(_ work: Work) -> Bool {
    guard !isCancelled else { return false }
    self.work.formUnion(work)
    defer { isRunning = true }
    return !isRunning
  }

  /// What the runner is to do next; `nil` if that is nothing, and it is the runner no more.
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
