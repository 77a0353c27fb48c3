import AppSettings
import AppSettingsSchema
import Glibc
import SettingsFleet
import SettingsTOML
import SettingsTools

/// A directory that only this process uses, in which an app's documents are files.
///
/// They are laid out as a machine has them, so that `settings-cli` sees one document and those below it. The directory
/// goes when the workspace does.
final class Workspace: Sendable {
  let app: String
  private let root: String
  private let command: SettingsCommand
  private let environment: [String: String]

  /// - Throws: `File.Failed` if no temporary directory can be made.
  init(app: String, command: SettingsCommand, environment: [String: String]) throws(File.Failed) {
    let parent = environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
    var template = Array("\(parent)/settings-fleet-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw File.Failed("make", "\(parent)/settings-fleet-XXXXXX")
    }
    root = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    self.app = app
    (self.command, self.environment) = (command, environment)
    do {
      try File.makeDirectory(directories.home)
      try File.makeDirectory(files, mode: 0o755)
    } catch {
      File.removeDirectory(root)
      throw error
    }
  }

  deinit { File.removeDirectory(root) }

  var directories: SettingsCommand.Directories {
    SettingsCommand.Directories(system: root + "/config", state: root + "/state", home: root + "/home")
  }

  private var files: String { "\(root)/config/\(app)/settings.d" }

  func path(of scope: DocumentScope) -> String { "\(files)/\(scope.fileName)" }

  /// Stores a document's text as a file; `nil` removes it.
  func put(_ text: [UInt8]?, as scope: DocumentScope) throws(File.Failed) {
    if let text {
      try File.put(text, at: path(of: scope), mode: 0o644)
    } else {
      try File.remove(path(of: scope))
    }
  }

  /// The text of a document; `nil` if there is no file.
  func text(of scope: DocumentScope) throws(File.Failed) -> [UInt8]? { try File.readIfThere(path(of: scope)) }

  /// Stores a document, and the one below it, as files.
  ///
  /// - Parameter newest: The highest version that may be read; `nil` for any.
  /// - Returns: Whether there is such a document.
  @discardableResult
  func fill(with documents: AppDocuments, upTo newest: Int?, for scope: DocumentScope) throws(File.Failed) -> Bool {
    func text(of scope: DocumentScope) -> [UInt8]? { documents.readable(scope, upTo: newest)?.stored.text }
    // Which groups a host is in, only the machine knows.
    if scope != .all { try put(text(of: .all), as: .all) }
    let own = text(of: scope)
    try put(own, as: scope)
    return own != nil
  }

  /// Runs a verb of `settings-cli` on a document, as a drop-in of administrators.
  func run(
    _ verb: String, _ words: [String], on scope: DocumentScope, input: [UInt8] = []
  ) async throws -> SettingsCommand.Answer {
    var answer = try await command.run(
      [verb, app, "--drop-in", scope.dropIn] + words, in: directories, input: input)
    answer.messages = shown(answer.messages, for: scope)
      .replacing("Usage: settings-cli \(verb) TARGET", with: "Usage: settings-fleet \(verb) APP")
      .replacing("; you can also name one with --schema", with: "")
    answer.output = Array(shown(String(decoding: answer.output, as: UTF8.self), for: scope).utf8)
    return answer
  }

  /// As ``run(_:_:on:input:)``, for a verb that asks or opens an editor.
  func runAtTerminal(_ verb: String, _ words: [String], on scope: DocumentScope) async throws -> Int32 {
    try await command.runAtTerminal([verb, app, "--drop-in", scope.dropIn] + words, in: directories)
  }

  /// Makes an edit of one text on the present one, as `settings-cli edit` merges what others have changed meanwhile.
  ///
  /// - Parameters:
  ///   - base: What the edit was made on.
  ///   - edited: What it made of that.
  /// - Throws: ``Failure``, with status 9 where both have changed one key. The present text stays then.
  func merge(_ base: [UInt8], _ edited: [UInt8], into scope: DocumentScope) throws -> SettingsCommand.Answer {
    let present = try text(of: scope) ?? []
    if present == base { try put(edited, as: scope) }
    if present == base || present == edited { return .silent }
    let said = Lock("")
    let tell: ToolMessageHandler = { message in
      guard message.isWarning else { return }
      said.withLock { $0 += "settings-fleet: warning: \(message.text)\n" }
    }
    try using(scope, telling: tell) { opened in
      let replacement = TextReplacement(opened, before: base)
      try replacement.write(try replacement.checked(edited, named: "text"))
    }
    return SettingsCommand.Answer(status: 0, output: [], messages: shown(said.withLock { $0 }, for: scope))
  }

