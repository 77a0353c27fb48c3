import ArgumentParser
import SettingsFleet
import SettingsTools

// The verbs that `settings-cli` has for a file, on a document. What they print, refuse and ask is the same.

extension CommandConfiguration {
  private static let place =
    "--group NAME and --host NAME choose the document of a group or of one machine; without one, it is that of all "
    + "machines. Everything else is what 'settings-cli' takes."

  static func reading(_ verb: String, _ abstract: String, _ arguments: String, _ examples: String...) -> Self {
    CommandConfiguration(
      commandName: verb, abstract: abstract, usage: "settings-fleet \(verb) \(arguments) [--at REVISION]",
      discussion: """
        \(place)

        --at reads what the cluster had at a revision, as 'log' prints it, until it is compacted away.

        EXAMPLES
        \(examples.map { "  settings-fleet \($0)" }.joined(separator: "\n"))
        """)
  }

  static func writing(_ verb: String, _ abstract: String, _ arguments: String, _ examples: String...) -> Self {
    CommandConfiguration(
      commandName: verb, abstract: abstract, usage: "settings-fleet \(verb) \(arguments)",
      discussion: """
        \(place)

        The document is stored in one transaction, if it is still the one that was edited; otherwise the edit is made \
        again on the new one. So writers at the same time lose nothing. Only the bytes of what is edited change.

        With 'trusted-keys' or a 'signing-key' in your settings, a document that none of these keys has signed is not \
        edited, nor one of a group or machine while that of all is not signed; --accept-unsigned allows it, and 'log' \
        shows that. The document of a group or machine that the fleet does not know is not made if its name is like one \
        that it knows; --create allows that, too.

        EXAMPLES
        \(examples.map { "  settings-fleet \($0)" }.joined(separator: "\n"))
        """)
  }
}

struct GetVerb: ReadingVerb {
  static let configuration = CommandConfiguration.reading(
    "get", "Print the value of a key.", "APP KEY", "get org.example.editor theme",
    "get org.example.editor theme --group lab --layers")
  @Argument(parsing: .captureForPassthrough, help: "APP, KEY and options.") var words: [String] = []
}

struct ListVerb: ReadingVerb {
  static let configuration = CommandConfiguration.reading(
    "list", "Print all keys and values of a document and those below it.", "APP [PREFIX]",
    "list org.example.editor --origin")
  @Argument(parsing: .captureForPassthrough, help: "APP, PREFIX and options.") var words: [String] = []
}

struct DescribeVerb: ReadingVerb {
  static let configuration = CommandConfiguration.reading(
    "describe", "Print what keys are for, and the values they have.", "APP [KEY]", "describe org.example.editor theme")
  @Argument(parsing: .captureForPassthrough, help: "APP, KEY and options.") var words: [String] = []
}

struct CheckVerb: ReadingVerb {
  static let configuration = CommandConfiguration.reading(
    "check", "Check a document with the app's schema.", "APP", "check org.example.editor")
  @Argument(parsing: .captureForPassthrough, help: "APP and options.") var words: [String] = []
}

