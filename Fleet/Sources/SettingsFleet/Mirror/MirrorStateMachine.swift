/// The life of a mirror's connection: when it reads, what it publishes, when it starts over. It never ends.
///
/// Every method takes what has happened, and returns what to do, in order. Whoever carries that out calls ``tick(at:)``
/// at ``nextDeadline`` and answers each action once: an opened watch by ``streamOpened(_:at:)`` or
/// ``streamEnded(_:at:)``, a range by ``finished(_:_:at:)``, and so on. Times come from one clock that does not go back;
/// if it jumps, the machine only does things earlier or later.
///
/// - A watch is opened first and everything is read after that, so nothing falls between the two. It starts at the
///   current revision, never at an old one: etcd loses deletes when a watch resumes beyond a compaction.
/// - Every event is a hint. Hints that come while a range is under way become one more range. If more than a few apps wait,
///   everything is read.
/// - When all machines have the same to do, after a change or the loss of a member, each waits for a random part of a time
///   that grows with their number.
/// - A stream that says nothing is asked for its progress. Without an answer it counts as broken.
/// - After every break, and in long intervals, everything is read again.
public struct MirrorStateMachine<Generator: RandomNumberGenerator & Sendable>: Sendable {
  /// What to do.
  public enum Action: Hashable, Sendable {
    /// Open a watch of what is for this machine, from now on, after this time.
    case connect(stream: Int, after: Duration)
    /// Close a watch. Whatever it still says is ignored.
    case disconnect(stream: Int)
    /// If another member serves this machine than its own, which was away, go back to that after this time, should it answer.
    case returnHome(stream: Int, after: Duration)
    /// Ask the watch for its progress.
    case requestProgress(stream: Int)
    /// Read, make the plan, carry it out.
    case range(RangeRequest)
    /// Make a lease of ``MirrorTimes/leaseSeconds``.
    case grantLease
    /// Keep the lease alive.
    case keepAlive(LeaseID)
    /// Put the answer at its key under its lease, if the key has this modification revision, 0 for none. Otherwise ask for
    /// what is there.
    case publish(Ack, replacing: Int64)
    /// Find out whether these apps' answers are still at these modification revisions, and say so in one answer.
    case confirm([String: Int64])
    /// Remove the answer about an app that is not mirrored any more, if its key has this modification revision. Otherwise
    /// ask for what is there.
    case withdraw(app: String, replacing: Int64)
  }

  /// What to read.
  public struct RangeRequest: Hashable, Sendable {
    /// Tells it from others.
    public let number: Int
    /// The app whose keys to read; `nil` for everything.
    public let app: String?
  }

  /// What came of a range and of the plan made from it.
  public enum Outcome: Hashable, Sendable {
    /// The plan is carried out, or there is nothing to do until something changes in etcd.
    case done
    /// ``MirrorPlan/needsEverything``.
    case needsEverything
    /// ``MirrorPlan/problem``: until it is gone, each hint leads to a range of everything.
    case held
    /// ``MirrorPlan/needsRetry``, or the record could not be stored.
    case retry
    /// The cluster did not answer.
    case unavailable
  }

  enum Connection: Sendable {
    case stopped
    case opening(stream: Int)
    case open(stream: Int, since: Duration)
  }

  let machine: Machine
  let times: MirrorTimes
  var generator: Generator
  var now = Duration.zero
  var connection = Connection.stopped
  private var lastStream = 0
  private var connecting: Backoff
  /// When something was last heard of the stream, and when it was asked.
  private var heard = Duration.zero
  private var asked: Duration?
  private var nextReread: Duration = .zero
  private var nextHeartbeat: Duration = .zero
  // Reading.
  private var lastRange = 0
  private var inFlight: RangeRequest?
  /// A range of one app in the middle of one of everything.
  private var urgent: RangeRequest?
  /// What is to be read, and when: an app's keys, or all for `nil`.
  private var wanted: [String?: Duration] = [:]
  /// How many machines the fleet had when somebody said so last, for ``MirrorRecord/machines``.
  public private(set) var machines: Int?
  private var isHeld = false
  private var retrying: Backoff
  private var retryAt: Duration?
  /// When the watch is opened again with other spans.
  private var narrowAt: Duration?
  /// Files that others have changed on this machine.
  private var mending: Backoff
  private var lastDamage: Duration?
  var answers: AckPublisher

