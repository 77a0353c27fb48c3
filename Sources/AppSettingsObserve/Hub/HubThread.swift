internal import AppSettings
internal import CSettingsSystem
internal import Glibc

/// The code of the hub's thread: waits for events, feeds the state machine and carries out its actions.
struct HubThread {
  private let hub: WatchHub
  private var machine = WatchStateMachine()
  private var registrations: [WatchStateMachine.ID: WatchRegistration] = [:]
  private var source: (any InotifyEvents)?
  /// The table of mounts, on which a poll reports changes; -1 if it cannot be opened.
  private var mounts: CInt = -1
  /// Whether the table of mounts may become available: so far no descriptor was free for it.
  private var wantsMounts = true
  private let clock = SuspendingClock()

  /// The number of events read from the queue before they are acted on.
  private static let mostEvents = 16_384

  init(hub: WatchHub) {
    self.hub = hub
  }

  mutating func run() {
    hub.claimThread(true)
    openMounts()
    while true {
      let (messages, wake) = hub.takeMessages()
      for message in messages { receive(message) }
      let isDrained = drain()
      while let action = machine.next(at: clock.now) {
        perform(action)
        // A task woken by a look does not wait for the walk after it.
        if hub.hasJobs { for message in hub.takeMessages().messages { receive(message) } }
      }
      if machine.isEmpty {
        source?.close()
        source = nil
        if hub.endTerm(closing: mounts) { return }
      } else if isDrained && !hub.hasMessages {
        wait(wake: wake)
      }
    }
  }

  private mutating func receive(_ message: WatchHub.Message) {
    switch message {
    case .subscribe(let registration):
      registrations[registration.id] = registration
      machine.subscribe(registration.id, to: registration.target)
    case .cancel(let id):
      registrations[id] = nil
      machine.cancel(id)
    case .run(let job):
      job.runSynchronously(on: SettingsWatchExecutor.shared.asUnownedTaskExecutor())
    }
  }

  /// Reads the events that have happened.
  ///
  /// - Returns: Whether the queue is now empty.
  private mutating func drain() -> Bool {
    guard let source else { return true }
    for _ in 0..<Self.mostEvents {
      guard let event = source.next() else { return true }
      machine.received(event, at: clock.now)
    }
    return false
  }

  private mutating func perform(_ action: WatchStateMachine.Action) {
    switch action {
    case .walk(let id, let target):
      machine.walked(id, to: WatchPlan(of: target), at: clock.now)
    case .watch(let identity, let path, let events):
      machine.watched(identity, arm(path, as: identity, for: events))
    case .unwatch(let watch):
      source?.unwatch(watch)
    case .look(let id, let cause):
      guard let registration = registrations[id] else { return }
      machine.looked(id, registration.callLook(cause), at: clock.now)
    case .report(let id, let problem):
      registrations[id]?.callProblem(problem)
    }
  }

  private mutating func arm(_ path: String, as identity: FileIdentity, for events: WatchEvents) -> WatchOutcome {
    if let source { return watch(path, as: identity, for: events, on: source) }
    do throws(Errno) {
      let source = try open()
      self.source = source
      return watch(path, as: identity, for: events, on: source)
    } catch {
      // One error number for two limits: the user's instances, and the process's open files.
      return .refused(error.rawValue == EMFILE && hasFreeDescriptor() ? .noInstance : .error(error.rawValue))
    }
  }

  private func open() throws(Errno) -> any InotifyEvents {
    #if InotifyTools
      if hub.source == .standard, let source = try? LibraryEvents() { return source }
    #endif
    return try KernelEvents()
  }

  private mutating func openMounts() {
    mounts = Glibc.open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    wantsMounts = mounts < 0 && [EMFILE, ENFILE, ENOMEM].contains(errno)
  }

  /// Sleeps until an event, a change of mounts, a message or the machine's deadline.
  private mutating func wait(wake: CInt) {
    if wantsMounts {
      openMounts()
      if mounts >= 0 { return machine.mountsChanged() }
    }
    var files = [
      pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
      pollfd(fd: source?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: mounts, events: Int16(POLLPRI), revents: 0),
    ]
    // Without a wake-up descriptor this polls for messages, and without a table of mounts for that.
    var timeout: CInt = wake < 0 ? 100 : wantsMounts ? 1000 : -1
    if let deadline = machine.deadline {
      let (seconds, attoseconds) = max(.zero, clock.now.duration(to: deadline)).components
      let milliseconds = CInt(clamping: seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
      timeout = timeout < 0 ? milliseconds : min(timeout, milliseconds)
    }
    _ = poll(&files, nfds_t(files.count), timeout)
    if files[2].revents != 0 { machine.mountsChanged() }
  }
}
