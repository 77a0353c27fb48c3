import Glibc
import HTTPTypes
import SettingsTools
import Synchronization

/// The trials of all apps.
final class Trials: Sendable {
  private struct State {
    var machine = TrialStateMachine()
    var files: [String: TrialFile] = [:]
    var timers: [String: Task<Void, Never>] = [:]
    var ends: [String: ContinuousClock.Instant] = [:]
    var whenEmpty: CheckedContinuation<Void, Never>?
    var recovery: Task<Void, Never>?
    /// Why a trial of a server that was killed is not taken back, until a page has heard it.
    var unended: String?
  }

  /// What became of a trial that was taken back.
  enum Outcome: Sendable {
    case undone
    case failed(CommandResult)
  }

  private let commands: Commands
  private let hub: WatchHub
  // Protects the trials. Commands run, and others hear of it, after it is released.
  private let state = Mutex(State())

  init(_ commands: Commands, _ hub: WatchHub) { (self.commands, self.hub) = (commands, hub) }

  // MARK: Beginning

  /// Notes that a change is about to be tried.
  ///
  /// - Returns: Its id, and its file, which the change is to be made in whatever profile is active then.
  /// - Throws: ``Refusal`` if another one is being tried there, if it cannot be noted, or if the file keeps no history,
  ///   which the change is taken back with.
  func begin(_ place: Trial.Place, keys: [String]) async throws -> (id: String, place: Trial.Place) {
    guard let (place, newest, made) = try await commands.beginning(place) else {
      throw Refusal(
        .unprocessableContent,
        "The file keeps no history, so a change of it cannot be taken back. Nothing was written.")
    }
    let trial = Trial(id: Token().text, place: place, keys: keys, after: newest, made: made)
    guard state.withLock({ $0.machine.begin(trial) }) else {
      throw Refusal(.conflict, "A change is being tried already. Keep it or take it back first.")
    }
    let other: TrialFacts?
    do {
      let directory = try TrialFile.directory(environment: commands.environment)
      let file = try TrialFile.make(trial.facts, in: directory)
      state.withLock { $0.files[trial.id] = file }
      other = file.other(of: place.target, in: directory)
    } catch {
      forget(trial.id)
      throw Refusal(.internalServerError, ToolError(any: error).description)
    }
    if let other {
      // The one of another server, or of 'settings-cli try': what that one tries would be what is put back.
      forget(trial.id)
      throw Refusal(.conflict, other.conflict)
    }
    return (trial.id, place)
  }

  /// Notes the process that makes the change, before it makes it.
  func started(_ id: String, _ pid: pid_t) {
    let (trial, file) = state.withLock { ($0.machine.started(id, pid), $0.files[id]) }
    if let trial { _ = file?.write(trial.facts) }
  }

  /// Whether the change of a trial is in the history, which it is taken back with.
  func isRecorded(_ id: String) async -> Bool {
    guard let trial = state.withLock({ $0.machine.trials[id]?.trial }), let pid = trial.pid else { return false }
    return (try? await commands.entry(of: pid, trial.place, after: trial.after)) ?? nil != nil
  }

  /// Starts the time of a trial whose change was made. While the server ends, a trial has none.
  func run(_ id: String, for time: Duration) {
    let trial = state.withLock { state -> Trial? in
      guard let trial = state.machine.run(id) else { return nil }
      let time = state.machine.isOver ? .zero : time
      state.ends[id] = .now + time
      state.timers[id] = Task { [weak self] in
        guard (try? await Task.sleep(for: time, clock: .continuous)) != nil else { return }
        await self?.takeBack(id)
      }
      return trial
    }
    guard let trial else { return }
    tell(trial, "started", with: ["seconds": .number(Int(time.components.seconds))])
  }

  /// What a page that opens now has to hear of an app's trial; `nil` if none runs.
  func running(of target: String) -> PageEvent? {
    state.withLock { state in
      guard let (trial, _) = state.machine.trials.values.first(where: { $0.trial.place.target == target }),
        let end = state.ends[trial.id]
      else { return nil }
      let seconds = Int((end - .now).components.seconds) + 1
      return Self.event(trial, "started", with: ["seconds": .number(max(seconds, 0))])
    }
  }

  // MARK: Ending

  /// - Returns: `false` if there is no such trial any more.
  func keep(_ id: String, of target: String) async -> Bool {
    guard let trial = state.withLock({ $0.machine.keep(id, of: target) }) else { return false }
    forget(id)
    tell(trial, "kept")
    return true
  }

