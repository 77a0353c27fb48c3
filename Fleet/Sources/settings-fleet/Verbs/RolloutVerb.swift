import ArgumentParser
import EtcdClient
import SettingsFleet
import SettingsFleetEtcd

struct RolloutVerb: FleetVerb {
  static let configuration = CommandConfiguration(
    commandName: "rollout",
    abstract: "Try a change on some machines first, and then on all; or take it back.",
    usage: "settings-fleet rollout --share PERCENT | --canaries GROUP [--wait TIME] [--check] APP VERB WORD ...",
    discussion: """
      Edits a document with a verb of this command (set, unset, lock, unlock or import), and gives the new text to the \
      canaries only: a share of the machines, or those of a group. If all of them have it for the whole waiting time, it \
      becomes the document. If one refuses it, does not answer, or its check command fails, it is taken back, and no other \
      machine has seen it. The same happens if this command ends or is killed.

      Exits 0 if the change is for all now, 12 if it was taken back.

      EXAMPLES
        settings-fleet rollout --share 5 --wait 2m org.example.editor set theme=dark
        settings-fleet rollout --canaries lab --check org.example.editor --group web set workers=8
        settings-fleet rollout --cancel org.example.editor
      """)

  @Option(help: ArgumentHelp("The percentage of machines that try it: 0.01 to 100.", valueName: "percent"))
  var share: Double?
  @Option(help: ArgumentHelp("The group that tries it.", valueName: "group")) var canaries: String?
  @Option(help: ArgumentHelp("How long all canaries have to have it: 30s, 10m.", valueName: "time"))
  var wait: TimeArgument = TimeArgument(argument: "60s")!
  @Option(help: ArgumentHelp("How much longer canaries may take to answer.", valueName: "time"))
  var answerTime: TimeArgument = TimeArgument(argument: "60s")!
  @Flag(help: "Require that the check command of each canary exits 0.") var check = false
  @Flag(help: "End the rollout of the app that is under way.") var cancel = false
  @Argument(parsing: .captureForPassthrough, help: "The app, options for the document, a verb and its words.")
  var words: [String] = []

  private static let verbs = ["set", "unset", "lock", "unlock", "import"]

  func validate() throws {
    if ["--help", "-h"].contains(words.first) { throw CleanExit.helpRequest(self) }
    if cancel { return }
    guard (share == nil) != (canaries == nil) else {
      throw ValidationError("Use either --share or --canaries to say which machines try the change.")
    }
    if let share, !(0.01...100).contains(share) {
      throw ValidationError("Invalid value '\(share)' for '--share': 0.01 to 100 percent are possible.")
    }
    if let canaries, !FleetNames.isGroup(canaries) {
      throw ValidationError("Invalid value '\(canaries)' for '--canaries': the name of a group is needed.")
    }
  }

  func answer(in context: Context) async throws {
    var words = try DocumentWords(words)
    if cancel { return try await cancelRollout(of: words.document, in: context) }
    guard let verb = words.rest.first, Self.verbs.contains(verb) else {
      throw Failure(.usage, "Name the verb after the app: \(Self.verbs.joined(separator: ", ")).")
    }
    words.rest.removeFirst()
    let (document, rest) = (words.document, words.rest)
    let editor = try DocumentEditor(context: context, document: document, acceptsUnsigned: words.acceptsUnsigned)
    let input = try words.standardInput()
    let (edit, answer) = try await editor.edit { try await $0.run(verb, rest, on: document.scope, input: input) }
    Output.show(answer)
    guard let edit else { return }
    let target: Rollout.Target = canaries.map { .group($0) } ?? .share(Int((share! * 100).rounded()))
    let coordinator = RolloutCoordinator(
      context: context, editor: editor, edit: edit, target: target, wait: wait.seconds,
      answerSeconds: answerTime.seconds, requiresCheck: check)
    let isCancelled = try await EndSignals.cancelling { try await coordinator.run() }
    if isCancelled { throw Failure(.takenBack, "The rollout was taken back: this command was told to end.") }
  }

  private func cancelRollout(of document: FleetDocument, in context: Context) async throws {
    let snapshot = try await context.cluster.snapshot(of: document.app)
    let writer = DocumentWriter(document, in: snapshot, appVersion: nil)
    guard !writer.cancel().isEmpty else { throw Failure(.noValue, "No rollout of '\(document.app)' is under way.") }
    do {
      guard try await context.cluster.client.transaction(EtcdTransaction(writer.cancel())).succeeded else {
        throw Failure(.changed, "The rollout has just ended or changed. Nothing was done.")
      }
    } catch let error as EtcdError {
      throw Failure(error)
    }
    Output.line("The rollout of '\(document.app)' was taken back.")
  }
}
