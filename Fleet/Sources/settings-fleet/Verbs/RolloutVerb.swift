import ArgumentParser
import EtcdClient
import SettingsFleet
import SettingsFleetEtcd
import SettingsTools

struct RolloutVerb: FleetVerb {
  static let configuration = CommandConfiguration(
    commandName: "rollout",
    abstract: "Try a change on some machines first, and then on all; or take it back.",
    usage: """
      settings-fleet rollout --share PERCENT | --canaries GROUP [--wait TIME] [--check] APP VERB WORD ...
      settings-fleet rollout --steps PERCENT,PERCENT,... [--bake TIME] [--check] APP VERB WORD ...
      settings-fleet rollout resume | status [--json] | pause | cancel APP
      """,
    discussion: """
      Edits a document with a verb of this command (set, unset, lock, unlock or import), and gives the new text to the \
      canaries only: a share of the machines, or those of a group. If all of them have it for the whole waiting time, it \
      becomes the document. If one refuses it, does not answer, or its check command fails, it is taken back, and no other \
      machine has seen it. The same happens if this command ends or is killed.

      With --steps it goes from share to share, each with at least one machine more, and stays at each for the time of \
      --bake. Its plan and its step are in the cluster: when this command ends, 'rollout resume' goes on with it from any \
      desk. If none does within the time of --resume-within, the machines take it back by themselves. A refusal, a \
      failed check or a machine that does not answer takes it back everywhere. 'rollout pause' keeps it at its step for \
      a day, or until it is resumed.

      Exits 0 if the change is for all now, 12 if it was taken back, and 1 if the rollout goes on without this command: \
      it was told to end, or another desk has resumed or paused it. 'rollout status' exits 1 if no rollout is under way.

      EXAMPLES
        settings-fleet rollout --share 5 --wait 2m org.example.editor set theme=dark
        settings-fleet rollout --canaries lab --check org.example.editor --group web set workers=8
        settings-fleet rollout --steps 1,10,50,100 --bake 30m --check org.example.editor set theme=dark
        settings-fleet rollout resume org.example.editor
        settings-fleet rollout cancel org.example.editor
      """)

  @Option(help: ArgumentHelp("The percentage of machines that try it: 0.01 to 100.", valueName: "percent"))
  var share: Double?
  @Option(help: ArgumentHelp("The group that tries it.", valueName: "group")) var canaries: String?
  @Option(
    help: ArgumentHelp("How long all canaries have to have it: 30s, 10m; 60s by default.", valueName: "time"))
  var wait: TimeArgument?
  @Option(help: ArgumentHelp("How much longer canaries may take to answer: 30s or more.", valueName: "time"))
  var answerTime: TimeArgument = TimeArgument(argument: "60s")!
  @Flag(help: "Require that the check command of each canary exits 0.") var check = false
  @Option(
    help: ArgumentHelp("Rising percentages of machines, one after the other: 1,10,50,100.", valueName: "percents"))
  var steps: Percentages?
  @Option(
    help: ArgumentHelp("How long each step has to last: 10m, 2h. With --steps; 60s by default.", valueName: "time"))
  var bake: TimeArgument?
  @Option(
    help: ArgumentHelp(
      "How long the rollout waits for 'resume' when this command has ended: 10s or more. With --steps; 1h by default.",
      valueName: "time"))
  var resumeWithin: TimeArgument?
  @Flag(help: "End the rollout of the app that is under way.") var cancel = false
  @Argument(parsing: .captureForPassthrough, help: "The app, options for the document, a verb and its words.")
  var words: [String] = []

  private static let verbs = ["set", "unset", "lock", "unlock", "import"]

  /// What is done with a rollout that is under way; `nil` to begin one.
  private var action: Action? {
    if cancel { return .cancel }
    guard share == nil, canaries == nil, steps == nil else { return nil }
    return words.first.flatMap(Action.init)
  }

  private enum Action: String { case resume, status, pause, cancel }