  /// Takes a trial back because the person says so.
  ///
  /// - Returns: `nil` if there is no such trial any more.
  func end(_ id: String, of target: String) async -> Outcome? {
    guard let trial = state.withLock({ $0.machine.takeBack(id, of: target) }) else { return nil }
    return await undo(trial)
  }

  /// Takes a trial back whose time is over, or whose change failed, as far as it was made.
  func takeBack(_ id: String, hasFailed: Bool = false) async {
    guard let trial = state.withLock({ $0.machine.takeBack(id, hasFailed: hasFailed) }) else { return }
    await undo(trial)
  }

  /// Forgets a trial that changed nothing.
  func forget(_ id: String) {
    let (file, waiting) = state.withLock { state -> (TrialFile?, CheckedContinuation<Void, Never>?) in
      state.machine.ended(id)
      state.timers.removeValue(forKey: id)?.cancel()
      state.ends[id] = nil
      let file = state.files.removeValue(forKey: id)
      guard state.machine.isEmpty else { return (file, nil) }
      defer { state.whenEmpty = nil }
      return (file, state.whenEmpty)
    }
    file?.remove()
    waiting?.resume()
  }

  /// Undoes the change of a trial by its entry in the history. What somebody else has changed since stays.
  @discardableResult
  private func undo(_ trial: Trial) async -> Outcome {
    // Its change was made and recorded.
    let hasRun = state.withLock { $0.ends[trial.id] != nil }
    // In a task of its own: neither a timer that is cancelled nor a client that goes away ends the command.
    let outcome = await Task { () -> Outcome in
      do {
        guard let pid = trial.pid, let entry = try await commands.entry(of: pid, trial.place, after: trial.after) else {
          return hasRun ? .failed(Self.failure("The history has the change no more. So it stays.")) : .undone
        }
        let result = try await commands.run(["undo", "--entry=\(entry)"] + trial.place.words)
        // 1: the values are those from before already.
        guard result.status == 0 || result.status == 1 else { return .failed(result) }
        // What is taken back of a file that the trial made is the file.
        if !trial.made.isEmpty {
          state.withLock { $0.files[trial.id] }?.release()
          _ = try? await commands.run(["try"])
        }
        return .undone
      } catch {
        let words = ([trial.place.target] + trial.place.options).joined(separator: " ")
        return .failed(
          Self.failure("The history cannot be read. To take the change back, run 'settings-cli undo \(words)'."))
      }
    }.value
    forget(trial.id)
    switch outcome {
    case .undone: tell(trial, "undone")
    case .failed(let result):
      tell(trial, "failed", with: ["message": .text(result.messages.last)])
    }
    return outcome
  }

  private static func failure(_ message: String) -> CommandResult {
    CommandResult(pid: 0, status: 7, output: [], messages: [message])
  }

  /// Takes back all trials, and returns when that is done.
  func shutDown() async {
    for trial in state.withLock({ $0.machine.shutDown() }) { await undo(trial) }
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state -> Bool in
        if !state.machine.isEmpty { state.whenEmpty = continuation }
        return state.machine.isEmpty
      }
      if isEmpty { continuation.resume() }
    }
  }

  /// Takes back the trials of servers that were killed.
  func startRecovery() -> Task<Void, Never> {
    state.withLock { state in
      let task = Task { await recover() }
      state.recovery = task
      return task
    }
  }

  private func recover() async {
    guard let directory = try? TrialFile.directory(environment: commands.environment),
      TrialFile.isAny(in: directory)
    else { return }
    guard let result = try? await commands.run(["try"]), result.status != 0, let message = result.messages.last else {
      return
    }
    state.withLock { $0.unended = message.replacing("warning: ", with: "", maxReplacements: 1) }
  }

  /// What the first page that opens has to hear of trials of servers that were killed; `nil` if nothing.
  func unended() async -> PageEvent? {
    await state.withLock { $0.recovery }?.value
    let message = state.withLock { state in
      defer { state.unended = nil }
      return state.unended
    }
    return message.map { text in
      PageEvent(
        name: "trial",
        data: (["id": .text("unended"), "state": .text("failed"), "message": .text(text)] as JSONObject).bytes)
    }
  }

  private func tell(_ trial: Trial, _ state: String, with more: JSONObject = [:]) {
    hub.tell(Self.event(trial, state, with: more), to: trial.place.target)
  }

  private static func event(_ trial: Trial, _ state: String, with more: JSONObject) -> PageEvent {
    let facts: JSONObject = ["id": .text(trial.id), "state": .text(state), "keys": .texts(trial.keys)]
    return PageEvent(name: "trial", data: (facts + more).bytes)
  }
}
