import ArgumentParser
import SettingsFleet
import SettingsTools

struct EditVerb: FleetVerb {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Edit a document with $VISUAL or $EDITOR.",
    discussion: """
      Opens the document's text as 'settings-cli edit' opens a file: it is checked when the editor ends. If somebody else \
      has stored the document meanwhile, both edits are merged; where both have changed one key, nothing is stored and \
      your text is kept.

      EXAMPLES
        settings-fleet edit org.example.editor --group lab
      """)

  @Argument(help: "The app.") var app: String
  @OptionGroup var place: PlaceOptions
  @OptionGroup var unsigned: UnsignedOption

  func answer(in context: Context) async throws {
    let document = try place.document(of: app)
    var first: (base: [UInt8], text: [UInt8])?
    try await DocumentEditor(
      context: context, document: document, acceptsUnsigned: unsigned.acceptUnsigned
    ).change(because: "edit") { workspace in
      if let first {
        return try keeping(first.text) { try workspace.merge(first.base, first.text, into: document.scope) }
      }
      let base = try workspace.text(of: document.scope) ?? []
      let status = try await workspace.runAtTerminal("edit", [], on: document.scope)
      first = (base, try workspace.text(of: document.scope) ?? [])
      return SettingsCommand.Answer(status: status, output: [], messages: "")
    }
  }

  /// Keeps a text in a file if it cannot be merged.
  private func keeping(
    _ text: [UInt8], _ merge: () throws -> SettingsCommand.Answer
  ) throws -> SettingsCommand.Answer {
    do {
      return try merge()
    } catch {
      guard let failure = Failure(any: error) else { throw error }
      let path = "\(app)-\(Change.millisecondsSince1970).toml"
      var kept = "Your text is in '\(path)'."
      do {
        try File.create(path, with: text)
      } catch {
        kept = "\(error)"
      }
      throw Failure(.changed, "\(failure)\n\(kept)")
    }
  }
}
