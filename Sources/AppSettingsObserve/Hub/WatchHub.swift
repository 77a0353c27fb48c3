internal import AppSettings
internal import CSettingsSystem
internal import Glibc
internal import Synchronization

/// Watches files of the whole process and calls back when one may have changed.
///
/// A change is never described, only hinted at: whoever subscribed reads the file and compares. One plain thread owns
/// everything. It starts with the first subscription, sleeps while nothing happens, and ends after the last.
package final class WatchHub: Sendable {
  /// Where events come from.
  package enum Source: Sendable {
    /// libinotifytools where the package was built with it and it is free to use, else the kernel.
    case standard
    case kernel
  }

  package static let shared = WatchHub()

  private struct State {
    var isRunning = false
    /// Wakes the thread; -1 while there is none, or no descriptor to be had.
    var wake: CInt = -1
    /// Whether it was told to wake since it took its messages.
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

  /// Protects the inbox and the thread's coming and going. Innermost: nothing is called while it is held.
  private let state = Lock(State())
  /// The hub's thread, 0 while there is none.
  private let thread = Atomic<UInt>(0)
  /// Whether a job has come in since the messages were taken.
  private let gotJob = Atomic(false)
  let source: Source

  package init(source: Source = .standard) {
    self.source = source
  }

  /// Subscribes to a file.
  ///
  /// - Parameters:
  ///   - path: The file; it, and the directories on the way, need not exist.
  ///   - problem: Told, on the hub's thread, why changes are only looked for by the clock, in the place of what it was
  ///     told before; `nil` before the first look and later if nothing stands in the way.
  ///   - look: Called on the hub's thread: once as soon as the path is watched, then whenever the file may have changed.
  ///     It reads the file, and says whether to be called again even if nothing happens.
  /// - Returns: The subscription, which lasts until it is cancelled or released.
  package func subscribe(
    path: String, problem: @escaping @Sendable (WatchProblem?) -> Void,
    look: @escaping @Sendable (LookCause) -> LookResult
  ) -> WatchSubscription {
    subscribe(to: .file(absolute(path)), problem: problem, look: look)
  }

  /// Subscribes to the `*.toml` entries of a directory: that one comes, goes or changes.
  package func subscribe(
    directory: String, problem: @escaping @Sendable (WatchProblem?) -> Void,
    look: @escaping @Sendable (LookCause) -> LookResult
  ) -> WatchSubscription {
    subscribe(to: .directory(absolute(directory)), problem: problem, look: look)
  }

  /// Whether the caller runs on the hub's thread.
  package var isCurrentThread: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  /// Whether the hub's thread runs.
  package var isRunning: Bool { state.withLock { $0.isRunning } }

  private func subscribe(
    to target: WatchTarget, problem: @escaping @Sendable (WatchProblem?) -> Void,
    look: @escaping @Sendable (LookCause) -> LookResult
  ) -> WatchSubscription {
    let (registration, failure) = state.withLock { state in
      state.lastID += 1
      let registration = WatchRegistration(id: state.lastID, target: target, hub: self, problem: problem, look: look)
      return (registration, deliver(.subscribe(registration), to: &state))
    }
    if let failure { problem(.notWatching(failure.rawValue, path: target.path)) }
    return WatchSubscription(registration)
  }

  func cancel(_ registration: WatchRegistration) {
    state.withLock { state in
      guard state.isRunning else { return state.inbox.removeAll { $0.isSubscription(registration.id) } }
      _ = deliver(.cancel(registration.id), to: &state)
    }
  }

  /// Runs a task's job on the hub's thread, which starts for it if there is none.
  ///
  /// - Returns: Whether it will; the job was not taken otherwise.
  func run(_ job: UnownedJob) -> Bool {
    state.withLock { state in
      gotJob.store(true, ordering: .relaxed)
      return deliver(.run(job), to: &state)
    } == nil
  }

  /// Puts a message where the thread takes it, starting the thread if there is none.
  private func deliver(_ message: Message, to state: inout State) -> Errno? {
    state.inbox.append(message)
    if state.isRunning {
      // The thread itself looks for messages before it sleeps.
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
      // A subscription waits for a thread that the next one, or a job, may get.
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
  /// Says that the calling thread is the hub's, or no longer is.
  func claimThread(_ isHub: Bool) {
    thread.store(isHub ? UInt(pthread_self()) : 0, ordering: .relaxed)
  }

  /// Takes what has come in. Gives the descriptor to wait on, too.
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

  /// Whether a job has come in, as far as the thread itself or one that it waited for has brought it. Takes no lock.
  var hasJobs: Bool { gotJob.load(ordering: .relaxed) }

  /// Whether something has come in.
  var hasMessages: Bool { state.withLock { !$0.inbox.isEmpty } }

  /// Ends the thread's term, unless something has come in.
  ///
  /// - Parameter descriptor: What the thread has open; closed before anyone sees that it has ended.
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

private func absolute(_ path: String) -> String {
  if path.isAbsolutePath { return path }
  return ProcessFacts.workingDirectory().map { $0 + "/" + path } ?? path
}
