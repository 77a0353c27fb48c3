import AppSettings
import AppSettingsSchema
import ArgumentParser

struct UndoVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Take back a change of the user's file.",
    usage: """
      settings-cli undo TARGET [KEY] [--dry-run] [--if-unchanged DIGEST] [--json]
      settings-cli undo TARGET '#N' [--dry-run] [--if-unchanged DIGEST] [--json]
      """,
    discussion: """
      Without KEY, takes back the last entry of 'log'; with KEY, the last change of that key; with '#N' or --entry N, \
      that entry. A shell takes an unquoted # for the beginning of a comment: quote it.

      Undoing is a write like any other: it is recorded, and can be undone too. Prints the entry and the values that \
      it put back. Comments come back where the text around them is the same.

      Nothing is written if a value was changed again since (status 9), if the history does not have the former value \
      (1), if the value is as before already (1), if the app would refuse the former value today (4), if a key is \
      locked (5), or if the entry is a migration (8).

      EXAMPLES
        settings-cli undo org.example.editor
        settings-cli undo org.example.editor theme --dry-run
        settings-cli undo org.example.editor '#2'
        settings-cli undo ./settings.toml --entry 1
      """)

  @OptionGroup var target: TargetArgument
  @Argument(help: "The key, or an entry.", completion: .custom(Candidates.keysOrEntries)) var key: String?
  @Option(parsing: .unconditional, help: EntryArgument.help) var entry: Int?
  @OptionGroup var change: ChangeOptions
  @Flag(help: "Print a JSON object: entry, changes, and with --dry-run diff.") var json = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if key != nil, entry != nil {
      throw ValidationError("Use either \(isEntry ? "'#N'" : "KEY") or --entry, not both.")
    }
    try EntryArgument.check(entry)
    _ = try key.map(EntryArgument.parse)
  }

  private var isEntry: Bool { key?.hasPrefix("#") == true }

  func answer() throws {
    let target = try Target(target)
    let path = try isEntry ? nil : key.map(KeyArgument.parse)
    let guarded = try change.guarded()
    // A pending migration is written with the undoing, so that it does not become the last entry.
    let store = try target.open(isForWriting: true, writesLater: true)
    let schema = target.schema
    let text = HistoryText(of: target)
    var what = HistoryTarget.last
    if let number = try entry ?? key.flatMap(EntryArgument.parse) { what = .entry(number) }
    if let path { what = .value(schema.names(of: path)) }

    func check(_ plan: UndoPlan) throws {
      try guarded.checkFile(of: store)(plan.bytes)
      try guarded.checkValues(in: plan.view, schema)
      try Self.check(plan, in: store, schema, target)
    }
    do {
      try text.reading(store) {
        if guarded.isDryRun {
          let (plan, new) = try store.previewUndo(what, checking: check)
          try Self.checkChange(plan, in: store)
          guard json else { return GuardedChange.show(plan.bytes, new, in: store, schema) }
          let difference = GuardedChange.difference(plan.bytes, new, in: store, schema)
          return Output.line(text.json(plan, difference: difference))
        }
        let plan = try store.undo(what, checking: check)
        try Self.checkChange(plan, in: store)
        Output.noteStored()
        if json {
          Output.line(text.json(plan))
        } else {
          Output.text("undone: \(text.summary(of: plan.entry))\n")
          for line in text.lines(of: plan) { Output.text(line + "\n") }
        }
        schema.warnOfLacks(around: plan.edits.map(\.path), in: store.snapshot)
      }
    } catch let failure as Failure where failure.status == .noValue {
      if let path { try schema.checkKnown(path) }
      throw failure
    }
  }

  /// Throws if what is put back is not allowed today.
  private static func check(
    _ plan: UndoPlan, in store: SettingsStore, _ schema: SchemaLookup, _ target: Target
  ) throws {
    let subject = "Cannot undo #\(plan.entry.id) in '\(store.location?.file ?? "")'"
    guard plan.entry.reason != .migration else {
      throw Failure(
        .migration,
        "\(subject): it is a migration. To undo that, run 'settings-cli migrate \(target.words) --undo'.")
    }
    var now = plan.view.userDocument.root
    for edit in plan.edits {
      if let error = schema.lockError(of: edit.path, in: plan.view) { throw error }
      now.apply(edit)
    }
    for edit in plan.edits {
      for key in schema.key(around: edit.path).map({ [$0] }) ?? schema.named(below: edit.path) {
        for name in key.paths {
          guard let value = now[path: name], let reason = schema.refusal(of: name, value) else { continue }
          throw Failure(
            .invalidValue,
            "\(subject): the former value is not valid today: \(reason). Nothing was written.")
        }
      }
    }
  }

  private static func checkChange(_ plan: UndoPlan, in store: SettingsStore) throws {
    guard !plan.hasChanged else { return }
    throw Failure(
      .noValue, "Nothing to undo: '\(store.location?.file ?? "")' has the values from before #\(plan.entry.id) already."
    )
  }
}
