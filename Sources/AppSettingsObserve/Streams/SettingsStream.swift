internal import AppSettings

/// A stream of values, changes or problems of a store.
///
/// Each iterator is an independent observer. If a stream delivers only later changes, its first iterator sees every
/// change since the stream was created. Nothing is pushed into an observer: it remembers what it delivered last,
/// sleeps, and reads the current state when it is woken. So no buffer can overflow, and a slow reader gets the newest
/// value instead of a queue of old ones.
///
/// The stream ends only when its task is cancelled. The store follows its files while an iterator lives, and while a
/// stream of later changes waits for its first iterator.
public struct SettingsStream<Element: Sendable>: AsyncSequence, Sendable {
  /// The stream never throws. Errors are among the `problems`.
  public typealias Failure = Never

  private let observe: @Sendable () -> any Observer<Element>

  /// - Parameter beginsNow: Whether the first iterator sees the changes from now on, not only those after its creation.
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

  /// Creates an iterator, which misses no change from now on.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(observer: observe()) }

  /// An observer of the store.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// `nil` once the stream has ended.
    fileprivate var observer: (any Observer<Element>)?

    /// A function that ends the stream from any thread: no element arrives after it is called.
    package var ending: @Sendable () -> Void {
      guard let waiter = observer?.waiter else { return {} }
      return { waiter.cancel() }
    }

    /// Waits for the next element; returns `nil` once the task is cancelled.
    public mutating func next() async -> Element? {
      await next(isolation: #isolation)
    }

    /// Waits for the next element without leaving the caller's actor; returns `nil` once the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      guard let observer else { return nil }
      if !Task.isCancelled, !observer.waiter.isCancelled {
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
  /// The element to deliver without waiting.
  func atHand() -> Element?
  /// The element to deliver after a wake-up.
  func look() -> Element?
}

/// The observer of a stream without iterators. The first iterator takes it.
private final class FirstObserver<Element: Sendable>: Sendable {
  private struct Kept: @unchecked Sendable {  // only handed on: the one iterator that takes it is the first to use it
    var observer: (any Observer<Element>)?
  }

  // Protects the observer, which only one iterator may take.
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
    // Registers before it reads, so that no change after the remembered state is missed.
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