struct ExportVerb: ReadingVerb {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Print a document as TOML, JSON or variables, or write all of them as files.",
    usage: """
      settings-fleet export APP [PREFIX] [--at REVISION]
      settings-fleet export --tree DIR [APP ...] [--at REVISION] [--accept-unsigned]
      """,
    discussion: """
      With --tree, the documents of these apps, or of all, become files in a directory, byte for byte, as 'apply' reads \
      them: APP/all.toml, APP/group/NAME.toml, APP/host/NAME.toml, and older versions beside them (APP/all@1.toml). Files \
      that are there are replaced; documents that only the directory has stay, and are named.

      'apply' signs what is in the directory. With 'trusted-keys' or a 'signing-key' in your settings, nothing is written \
      if none of these keys has signed a document (status 5); --accept-unsigned writes all of them.

      Otherwise --group NAME and --host NAME choose the document, and everything else is what 'settings-cli' takes.

      --at reads what the cluster had at a revision, as 'log' prints it, until it is compacted away.

      EXAMPLES
        settings-fleet export org.example.editor --json
        settings-fleet export --tree ./fleet
      """)
  @Argument(parsing: .captureForPassthrough, help: "APP, PREFIX and options.") var words: [String] = []

  func answer(in context: Context) async throws {
    let words = words.flatMap { word in
      // Each option with its value as two words.
      ["--tree=", "--at="].contains(where: word.hasPrefix)
        ? word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init) : [word]
    }
    guard let place = words.prefix(while: { $0 != "--" }).firstIndex(of: "--tree") else {
      return try await read(in: context)
    }
    guard let directory = words[place...].dropFirst().first else {
      throw Failure(.usage, "Missing value for '--tree'.")
    }
    var (apps, revision, acceptsUnsigned) = ([String](), Int64?.none, false)
    var rest = words[..<place] + words[(place + 2)...]
    while let word = rest.popFirst() {
      if word == "--at" {
        revision = try DocumentWords.revision(rest.popFirst() ?? "")
      } else if word == "--accept-unsigned" {
        acceptsUnsigned = true
      } else {
        guard FleetNames.isApp(word) else { throw Failure(.usage, "Unknown option or invalid app '\(word)'.") }
        apps.append(word)
      }
    }
    let trust = try context.settings.trust()
    let contents = FleetContents(try await context.cluster.snapshot(of: apps, at: revision))
    var documents: [FleetDocument: [Int: [UInt8]]] = [:]
    // What may not be applied is not exported either.
    for (app, found) in contents.apps where app != FleetNames.ownApp {
      for (scope, versions) in found.documents {
        FleetDocument(app: app, scope: scope).map { documents[$0] = versions.mapValues(\.text) }
      }
    }
    for app in apps where !documents.keys.contains(where: { $0.app == app }) {
      throw Failure(.noValue, "The fleet has no document of '\(app)'.")
    }
    // Once they are in the directory, nobody can tell them from what its reviewers wanted.
    let problems = documents.keys.sorted().flatMap { document in
      contents.versions(of: document).sorted { $0.key < $1.key }.compactMap { version, stored in
        trust.problem(with: stored, of: document, version: version)
      }
    }
    guard problems.isEmpty || acceptsUnsigned else {
      throw Failure(
        .notWritable,
        "Cannot export documents that no trusted key has signed: 'apply' would sign them.\n"
          + problems.map { "  \($0.message)\n" }.joined()
          + "Take that back with 'settings-fleet undo', or repeat the command with --accept-unsigned if all of it is right. "
          + "Nothing was written.")
    }
    let others = try TreeDirectory(path: directory).write(documents) { apps.isEmpty || apps.contains($0.app) }
    for file in others { Output.error("note: '\(file)' is not in the fleet.") }
    warn(problems)
    Output.line("\(documents.count) \(documents.count == 1 ? "document" : "documents")")
  }
}

struct DiffVerb: ReadingVerb {
  static let configuration = CommandConfiguration.reading(
    "diff", "Show what a document changes, or compare it with a file.", "APP [FILE]",
    "diff org.example.editor --group lab")
  @Argument(parsing: .captureForPassthrough, help: "APP, FILE and options.") var words: [String] = []
}

struct SetVerb: WritingVerb {
  static let configuration = CommandConfiguration.writing(
    "set", "Set the values of keys on all machines.", "APP KEY VALUE | APP KEY=VALUE ...",
    "set org.example.editor theme=dark font-size=14", "set org.example.editor --group lab theme light")
  @Argument(parsing: .captureForPassthrough, help: "APP, keys and values, and options.") var words: [String] = []
}

struct UnsetVerb: WritingVerb {
  static let configuration = CommandConfiguration.writing(
    "unset", "Remove the values of keys.", "APP KEY ...", "unset org.example.editor theme")
  @Argument(parsing: .captureForPassthrough, help: "APP, keys and options.") var words: [String] = []
}

struct LockVerb: WritingVerb {
  static let configuration = CommandConfiguration.writing(
    "lock", "Lock keys on all machines, so that nobody there can change them.", "APP KEY ... [--reason TEXT]",
    "lock org.example.editor update.channel --reason 'See ticket 4711.'")
  @Argument(parsing: .captureForPassthrough, help: "APP, keys and options.") var words: [String] = []
}

