internal import AppSettings

/// A stream of what is to be seen of a store: values, changes or problems.
///
/// Each iterator is an observer of its own and independent of the others. One that is to deliver what changes "from now
/// on" sees what has changed since the stream was made, if it is the stream's first. Nothing is pushed into an observer:
/// it remembers what it delivered last, sleeps, and reads the present state when it is woken. So there is no buffer
/// to overflow, and a slow reader gets the newest value and no queue of old ones.
///
/// The stream ends only when its task is cancelled. The store follows its files while an iterator lives, and while a
/// stream lives that has no first element and was not iterated yet.
public struct SettingsStream<Element: Sendable>: AsyncSequence, Sendable {
  /// Nothing is thrown: what is wrong is among the `problems`.
  public typealias Failure = Never

  private let observe: @Sendable () -> any Observer<Element>

  /// - Parameter beginsNow: Whether the first iterator sees what changes from now on, and not from when it is made.
  init<View: SettingsView>(
    _ store: SettingsStore, _ view: View, beginsNow: Bool = false
  ) where View.Element == Element {
    guard beginsNow else {
      observe = { ViewObserver(store, view) }
      return
    }
    let first = FirstObserver<Element>(ViewObserver(store, view))
    observe = { first.take() ?? ViewObserver(store, view) }
  }

  /// Begins to observe: what changes from now on is not missed.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(observer: observe()) }

  /// One observer.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// `nil` once the stream has ended.
    fileprivate var observer: (any Observer<Element>)?

    /// Ends the stream from anywhere: an element that is waited for does not come, and none after it.
    package var ending: @Sendable () -> Void {
      guard let waiter = observer?.waiter else { return {} }
      return { waiter.cancel() }
    }

    /// Waits for the next element; `nil` once the task is cancelled.
    public mutating func next() async -> Element? {
      await next(isolation: #isolation)
    }

    /// Waits for the next element without leaving the caller's actor; `nil` once the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      guard let observer else { return nil }
      if !Task.isCancelled {
        if let element = observer.atHand() { return element }
        while await observer.waiter.wait() {
          if let element = observer.look() { return element }
        }
      }
      self.observer = nil
      return nil
    }
  }
}

@available(*, unavailable)
extension SettingsStream.AsyncIterator: Sendable {}

/// The state of one iterator.
private protocol Observer<Element>: AnyObject {
  associatedtype Element
  var waiter: ChangeWaiter { get }
  /// What there is to deliver without waiting.
  func atHand() -> Element?
  /// What there is to deliver after a wake-up.
  func look() -> Element?
}

/// What a stream has observed before anyone iterates it. The first iterator takes it.
private final class FirstObserver<Element: Sendable>: Sendable {
  private struct Kept: @unchecked Sendable {  // only handed on: the one iterator that takes it is the first to use it
    var observer: (any Observer<Element>)?
  }

  // Protects who takes it.
  private let kept: Lock<Kept>

  init(_ observer: any Observer<Element>) { kept = Lock(Kept(observer: observer)) }

  func take() -> (any Observer<Element>)? {
    kept.withLock { kept in
      defer { kept.observer = nil }
      return kept
    }.observer
  }
}

private final class ViewObserver<View: SettingsView>: Observer {
  let waiter: ChangeWaiter
  private let store: SettingsStore
  private let view: View
  private let follower: StoreFollower
  private var memory: View.Memory
  private var isFirst = true

  init(_ store: SettingsStore, _ view: View) {
    self.store = store
    self.view = view
    follower = StoreFollower.of(store.core)
    // Registered first, then read: so a change after what is remembered is never missed.
    waiter = view.makeWaiter(nil)
    view.add(waiter, to: store.core)
    memory = view.remember(store)
  }

  deinit {
    view.remove(waiter, from: store.core)
  }

  func atHand() -> View.Element? {
    if isFirst {
      isFirst = false
      if let element = view.first(store, &memory) { return element }
    }
    return view.rest(store, &memory)
  }

  func look() -> View.Element? { view.look(store, waiter, &memory) }
}
