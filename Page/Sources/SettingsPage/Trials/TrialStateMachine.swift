/// Decides what becomes of trials, without time, files or commands.
///
/// Whoever comes first wins: the person who keeps a trial, the one who takes it back, its time, or the server's end. A
/// trial is taken back once.
struct TrialStateMachine: Sendable {
  enum Phase: Equatable, Sendable {
    /// The change is being made.
    case beginning
    case running
    case ending
  }

  private(set) var trials: [String: (trial: Trial, phase: Phase)] = [:]
  /// Whether the server ends, so that a trial whose change is made now has no time.
  private(set) var isOver = false

  /// - Returns: Whether it may begin. An app has one trial at a time: of two, the first could not be taken back any more.
  mutating func begin(_ trial: Trial) -> Bool {
    guard !isOver, !trials.values.contains(where: { $0.trial.place.target == trial.place.target }) else { return false }
    trials[trial.id] = (trial, .beginning)
    return true
  }

  mutating func started(_ id: String, _ pid: Int32) -> Trial? {
    trials[id]?.trial.pid = pid
    return trials[id]?.trial
  }

  /// The change was made: from now on it may be kept, and its time runs.
  mutating func run(_ id: String) -> Trial? {
    guard trials[id]?.phase == .beginning else { return nil }
    trials[id]?.phase = .running
    return trials[id]?.trial
  }

  /// - Returns: The trial if it is kept: nothing more is to do than to forget it.
  mutating func keep(_ id: String, of target: String) -> Trial? {
    guard let (trial, phase) = trials[id], phase == .running, trial.place.target == target else { return nil }
    trials[id] = nil
    return trial
  }

  /// - Parameters:
  ///   - hasFailed: Whether its change could not be made, or not all of it.
  ///   - target: The app that a person named; `nil` if nobody did.
  /// - Returns: The trial if it is to be taken back now, by the caller alone.
  mutating func takeBack(_ id: String, hasFailed: Bool = false, of target: String? = nil) -> Trial? {
    guard let (trial, phase) = trials[id], phase != .ending else { return nil }
    if let target, trial.place.target != target { return nil }
    // One whose change is being made is not over before the command is, which has a deadline.
    guard phase == .running || hasFailed else { return nil }
    trials[id]?.phase = .ending
    return trial
  }

  mutating func ended(_ id: String) { trials[id] = nil }

  /// - Returns: The trials to take back now. No other begins.
  mutating func shutDown() -> [Trial] {
    isOver = true
    return trials.keys.sorted().compactMap { takeBack($0) }
  }

  /// Whether trials are left that somebody is still making or taking back.
  var isEmpty: Bool { trials.isEmpty }
}