  /// Makes a mirror that has not started.
  ///
  /// - Parameters:
  ///   - machine: The machine, for which of the events concern it.
  ///   - times: How long things take.
  ///   - machines: ``MirrorRecord/machines``.
  ///   - generator: Where the jitter comes from.
  public init(machine: Machine, times: MirrorTimes = MirrorTimes(), machines: Int? = nil, generator: Generator) {
    self.machine = machine
    self.machines = machines
    self.times = times
    self.generator = generator
    connecting = Backoff(first: times.firstDelay, longest: times.longestDelay)
    retrying = Backoff(first: times.retryDelay, longest: times.longestRetryDelay)
    mending = Backoff(first: times.mendDelay, longest: times.longestMendDelay)
    answers = AckPublisher(times: times)
  }

  /// Starts.
  public mutating func start(at time: Duration) -> [Action] {
    advance(to: time)
    guard case .stopped = connection else { return [] }
    nextHeartbeat = now + times.heartbeat
    return connect(after: .zero)
  }

  /// Whether the connection to the cluster is there.
  public var isConnected: Bool { if case .open = connection { true } else { false } }

  /// When something was last heard of the cluster; `nil` for never.
  public var lastContact: Duration? { heard == .zero ? nil : heard }

  /// What the machine answers, by app.
  public var offered: [Ack] { answers.wanted.sorted { $0.key < $1.key }.map(\.value) }

  /// When ``tick(at:)`` has to be called; `nil` before the start.
  public var nextDeadline: Duration? {
    if case .stopped = connection { return nil }
    var deadlines = [nextHeartbeat]
    if case .open = connection {
      // An event loop wakes up at a time for which it has once been told to, even if nothing is due then any more. So most
      // answers are not waited for until the end, but until they are usually there.
      let answer = asked.map { $0 + (now < $0 + times.usualAnswer ? times.usualAnswer : times.progressDeadline) }
      deadlines += [nextReread] + [answer, retryAt, narrowAt].compactMap { $0 }
      if inFlight == nil { deadlines += wanted.values }
    }
    return (deadlines + answers.deadlines).min()
  }

  /// Does what is due.
  public mutating func tick(at time: Duration) -> [Action] {
    advance(to: time)
    var actions: [Action] = []
    if case .stopped = connection { return [] }
    let isHeartbeat = now >= nextHeartbeat
    if isHeartbeat { nextHeartbeat = now + times.heartbeat }
    if case .open(let stream, _) = connection {
      if let asked, now >= asked + times.progressDeadline { return broken() + tickAnswers(isHeartbeat) }
      if isHeartbeat, asked == nil, now - heard >= times.heartbeat / 2 {
        asked = now
        actions.append(.requestProgress(stream: stream))
      }
      if let at = narrowAt, now >= at { return reopen() + tickAnswers(isHeartbeat) }
      if isHeartbeat { actions.append(.returnHome(stream: stream, after: turn())) }
      if now >= nextReread {
        nextReread = now + times.reread
        want(nil)
      }
      if let at = retryAt, now >= at {
        retryAt = nil
        want(nil)
      }
    }
    return actions + read() + tickAnswers(isHeartbeat)
  }

  // MARK: The stream

  /// The watch is open: what changes from now on is reported.
  public mutating func streamOpened(_ stream: Int, at time: Duration) -> [Action] {
    advance(to: time)
    guard case .opening(stream) = connection else { return [] }
    connection = .open(stream: stream, since: now)
    (heard, asked, narrowAt) = (now, nil, nil)
    retryAt = nil
    want(nil)
    return read() + answers.connected(at: now)
  }

