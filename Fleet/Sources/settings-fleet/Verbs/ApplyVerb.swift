public import ArgumentParser
public import SettingsFleet
import SettingsTools

struct ApplyVerb: FleetVerb {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Make the fleet's documents those of a directory, such as a checkout of git.",
    discussion: """
      A document is a file: APP/all.toml, APP/group/NAME.toml or APP/host/NAME.toml. An older version, which older \
      releases of the app go on reading, is beside it: APP/all@1.toml. 'settings-fleet export --tree DIR' writes such \
      files. Texts are stored byte for byte, and signed if you have a 'signing-key'.

      Prints what changes, checks it with the apps' schemas as they are installed here, and stores all of it in one \
      transaction. If that does not fit, it says so first, and stores several, one after the other. Documents that are \
      not in the directory stay; --prune removes those that an earlier 'apply' of this directory stored. A signed one \
      becomes empty, since machines that require signatures keep what is gone.

      If a document was changed by hand and differs from the directory, 'apply' names it and writes nothing, unless --take \
      says whose text to use. Versions that the directory does not have stay.

      The directory may have values from a text that somebody without a key has stored. Before 'apply' signs them, it shows \
      how the directory's text differs from the last signed one, and writes nothing without --accept-unsigned. Values that \
      the apps' schemas here mark as secret are not shown.

      Exits 0 if all documents are as in the directory, 4 if one would be refused, 5 if it has values that \
      somebody without a key has stored, 9 for changes by hand. With --plan nothing is written; it exits 10 if there is \
      something to do.

      EXAMPLES
        settings-fleet apply ./fleet --plan
        settings-fleet apply ./fleet --prune
        settings-fleet apply ./fleet --take theirs
      """)

  @Argument(help: "The directory.", completion: .directory) var directory: String
  @Flag(help: "Print what would change, write nothing, and exit 10 if there are changes.") var plan = false
  @Flag(help: "Remove documents that an earlier 'apply' stored, and that are not in the directory any more.")
  var prune = false
  @Flag(help: "With --prune, remove all of them if the directory has no document: else that is refused.")
  var allowEmpty = false
  @OptionGroup var unsigned: UnsignedOption
  @Option(
    help: ArgumentHelp(
      "Where a document was changed by hand: 'ours' stores the directory's text, 'theirs' leaves the fleet's.",
      valueName: "ours|theirs"))
  var take: ApplyPlan.Take?
  @Option(
    help: ArgumentHelp(
      "The name of this directory, if several supply the fleet: each removes only its own documents.",
      valueName: "name"))
  var source = "main"
  @Flag(help: "Print the plan as JSON: documents, conflicts, doubtful, refused, left, unchanged, transactions.")
  var json = false

  func validate() throws {
    guard FleetNames.isName(source) else {
      throw ValidationError("Invalid value '\(source)' for '--source': \(FleetNames.rule()).")
    }
  }

  func answer(in context: Context) async throws {
    let tree = try TreeDirectory(path: directory).read()
    if tree.isEmpty, prune, !allowEmpty {
      throw Failure(
        .usage,
        "'\(directory)' has no document. With --prune, all documents that came from it would be removed. Nothing was "
          + "written. Check that it is the right directory, or use --allow-empty.")
    }
    var application = try TreeApplication(tree, source: source, in: context)
    application.options.prunes = prune
    application.acceptsUnsigned = unsigned.acceptUnsigned
    application.options.take = take
    func announce(_ plan: CheckedPlan) throws {
      Output.line(json ? plan.json : plan.text)
      try plan.check()
      plan.warnings.forEach(Output.error)
    }
    if plan {
      let plan = try await application.plan()
      try announce(plan)
      if !plan.plan.isEmpty { throw Failure(.changes, nil) }
      return
    }
    try await application.run(announce: announce) { revision, count in
      Output.error("stored \(count) \(count == 1 ? "document" : "documents") at revision \(revision)")
    }
  }
}

extension ApplyPlan.Take: ExpressibleByArgument {}