  func validate() throws {
    if ["--help", "-h"].contains(words.first) { throw CleanExit.helpRequest(self) }
    // The waiting time ends with a sign of life of each canary, and mirrors give one every 20 seconds.
    guard answerTime.seconds >= 30 else {
      throw ValidationError("Invalid value '\(answerTime)' for '--answer-time': 30s or more are possible.")
    }
    if action != nil {
      guard wait == nil, bake == nil, resumeWithin == nil, !check else {
        throw ValidationError(
          "'--wait', '--bake', '--resume-within' and '--check' begin a rollout. They do not change one that is under "
            + "way.")
      }
      return
    }
    guard [share != nil, canaries != nil, steps != nil].count(where: { $0 }) == 1 else {
      throw ValidationError("Use one of --share, --canaries and --steps to say which machines try the change.")
    }
    if steps == nil, bake != nil || resumeWithin != nil {
      throw ValidationError("'--bake' and '--resume-within' go with '--steps'.")
    }
    if steps != nil, wait != nil {
      throw ValidationError("'--wait' goes with '--share' and '--canaries'. How long each step lasts, '--bake' says.")
    }
    // The lease is kept alive every five seconds, and an election takes some, too.
    if let time = resumeWithin, !(10...Rollout.longestWait).contains(time.seconds) {
      throw ValidationError("Invalid value '\(time)' for '--resume-within': 10s to 366 days are possible.")
    }
    if let share, !(0.01...100).contains(share) {
      throw ValidationError("Invalid value '\(share)' for '--share': 0.01 to 100 percent are possible.")
    }
    if let canaries, !FleetNames.isGroup(canaries) {
      let rule = FleetNames.rule(upTo: FleetNames.longestGroup)
      throw ValidationError("Invalid value '\(canaries)' for '--canaries': \(rule).")
    }
  }

  func answer(in context: Context) async throws {
    if let action {
      let words = try DocumentWords(cancel ? words : Array(words.dropFirst()))
      guard words.rest.isEmpty || (action == .status && words.rest == ["--json"]) else {
        throw Failure(.usage, "Unexpected argument '\(words.rest[0])' after 'rollout \(action.rawValue)'.")
      }
      guard words.document.scope == .all else {
        throw Failure(
          .usage,
          "An app has one rollout at a time: leave out '--group' and '--host' after 'rollout \(action.rawValue)'.")
      }
      if action == .cancel { return try await cancelRollout(of: words.document, in: context) }
      return try await goOn(action, with: words.document.app, isJSON: !words.rest.isEmpty, in: context)
    }
    var words = try DocumentWords(words)
    guard let verb = words.rest.first, Self.verbs.contains(verb) else {
      throw Failure(.usage, "Name the verb after the app: \(Self.verbs.joined(separator: ", ")).")
    }
    words.rest.removeFirst()
    let input = try words.standardInput(of: verb)
    let (document, rest) = (words.document, words.rest)
    let editor = try words.editor(for: verb, in: context)
    let (edit, answer) = try await editor.edit { try await $0.run(verb, rest, on: document.scope, input: input) }
    Output.show(answer)
    guard let edit else { return }
    let shares = steps?.shares
    let target: Rollout.Target =
      canaries.map { .group($0) } ?? .share(shares?[0] ?? Int((share! * 100).rounded()))
    let grace = resumeWithin?.seconds ?? 3600
    let coordinator = RolloutCoordinator(
      context: context, editor: editor, appVersion: edit.appVersion, answerSeconds: answerTime.seconds)
    let (wait, check) = ((bake ?? wait ?? TimeArgument(argument: "60s")!).seconds, check)
    try await accompany(document.app, isInSteps: steps != nil) {
      try await coordinator.run(
        edit, target: target, wait: wait, requiresCheck: check,
        steps: shares.flatMap { Rollout.Steps(shares: $0, graceSeconds: grace) })
    }
  }

  private func accompany(_ app: String, isInSteps: Bool, _ body: @escaping @Sendable () async throws -> Void)
    async throws
  {
    guard try await EndSignals.cancelling(body) else { return }
    throw isInSteps
      ? Failure(.noValue, "The rollout is under way. Go on with it: settings-fleet rollout resume \(app)")
      : Failure(.takenBack, "The rollout was taken back: this command was told to end.")
  }