  /// The watch reports changes of these keys.
  ///
  /// - Parameter machines: How many machines the writer has counted; `nil` if it does not say.
  public mutating func events(_ keys: [[UInt8]], machines: Int? = nil, from stream: Int, at time: Duration) -> [Action]
  {
    advance(to: time)
    guard isCurrent(stream) else { return [] }
    (heard, asked) = (now, nil)
    if let machines { self.machines = machines }
    for bytes in keys {
      if narrowAt == nil, machine.isForOthers(bytes) { narrowAt = now + times.narrowDelay + turn() }
      guard let key = FleetKey(bytes), machine.isConcerned(by: key) else { continue }
      // An acceptance counts as used once it was seen, and only a range of everything shows it.
      want(isHeld ? nil : key.app, after: key.isForOneHost ? .zero : turn())
    }
    return read()
  }

  /// The watch says that it is alive.
  public mutating func progress(from stream: Int, at time: Duration) -> [Action] {
    advance(to: time)
    guard isCurrent(stream) else { return [] }
    (heard, asked) = (now, nil)
    return []
  }

  /// The watch could not be opened, ended, was cancelled or compacted.
  public mutating func streamEnded(_ stream: Int, at time: Duration) -> [Action] {
    advance(to: time)
    switch connection {
    case .opening(stream): return reconnect()
    case .open(stream, _): return broken()
    default: return []
    }
  }

  /// The machine's own member answers again, and calls go there.
  public mutating func homeAnswers(_ stream: Int, at time: Duration) -> [Action] {
    advance(to: time)
    return isCurrent(stream) ? reopen() : []
  }

  /// Opens another watch in place of one that is well.
  private mutating func reopen() -> [Action] {
    guard case .open(let stream, _) = connection else { return [] }
    asked = nil
    return [.disconnect(stream: stream)] + connect(after: .zero)
  }

  // MARK: Reading

  /// A range, the plan and its execution came to an end.
  public mutating func finished(_ request: RangeRequest, _ outcome: Outcome, at time: Duration) -> [Action] {
    advance(to: time)
    if urgent == request {
      urgent = nil
    } else {
      guard inFlight == request else { return [] }
      inFlight = nil
    }
    switch outcome {
    case .done:
      // Held back, only a range of everything shows that it is over. What has failed in its middle is still to be retried.
      if request.app == nil {
        isHeld = false
        if retryAt == nil { retrying.reset() }
      }
    case .needsEverything: want(nil)
    case .held: isHeld = true
    case .retry:
      if request.app == nil { isHeld = false }
      retryAt = now + retrying.next(using: &generator)
    case .unavailable:
      want(nil)
      if case .open = connection { return broken() }
    }
    return read()
  }

  /// What may be read now, while a range of everything is carried out: the app of the newest hint that has come since. A
  /// change of one app does not wait until hundreds of others are checked. It is answered by ``finished(_:_:at:)``.
  public mutating func interlude(at time: Duration) -> RangeRequest? {
    advance(to: time)
    guard case .open = connection, let inFlight, inFlight.app == nil, urgent == nil else { return nil }
    let hints = wanted.filter { $0.key != nil && $0.value <= now }
    guard let (app, _) = hints.max(by: { ($0.value, $0.key ?? "") < ($1.value, $1.key ?? "") }) else { return nil }
    wanted[app] = nil
    lastRange += 1
    urgent = RangeRequest(number: lastRange, app: app)
    return urgent
  }

  /// Something changed on this machine: an app was upgraded, a file was edited. Everything is read again.
  public mutating func recheck(at time: Duration) -> [Action] {
    advance(to: time)
    want(nil)
    return read()
  }

  /// Files of an app are not as this mirror left them. They are written again: at once, or later if it happens often.
  public mutating func damaged(_ app: String, at time: Duration) -> [Action] {
    advance(to: time)
    if let last = lastDamage, now - last > times.longestMendDelay * 2 { mending.reset() }
    lastDamage = now
    want(app, after: mending.next(using: &generator))
    return read()
  }

  private mutating func want(_ app: String?, after delay: Duration = .zero) {
    wanted[app] = min(now + delay, wanted[app] ?? .seconds(Int64.max))
  }

