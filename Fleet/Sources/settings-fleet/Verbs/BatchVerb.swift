import ArgumentParser
import SettingsFleet
import SettingsTools

struct BatchVerb: FleetVerb {
  static let configuration = CommandConfiguration(
    commandName: "batch",
    abstract: "Make edits of several documents, all at once or none.",
    discussion: """
      Standard input has one JSON object a line, as 'settings-cli batch' takes them, and lines that choose the document \
      of those after them:

        {"app": "org.example.editor"}
        {"set": "theme", "value": "dark"}
        {"app": "org.example.editor", "group": "lab"}
        {"unset": "theme"}
        {"app": "org.example.terminal"}
        {"append": "profiles", "value": "dark"}

      All documents are stored in one transaction, so that no machine and no writer sees one without the others in the \
      cluster. Edits see those of their own document before them, and all of the document for all machines. If a line is refused, nothing is written; the exit status is that of the first one. Prints one JSON object \
      for each edit, as 'settings-cli batch' does. APP, --group and --host choose the document of the first lines.

      EXAMPLES
        settings-fleet batch < edits.jsonl
        settings-fleet batch org.example.editor --group lab < edits.jsonl
      """)

  @Argument(help: "The app that the first lines are about.") var app: String?
  @OptionGroup var place: PlaceOptions
  @OptionGroup var unsigned: UnsignedOption
  @Flag(help: "Also set keys that the app's schema does not list, and make documents whose names are like known ones.")
  var create = false

  func validate() throws {
    if app == nil, place.group != nil || place.host != nil {
      throw ValidationError("Missing expected argument '<app>'.")
    }
  }

  func answer(in context: Context) async throws {
    let input = try StandardInput.batch()
    let batch = try Batch(input, first: try app.map(place.document(of:)))
    let answers = Answers()
    let words = create ? ["--create"] : []
    let edits = try batch.parts.map { part in
      (
        editor: try DocumentEditor(
          context: context, document: part.document, acceptsUnsigned: unsigned.acceptUnsigned, creates: create),
        work: { @Sendable workspace in
          var answer = try await workspace.run("batch", words, on: part.document.scope, input: part.input)
          await answers.set(answer.output, of: part.document)
          answer.output = []
          return answer
        } as DocumentEditor.Work
      )
    }
    do {
      try await DocumentEditor.change(edits, because: "batch", in: context)
    } catch {
      guard let refused = await answers.all.refused?.failure else { throw error }
      await answers.show()
      throw Failure(status: refused.status.rawValue, message: Failure(any: error)?.message)
    }
    await answers.show()
  }

  /// What was answered for each document, at the last try.
  private actor Answers {
    private var answers: [FleetDocument: [ChangeAnswer]] = [:]

    func set(_ output: [UInt8], of document: FleetDocument) { answers[document] = ChangeAnswer.lines(output) }

    /// All in the order of their lines. If one was refused, the edits of other documents are not written either.
    var all: [ChangeAnswer] {
      var all = answers.values.joined().sorted { $0.line < $1.line }
      all.noteUnwritten()
      return all
    }

    func show() { Output.bytes(all.flatMap { $0.text + [UInt8(ascii: "\n")] }) }
  }
}