  private func goOn(_ action: Action, with app: String, isJSON: Bool, in context: Context) async throws {
    let snapshot = try await context.cluster.snapshot(of: app)
    let documents = FleetContents(snapshot).apps[app]
    guard let rollout = documents?.rollout, let document = FleetDocument(app: app, scope: rollout.scope) else {
      throw Failure(.noValue, "No rollout of '\(app)' is under way.")
    }
    if action == .status, documents?.openRollout(of: rollout.scope) == nil {
      throw Failure(.noValue, "The rollout of '\(document)' is over: the document was changed meanwhile.")
    }
    guard let steps = rollout.steps else {
      throw Failure(
        .noValue,
        "The rollout of '\(document)' has no steps: it ends with its command, which \(rollout.coordinator) runs. To take it "
          + "back, run 'settings-fleet rollout cancel \(app)'.")
    }
    if action == .status {
      let lease = snapshot.items.first { FleetKey($0.key) == .rollout(app: app) }?.lease
      let state = try await RolloutState(rollout, steps, of: document, lease, in: context.cluster)
      return Output.line(isJSON ? FleetJSON.text(of: state) : state.text)
    }
    let editor = try DocumentEditor(context: context, document: document)
    let workspace = try Workspace(app: app, command: try context.command(), environment: context.environment)
    let coordinator = RolloutCoordinator(
      context: context, editor: editor,
      appVersion: try workspace.newestVersion(), answerSeconds: answerTime.seconds)
    if action == .pause {
      try await coordinator.pause(rollout)
      return Output.line("The rollout is paused. Go on with it: settings-fleet rollout resume \(app)")
    }
    try await accompany(app, isInSteps: true) { try await coordinator.resume(rollout) }
  }

  private func cancelRollout(of document: FleetDocument, in context: Context) async throws {
    let snapshot = try await context.cluster.snapshot(of: document.app)
    let writer = DocumentWriter(document, in: snapshot, appVersion: nil)
    guard !writer.cancel().isEmpty else { throw Failure(.noValue, "No rollout of '\(document.app)' is under way.") }
    guard try await context.cluster.client.transaction(EtcdTransaction(writer.cancel())).succeeded else {
      throw Failure(.changed, "The rollout has just ended or changed. Nothing was done.")
    }
    Output.line("The rollout of '\(document.app)' was taken back.")
  }
}

/// How far a rollout in steps is, as `rollout status` prints it.
private struct RolloutState: Encodable {
  var id: String
  var document: FleetDocument
  var begun: String
  var coordinator: String
  /// The percentage of each step, and the step that is under way, from 1.
  var steps: [Double]
  var step: Int
  var isPaused: Bool
  /// How many canaries have applied the text, have not answered yet, and have refused it.
  var (applied, pending, refused): (Int, Int, Int)
  /// How long a step lasts.
  var bakeSeconds: Int
  /// After which time the machines take it back, unless it is resumed.
  var remainingSeconds = 0

  init(
    _ rollout: Rollout, _ steps: Rollout.Steps, of document: FleetDocument, _ lease: LeaseID?, in cluster: Cluster
  ) async throws {
    (id, self.document, begun) = (rollout.id, document, rollout.created)
    (coordinator, isPaused, bakeSeconds) = (rollout.coordinator, steps.isPaused, rollout.waitSeconds)
    (self.steps, step) = (steps.shares.map { Double($0) / 100 }, steps.index + 1)
    let counts = try await StatusReader(cluster: cluster, app: document.app).read().0.rollout
    (applied, pending, refused) = (counts?.applied ?? 0, counts?.pending ?? 0, counts?.refused.count ?? 0)
    guard let lease else { return }
    remainingSeconds = try await cluster.client.timeToLive(lease.rawValue)?.remaining ?? 0
  }

  var text: String {
    let shares = steps.map { "\($0) %".replacing(".0 %", with: " %") }.joined(separator: ", ")
    return """
      rollout of \(document), begun at \(begun): step \(step) of \(steps.count) (\(shares)), \
      \(isPaused ? "paused by" : "in the hands of") \(coordinator)
        \(applied) applied, \(pending) pending, \(refused) refused; each step lasts \(bakeSeconds) s; \
      taken back in \(remainingSeconds) s unless its coordinator is alive or it is resumed
      """
  }
}

/// Rising percentages, such as `1,10,50,100`.
struct Percentages: ExpressibleByArgument {
  /// In ten-thousandths.
  let shares: [Int]

  init?(argument: String) {
    let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    let shares = numbers.compactMap(\.self).filter { (0.01...100).contains($0) }.map { Int(($0 * 100).rounded()) }
    guard shares.count == numbers.count, Rollout.Steps(shares: shares, graceSeconds: 1) != nil else { return nil }
    self.shares = shares
  }
}
