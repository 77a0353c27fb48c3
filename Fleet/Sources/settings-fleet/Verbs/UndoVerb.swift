import ArgumentParser
import SettingsFleet

struct UndoVerb: FleetVerb {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Take back changes of a document, one after the other.",
    discussion: """
      Takes back the last change that is not undone, and the one before it when it is run again; with --revision, the \
      change of the revision which 'log' prints. Prints it with the values that it puts back. 'redo' takes an undo \
      back. A version of the document that no trusted key has signed, above one that is signed, is removed.

      What others have changed since stays. Nothing is stored where they have changed the same key (status 9), if the \
      cluster does not have the earlier text any more (1), if the values are as before already (1), or if the document was \
      migrated by the change or since (8).

      EXAMPLES
        settings-fleet undo org.example.editor
        settings-fleet undo org.example.editor --revision 4711
      """)

  @Argument(help: "The app.") var app: String
  @OptionGroup var place: PlaceOptions
  @OptionGroup var unsigned: UnsignedOption
  @Option(help: ArgumentHelp("The revision of the change, as 'log' prints it.", valueName: "n")) var revision: Int64?

  func answer(in context: Context) async throws {
    try await Undoing(
      context: context, document: try place.document(of: app), acceptsUnsigned: unsigned.acceptUnsigned,
      target: revision.map { .revision($0) } ?? .last
    ).run()
  }
}

struct RedoVerb: FleetVerb {
  static let configuration = CommandConfiguration(
    commandName: "redo",
    abstract: "Take back the last undo of a document.",
    discussion: """
      Works until something else is changed, and prints what 'undo' prints.

      EXAMPLES
        settings-fleet redo org.example.editor
      """)

  @Argument(help: "The app.") var app: String
  @OptionGroup var place: PlaceOptions
  @OptionGroup var unsigned: UnsignedOption

  func answer(in context: Context) async throws {
    try await Undoing(
      context: context, document: try place.document(of: app), acceptsUnsigned: unsigned.acceptUnsigned, target: .redo
    ).run()
  }
}