struct UnlockVerb: WritingVerb {
  static let configuration = CommandConfiguration.writing(
    "unlock", "Remove locks.", "APP KEY ...", "unlock org.example.editor update.channel")
  @Argument(parsing: .captureForPassthrough, help: "APP, keys and options.") var words: [String] = []
}

struct ImportVerb: WritingVerb {
  static let configuration = CommandConfiguration.writing(
    "import", "Import values from a file in another format.", "APP FILE", "import org.example.editor ./old.json")
  @Argument(parsing: .captureForPassthrough, help: "APP, FILE and options.") var words: [String] = []
}

struct MigrateVerb: WritingVerb {
  static let configuration = CommandConfiguration.writing(
    "migrate", "Upgrade a document to the app's version, beside the one that older releases go on reading.", "APP",
    "migrate org.example.editor --dry-run", "migrate org.example.editor")
  @Argument(parsing: .captureForPassthrough, help: "APP and options.") var words: [String] = []
}

/// A verb of `settings-cli` that reads a document.
protocol ReadingVerb: PassingVerb {}

extension ReadingVerb {
  func answer(in context: Context) async throws { try await read(in: context) }

  func read(in context: Context) async throws {
    let words = try DocumentWords(words, of: Self.word, takesRevision: true)
    let documents = try await context.cluster.documents(of: words.document.app, at: words.revision)
    let command = try context.command()
    let workspace = try Workspace(app: words.document.app, command: command, environment: context.environment)
    let newest = try workspace.newestVersion()
    guard try workspace.fill(with: documents, upTo: newest, for: words.document.scope) else {
      let when = words.revision.map { " at revision \($0)" } ?? ""
      var hint = words.document.scope.near(among: documents.documents.keys).map { " Did you mean '\($0)'?" } ?? ""
      if let app = DocumentWords.app(behind: words.rest),
        (try? await context.cluster.documents(of: app))?.documents.isEmpty == false
      {
        hint = " \(DocumentWords.order(Self.word, app))"
      } else if documents.documents.isEmpty, let near = await context.cluster.app(near: words.document.app) {
        hint = " Did you mean '\(near)'?"
      }
      throw Failure(.noValue, "The fleet has no document '\(words.document)'\(when).\(hint)")
    }
    // A key that cannot be used is an error before anything is shown.
    let trust = try context.settings.trust()
    let answer = try await workspace.run(Self.word, words.rest, on: words.document.scope)
    Output.show(answer)
    let problems = Set([.all, words.document.scope]).sorted().compactMap { scope in
      documents.readable(scope, upTo: newest).flatMap { version, stored in
        FleetDocument(app: words.document.app, scope: scope).flatMap {
          trust.problem(with: stored, of: $0, version: version)
        }
      }
    }
    warn(problems)
    if answer.status != 0 { throw Failure(status: answer.status) }
    if Self.word == CheckVerb.word, !problems.isEmpty { throw Failure(.notWritable, nil) }
  }
}

extension ReadingVerb {
  /// Names what no trusted key has signed.
  fileprivate func warn(_ problems: [FleetProblem]) {
    for problem in problems { Output.error("warning: \(problem.message) Machines that require signatures refuse it.") }
  }
}

/// A verb of `settings-cli` that changes a document.
protocol WritingVerb: PassingVerb {}

extension WritingVerb {
  func answer(in context: Context) async throws {
    var words = try DocumentWords(words, of: Self.word)
    let editor = try words.editor(for: Self.word, in: context)
    let input = try words.standardInput(of: Self.word)
    let (rest, scope) = (words.rest, words.document.scope)
    try await editor.change(because: Self.word) { workspace in
      try await workspace.run(Self.word, rest, on: scope, input: input)
    }
  }
}

extension DocumentWords {
  /// What edits the document with a verb, as the words say it. Other verbs than these make no document.
  func editor(for verb: String, in context: Context) throws -> DocumentEditor {
    let creates = !["set", "lock", "import"].contains(verb) || rest.prefix { $0 != "--" }.contains("--create")
    return try DocumentEditor(
      context: context, document: document, acceptsUnsigned: acceptsUnsigned, creates: creates)
  }
}
