internal import AppSettings

/// An observer that is no task: a function, called on the thread that made a change.
///
/// One call follows another, never two at once: a change that comes while the function runs, also one that the function
/// itself makes, is looked at when it has returned.
final class CallbackObserver<View: SettingsView>: @unchecked Sendable {  // `memory` is the one runner's alone
  private struct Work: OptionSet, Sendable {
    let rawValue: UInt8
    /// Deliver what there is to begin with.
    static var first: Work { Work(rawValue: 1) }
    /// See what is new.
    static var look: Work { Work(rawValue: 2) }
    /// Take what there is for known.
    static var forget: Work { Work(rawValue: 4) }
  }

  private struct State: Sendable {
    /// At first whoever makes the observer runs it.
    var isRunning = true
    var isCancelled = false
    var work: Work = []
    var waiter: ChangeWaiter?
  }

  private let store: SettingsStore
  private let view: View
  private let follower: StoreFollower
  /// Returns whether to go on.
  private let body: @Sendable (View.Element) -> Bool
  // Protects what is to be done, and says who does it. Nothing is called while it is held.
  private let state = Lock(State())
  /// Touched by the thread that set `isRunning`, between doing so and taking it back.
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
    state.withLock { state in
      state.waiter = waiter
      state.work.insert(.first)
    }
    // Registered first, then read: so a change after what is remembered is never missed.
    view.add(waiter, to: store.core)
    memory = view.remember(store)
    work()
  }

  func cancel() {
    let waiter = state.withLock { state in
      state.isCancelled = true
      defer { state.waiter = nil }
      return state.waiter
    }
    if let waiter { view.remove(waiter, from: store.core) }
  }

  private func signalled() {
    run(QuietThreads.areQuiet(for: store.core) ? .forget : .look)
  }

  private func run(_ work: Work) {
    let isRunner = state.withLock { state in
      guard !state.isCancelled else { return false }
      state.work.formUnion(work)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if isRunner { self.work() }
  }

  private func work() {
    while let (work, waiter) = nextWork() {
      if work.contains(.first), let element = view.first(store, &memory), !deliver(element) { return }
      if work.contains(.forget) {
        _ = waiter.take()
        memory = view.remember(store)
      } else if work.contains(.look), let wake = waiter.take() {
        var element = view.look(store, wake, &memory)
        while let next = element {
          guard deliver(next) else { return }
          element = view.rest(store, &memory)
        }
      }
    }
  }

  private func nextWork() -> (Work, ChangeWaiter)? {
    state.withLock { state in
      guard let waiter = state.waiter, !state.work.isEmpty else {
        state.isRunning = false
        return nil
      }
      defer { state.work = [] }
      return (state.work, waiter)
    }
  }

  /// Calls the function, unless it was cancelled.
  private func deliver(_ element: View.Element) -> Bool {
    guard !state.withLock({ $0.isCancelled }) else { return false }
    if body(element) { return true }
    cancel()
    return false
  }
}
