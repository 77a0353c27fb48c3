import ArgumentParser
import SettingsFleet
import SettingsTools

struct EditVerb: FleetVerb {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Edit a document with $VISUAL or $EDITOR.",
    discussion: """
      Opens the document's text as 'settings-cli edit' opens a file: it is checked when the editor ends. If somebody else \
      has stored the document meanwhile, both edits are merged; where both have changed one key, nothing is stored. A \
      text that cannot be stored is kept in a file here.

      --text stores a whole text without an editor, after the same checks.

      EXAMPLES
        settings-fleet edit org.example.editor --group lab
        settings-fleet edit org.example.editor --text ./new.toml
      """)

  @Argument(help: "The app.") var app: String
  @OptionGroup var place: PlaceOptions
  @OptionGroup var unsigned: UnsignedOption
  @OptionGroup var new: CreateOption
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Store the text of this file, or with '-' of standard input, without an editor.", valueName: "file"),
    completion: .file())
  var text: String?

  func answer(in context: Context) async throws {
    let document = try place.document(of: app)
    let editor = try DocumentEditor(
      context: context, document: document, acceptsUnsigned: unsigned.acceptUnsigned, creates: new.create)
    let given = try text.map { name in
      name == "-" ? try StandardInput.all(upTo: .max) : try File.read(name, isTyped: true)
    }
    let options = new.create ? ["--create"] : []
    var first: (base: [UInt8], text: [UInt8])?
    do {
      try await editor.change(because: "edit") { workspace in
        if let first { return try workspace.merge(first.base, first.text, into: document.scope) }
        let base = try workspace.text(of: document.scope) ?? []
        var answer = SettingsCommand.Answer.silent
        if let given {
          answer = try await workspace.run("edit", ["--text", "-"] + options, on: document.scope, input: given)
        } else {
          answer.status = try await workspace.runAtTerminal("edit", options, on: document.scope)
        }
        first = (base, try workspace.text(of: document.scope) ?? [])
        return answer
      }
    } catch {
      guard given == nil, let first, first.text != first.base, let failure = Failure(any: error) else { throw error }
      let message = [failure.message, keep(first.text, in: context)].compactMap(\.self).joined(separator: "\n")
      throw Failure(status: failure.status, message: message)
    }
  }

  /// Keeps a text that could not be stored, and says where.
  private func keep(_ text: [UInt8], in context: Context) -> String {
    let name = "\(app)-\(Change.millisecondsSince1970).toml"
    var problem = ""
    // Not everybody may write in the directory where they are.
    for path in [name, "\(context.environment["TMPDIR"] ?? "/tmp")/\(name)"] {
      do {
        try File.create(path, with: text)
        return "Your text is in '\(path)'."
      } catch {
        problem = "\(error)"
      }
    }
    return problem
  }
}
