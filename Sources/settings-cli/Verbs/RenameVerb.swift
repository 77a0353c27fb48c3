import AppSettings
import AppSettingsSchema
import ArgumentParser
import SettingsTools

struct RenameVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Move a value or a table of the user's file to another key.",
    discussion: """
      The value moves with its comments and its text, in one write. A table moves with everything in it.

      Nothing is written if OLD is not in the user's file (status 1), if NEW has a value there and --replace is not \
      given (5), if one of them or a part of it is locked (5), if the app's schema does not have NEW and --create is \
      not given (3), or if the app would refuse the value under its new name (4). A secret, also one that only \
      the file's history knows as such, moves only to a key that is secret too.

      EXAMPLES
        settings-cli rename ./settings.toml colour theme.accent
        settings-cli rename org.example.editor plugins.old plugins.new --create
        settings-cli rename org.example.editor draft theme --replace
      """)

  @OptionGroup var target: TargetArgument
  @Argument(help: ArgumentHelp("The present key.", valueName: "old"), completion: .custom(Candidates.keys))
  var old: String
  @Argument(help: ArgumentHelp("The new key.", valueName: "new"), completion: .custom(Candidates.keys))
  var new: String
  @Flag(help: "Replace the value that the new key has.") var replace = false
  @Flag(help: "Also accept a new key that the app's schema does not list.") var create = false
  @OptionGroup var pruning: PruneOption
  @OptionGroup var condition: UnchangedOption
  @OptionGroup var common: CommonOptions

  func answer() throws {
    let source = try KeyArgument.parse(old)
    let target = try Target(target)
    let guarded = GuardedChange(expected: try condition.digests())
    let opened = try target.open(isForWriting: true)
    let schema = opened.schema
    let destination = schema.names(of: try KeyArgument.parse(new))[0]
    guard !destination.hasPrefix(source), !source.hasPrefix(destination) else {
      throw ToolError(
        .usage,
        destination == source
          ? "Cannot rename '\(source)' to '\(new)': that is the same key."
          : "Cannot rename '\(source)' to '\(destination)': one is a table that contains the other.")
    }
    let renaming = Renaming(source: source, destination: destination, schema: schema, store: opened.store)
    let keepsTables = target.keepsTables(prunes: pruning.prune)
    _ = try opened.make(guarded) { view in
      try renaming.edits(in: view, replaces: replace, creates: create).keepingTables(keepsTables)
    }
    opened.warnOfLacks(around: [destination, source])
  }
}

/// One renaming of a key, with what forbids it.
private struct Renaming {
  let source: TOMLPath
  let destination: TOMLPath
  let schema: SchemaLookup
  let store: SettingsStore

  private var subject: String { "Cannot rename '\(source)' to '\(destination)'" }

  func edits(in view: SettingsSnapshot, replaces: Bool, creates: Bool) throws -> [Edit] {
    let document = view.userDocument
    let names = schema.names(of: source)
    // The file may still have the value under a former name.
    let place = document.contains(source) ? source : names.first { document.contains($0) } ?? source
    // What the file has of a table's keys outside of it moves along: each from the name that takes effect.
    let outside = schema.renamedKeys(below: source).compactMap { key -> (from: TOMLPath, to: TOMLPath)? in
      guard let name = key.paths.first(where: document.contains), !name.hasPrefix(source) else { return nil }
      return (name, destination.appending(key.path.rest(below: source)))
    }
    guard document.contains(place) || !outside.isEmpty else {
      try schema.checkKnown(source)
      let isElsewhere = schema.effectiveValue(of: source, in: view) != nil
      throw ToolError(
        .noValue,
        "\(subject): the file has no '\(source)'."
          + (isElsewhere ? " Its value is a default or comes from another file." : ""))
    }
    for path in schema.places(of: source) + schema.places(of: destination) {
      if let error = schema.lockError(atOrWithin: path, in: view) { throw error }
    }
    let whole = (document.contains(place) ? [(from: place, to: destination)] : []) + outside
    let moves = whole.flatMap { from, to in
      (document.isTable(at: from) ? document.leafPaths(under: from) : [from])
        .map { (from: $0, to: to.appending($0.rest(below: from))) }
    }
    // What is declared as a secret moves to one that is declared, too; one by its name, to any.
    let exposed = moves.first { move in
      [nil, document[move.from]].contains { schema.isSecret(move.from, $0) && !schema.isSecret(move.to, $0) }
    }
    if let exposed {
      let moved = exposed.to.components.count - destination.components.count
      let new = TOMLPath(exposed.to.components.dropLast(min(moved, schema.partOfSecret(exposed.from))))
      throw ToolError(
        .invalidValue,
        "\(subject): '\(schema.withoutSecretNames(exposed.from))' is a secret and '\(new)' is not, so that 'list' would "
          + "show it. Nothing was written.")
    }
    // By its path a file has no schema, but its history knows what the app has declared.
    let known = (try? store.historyKeys()) ?? KnownKeys()
    if moves.contains(where: { move in
      known.mayBeSecret(move.from) && !known.mayBeSecret(move.to) && !schema.isSecret(move.to, nil)
    }) {
      throw ToolError(
        .invalidValue,
        "\(subject): an app has declared '\(source)' as a secret and not '\(destination)', so that the history would "
          + "keep the value. Nothing was written.")
    }
    if !creates {
      for move in moves { try schema.checkKnown(move.to, advice: "To use it all the same, use --create.") }
    }
    var value = document[place] ?? .table(TOMLTable())
    if case .table(var table) = value {
      for (from, to) in outside {
        table.apply(Edit(path: to.rest(below: destination), value: document[from]))
      }
      value = .table(table)
    }
    try schema.check(value, at: destination)
    if let refusal = schema.refusals(of: [(source, nil), (destination, value)], in: view).first {
      throw ToolError(.invalidValue, "\(subject): \(refusal.reason). Nothing was written.")
    }
    let existing = schema.places(of: destination).filter { name in
      document.contains(name) && !whole.contains { name.hasPrefix($0.from) }
    }
    if let first = existing.first, !replaces {
      throw ToolError(
        .notWritable,
        "\(subject): '\(first)' already has a value. To replace it, use --replace. Nothing was written.")
    }
    // Under its present name a value goes under all names, so that no old one comes back.
    let former =
      names[0] == source
      ? schema.places(of: source).filter { name in document.contains(name) && !whole.contains { $0.from == name } } : []
    return (existing + former).map { Edit(path: $0, value: nil) }
      + whole.flatMap { from, to in
        [Edit(path: to, value: document[from], source: from), Edit(path: from, value: nil)]
      }
  }
}