  private mutating func read() -> [Action] {
    guard case .open = connection, inFlight == nil else { return [] }
    let everything = String?.none
    if wanted.count > times.mostSingleApps, wanted[everything] == nil { want(everything, after: turn()) }
    let isAllDue = wanted[everything].map { $0 <= now } ?? false
    guard let (app, due) = wanted.min(by: { ($0.value, $0.key ?? "") < ($1.value, $1.key ?? "") }), due <= now else {
      return []
    }
    return range(of: isAllDue ? everything : app)
  }

  private mutating func range(of app: String?) -> [Action] {
    wanted[app] = nil
    if app == nil {
      wanted = [:]
      // It tries again what has failed until now.
      retryAt = nil
      nextReread = now + Backoff.jittered(times.reread, using: &generator)
    }
    lastRange += 1
    let request = RangeRequest(number: lastRange, app: app)
    inFlight = request
    return [.range(request)]
  }

  private mutating func connect(after delay: Duration) -> [Action] {
    lastStream += 1
    connection = .opening(stream: lastStream)
    return [.connect(stream: lastStream, after: delay)]
  }

  private mutating func broken() -> [Action] {
    guard case .open(let stream, let since) = connection else { return [] }
    // A stream that opens and ends at once must not make the next one come at once.
    if now - since >= times.longestDelay { connecting.reset() }
    asked = nil
    return [.disconnect(stream: stream)] + reconnect()
  }

  private mutating func reconnect() -> [Action] {
    connect(after: connecting.next(using: &generator) + turn())
  }

  /// How long this machine waits with what all machines do.
  private mutating func turn() -> Duration {
    times.spread(over: machines) * .random(in: 0..<1, using: &generator)
  }

  private func isCurrent(_ stream: Int) -> Bool {
    if case .open(stream, _) = connection { return true }
    return false
  }

  mutating func advance(to time: Duration) { now = max(now, time) }
}

/// How long a mirror waits.
public struct MirrorTimes: Hashable, Sendable {
  /// The first and the longest waiting time before a watch is opened again. A machine is right within five seconds after
  /// the cluster is back: there is time for one attempt in vain, the next one, and the work.
  public var firstDelay = Duration.milliseconds(100), longestDelay = Duration.seconds(2)
  /// The first and the longest waiting time before what failed on this machine is tried again: a disk that was full has
  /// room again, and nothing tells the mirror.
  public var retryDelay = Duration.seconds(1), longestRetryDelay = Duration.seconds(3)
  /// After which time a file is written again that something else than the mirror has changed, at first and at most.
  public var mendDelay = Duration.milliseconds(50), longestMendDelay = Duration.seconds(60)
  /// How long a machine goes on watching documents for others when the first one has come.
  public var narrowDelay = Duration.seconds(1)
  /// How often the lease is kept alive and a stream that says nothing is asked.
  public var heartbeat = Duration.seconds(20)
  /// How long a stream may take to answer, and how long it usually does at most.
  public var progressDeadline = Duration.seconds(5), usualAnswer = Duration.milliseconds(50)
  /// How many apps are read one by one: each costs a call, and a record that is stored.
  public var mostSingleApps = 16
  /// After which time everything is read again although nothing has happened.
  public var reread = Duration.seconds(3600)
  /// How long the lease lives without being kept alive: that long a silent machine is in the status.
  public var leaseSeconds = 86400
  /// How much time a fleet takes for each of its machines when all do the same, and the most that it takes for all. Two
  /// processors manage 500 handshakes, or readings and answers, a second, and do not come to an end with more: what is
  /// not answered in time is asked again.
  public var spreadOfMachine = Duration.milliseconds(2), longestSpread = Duration.seconds(20)
  /// For how long another machine with the same id is reported after it was last seen.
  public var duplicateReport = Duration.seconds(600)

  /// The usual times.
  public init() {}

  /// Within which time that many machines do something that all do.
  ///
  /// - Parameter machines: How many; `nil` if nobody has counted them, which stands for a hundred.
  public func spread(over machines: Int?) -> Duration {
    let machines = min(machines ?? 100, 1_000_000)
    return machines > 1 ? min(spreadOfMachine * machines, longestSpread) : .zero
  }
}