  /// Does something with a document in this process, as `settings-cli` does it.
  ///
  /// - Throws: ``Failure``.
  func using<Result>(
    _ scope: DocumentScope, telling tell: @escaping ToolMessageHandler = { _ in },
    _ body: (OpenedSettings) throws -> Result
  ) throws -> Result {
    do {
      let target = target(.dropIn(scope.dropIn), telling: tell)
      let opened = try target.openUnread(isForWriting: true)
      opened.load()
      return try body(opened)
    } catch let failure as Failure {
      throw failure
    } catch let conflict as TextReplacement.Conflict {
      throw Failure(.changed, shown(conflict.failure.description, for: scope))
    } catch {
      let failure = ToolError(any: error)
      throw Failure(failure.status, shown(failure.description, for: scope))
    }
  }

  /// The highest representation version that the app reads; `nil` without a schema, which takes any.
  ///
  /// - Throws: ``Failure`` if there is a schema that cannot be used.
  func newestVersion() throws -> Int? {
    do {
      return try target(.own).fileSchema()?.migrations.currentVersion
    } catch {
      throw Failure(schemaOf: app, error)
    }
  }

  private func target(_ layer: Target.Layer, telling tell: @escaping ToolMessageHandler = { _ in }) -> Target {
    Target(app, layer, environment: directories.variables(over: environment), telling: tell)
  }

  /// A path that a verb can use for a file of its own.
  func scratchFile(_ name: String) -> String { "\(root)/\(name)" }

  /// Names documents as people do, and not by the paths of their files here.
  private func shown(_ text: String, for scope: DocumentScope) -> String {
    // A backup goes with this directory: what was before is in the cluster.
    var text = text.split(separator: "\n", omittingEmptySubsequences: false).filter {
      !$0.hasPrefix("backup: \(root)/")
    }
    .joined(separator: "\n")
    let (local, place) = ("\(app) --drop-in \(scope.dropIn)", "\(app)\(scope.option)")
    text = text.replacing("'settings-cli edit \(local)'", with: "'settings-fleet edit \(place)'")
    text = text.replacing(
      "move it to the backups with 'settings-cli recover \(local)'. No earlier text of it is kept.",
      with: "take back the last change with 'settings-fleet undo \(place)'.")
    text = text.replacing("'settings-cli apps' lists the apps", with: "'settings-fleet status' lists the fleet's apps")
    guard text.contains(root) else { return text }
    text = text.replacing(path(of: scope), with: "fleet:\(app)/\(scope)")
    for name in (try? File.names(in: files)) ?? [] {
      // A host's document is the only one whose file does not say whose it is.
      guard let below = DocumentScope(fileName: name, host: "") else { continue }
      text = text.replacing("\(files)/\(name)", with: "fleet:\(app)/\(below)")
    }
    return text.replacing(files, with: "fleet:\(app)").replacing(root, with: "fleet:")
  }

  /// The representation version that a text says it has: `settings-version`, or 1.
  ///
  /// - Throws: ``Failure`` if the text does not parse, or its version is not valid.
  static func version(of text: [UInt8]) throws -> Int {
    do {
      return try SettingsMigrations.version(of: TOMLDocument(parsing: text))
    } catch let error as SettingsError {
      throw Failure(.migration, error.message)
    } catch let error as TOMLSyntaxError {
      throw Failure(error)
    }
  }
}

extension DocumentScope {
  /// The name of the scope's file as a drop-in: without its ending.
  var dropIn: String { String(fileName.dropLast(5)) }

  /// What the scope is: `all`, `group` or `host`.
  var kind: Substring { "\(self)".prefix { $0 != "/" } }

  /// The group's or host's name; `nil` for all machines.
  var name: String? {
    switch self {
    case .all: nil
    case .group(let name), .host(let name): name
    }
  }

  /// The name of another group or host that was probably meant. One that differs in its digits was not: `web-1` and `web-2`
  /// are two machines.
  func near(among scopes: some Sequence<DocumentScope>) -> String? {
    func letters(_ name: String) -> String { name.filter { !$0.isNumber } }
    guard let name, name.count > 2 else { return nil }
    let names = scopes.filter { $0.kind == kind }.compactMap(\.name).filter { letters($0) != letters(name) }
    return Suggestion.nearest(to: name, among: names.sorted())
  }

  /// The option by which a person chooses the scope.
  var option: String {
    name.map { " --\(kind) \($0)" } ?? ""
  }
}
