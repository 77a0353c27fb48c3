internal import AppSettings
internal import CSettingsSystem
internal import Glibc
internal import Synchronization

/// Watches files for the whole process and calls back when one may have changed.
///
/// The hub does not describe a change. The subscriber reads the file and compares. One plain thread owns everything. It
/// starts with the first subscription, sleeps while nothing happens, and ends after the last.
package final class WatchHub: Sendable {
  /// The source of events.
  package enum Source: Sendable {
    /// libinotifytools if the package was built with it and it is free to use, otherwise the kernel.
    case standard
    case kernel
  }

  package static let shared = WatchHub()

  private struct State {
    var isRunning = false
    /// Wakes the thread; -1 while there is no thread, or no descriptor is free.
    var wake: CInt = -1
    /// Whether the thread was woken since it took its messages.
    var isWoken = false
    var inbox: [Message] = []
    var lastID: WatchStateMachine.ID = 0
  }

  enum Message {
    case subscribe(WatchRegistration)
    case cancel(WatchStateMachine.ID)
    case run(UnownedJob)

    func isSubscription(_ id: WatchStateMachine.ID? = nil) -> Bool {
      guard case .subscribe(let registration) = self else { return false }
      return id == nil || registration.id == id
    }
  }

  /// Protects the inbox and the start and end of the thread. Innermost: nothing is called while it is held.
  private let state = Lock(State())
  /// The hub's thread; 0 while there is none.
  private let thread = Atomic<UInt>(0)
  /// Whether a job has arrived since the messages were taken.
  private let gotJob = Atomic(false)
  let source: Source

  package init(source: Source = .standard) {
    self.source = source
  }

  /// Subscribes to a file, or to the entries of a directory.
  ///
  /// - Parameters:
  ///   - target: What to watch. Neither it nor the directories along its path need exist.
  ///   - problem: Called on the hub's thread with the reason why changes are found only by polling, in place of the one
  ///     before; with `nil`, before the first look and later, if nothing prevents watching.
  ///   - look: Called on the hub's thread: once as soon as the path is watched, then whenever the file may have
  ///     changed. It reads the file, and returns whether to call again even if nothing happens.
  /// - Returns: The subscription, which lasts until it is cancelled or released.
  package func subscribe(
    to target: WatchTarget, problem: @escaping @Sendable (WatchProblem?) -> Void,
    look: @escaping @Sendable (LookCause) -> LookResult
  ) -> WatchSubscription {
    let target = target.absolute
    let (registration, failure) = state.withLock { state in
      state.lastID += 1
      let registration = WatchRegistration(id: state.lastID, target: target, hub: self, problem: problem, look: look)
      return (registration, deliver(.subscribe(registration), to: &state))
    }
    if let failure { problem(.notWatching(failure.rawValue, path: target.path)) }
    return WatchSubscription(registration)
  }

  /// Whether the caller runs on the hub's thread.
  package var isCurrentThread: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  /// Whether the hub's thread runs.
  package var isRunning: Bool { state.withLock { $0.isRunning } }

  func cancel(_ registration: WatchRegistration) {
    state.withLock { state in
      guard state.isRunning else { return state.inbox.removeAll { $0.isSubscription(registration.id) } }
      _ = deliver(.cancel(registration.id), to: &state)
    }
  }

  /// Runs a task's job on the hub's thread, and starts the thread if there is none.
  ///
  /// - Returns: Whether the job will run. If not, it was not accepted.
  func run(_ job: UnownedJob) -> Bool {
    state.withLock { state in
      gotJob.store(true, ordering: .relaxed)
      return deliver(.run(job), to: &state)
    } == nil
  }

  /// Adds a message to the inbox, and starts the thread if there is none.
  private func deliver(_ message: Message, to state: inout State) -> Errno? {
    state.inbox.append(message)
    if state.isRunning {
      // The thread itself checks for messages before it sleeps.
      if state.wake >= 0, !state.isWoken, !isCurrentThread {
        state.isWoken = true
        _ = eventfd_write(state.wake, 1)
      }
      return nil
    }
    if state.wake < 0 { state.wake = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK)) }
    do throws(Errno) {
      try PlainThread.start("settings-watch") { [self] in
        var thread = HubThread(hub: self)
        thread.run()
      }
      state.isRunning = true
      return nil
    } catch {
      // A subscription waits for a thread, which the next subscription or job may start.
      state.inbox.removeAll { !$0.isSubscription() }
      end(&state)
      return error
    }
  }

  private func end(_ state: inout State) {
    if state.wake >= 0 { close(state.wake) }
    state.wake = -1
    state.isWoken = false
    state.isRunning = false
  }
}

// MARK: - For the hub's thread

extension WatchHub {
  /// Marks the calling thread as the hub's, or no longer as the hub's.
  func claimThread(_ isHub: Bool) {
    thread.store(isHub ? UInt(pthread_self()) : 0, ordering: .relaxed)
  }

  /// Takes the messages that have arrived. Also returns the descriptor to wait on.
  func takeMessages() -> (messages: [Message], wake: CInt) {
    state.withLock { state in
      defer { state.inbox = [] }
      gotJob.store(false, ordering: .relaxed)
      if state.wake < 0 { state.wake = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK)) }
      if state.isWoken {
        var count: eventfd_t = 0
        _ = eventfd_read(state.wake, &count)
        state.isWoken = false
      }
      return (state.inbox, state.wake)
    }
  }

  /// Whether a job has arrived from this thread, or from one that it has waited for. Takes no lock.
  var hasJobs: Bool { gotJob.load(ordering: .relaxed) }

  /// Whether messages have arrived.
  var hasMessages: Bool { state.withLock { !$0.inbox.isEmpty } }

  /// Ends the thread's term, unless messages have arrived.
  ///
  /// - Parameter descriptor: The thread's open descriptor, closed before anyone can see that the thread has ended.
  func endTerm(closing descriptor: CInt) -> Bool {
    state.withLock { state in
      guard state.inbox.isEmpty else { return false }
      claimThread(false)
      if descriptor >= 0 { close(descriptor) }
      end(&state)
      return true
    }
  }
}
