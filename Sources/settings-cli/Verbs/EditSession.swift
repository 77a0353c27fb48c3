import AppSettings
import AppSettingsSchema
import Glibc

/// One run of `edit`: the editor, the check, the questions, the write.
final class EditSession {
  private let store: SettingsStore
  private let file: String
  private let schema: SchemaLookup
  private let copy: EditedCopy
  private let interruption: EditInterruption
  /// The text of the file when the copy was made.
  private let before: [UInt8]?
  /// Whether the author has given the text up.
  private(set) var isDiscarded = false

  init(
    store: SettingsStore, schema: SchemaLookup, file: String, before: [UInt8]?, copy: EditedCopy,
    _ interruption: EditInterruption
  ) {
    self.store = store
    self.schema = schema
    self.file = file
    self.before = before
    self.copy = copy
    self.interruption = interruption
  }

  func run() throws {
    while true {
      try openEditor()
      let edited = try copy.read()
      guard edited != before ?? [] else {
        // An earlier edit that was killed at its very end may have written this text without syncing it.
        try SettingsFile(path: file).makeDurable()
        Output.note("No changes.")
        return
      }
      if try isStored(edited) { return }
    }
  }

  /// Stores a text; `false` if its author wants to edit it again.
  private func isStored(_ edited: [UInt8]) throws -> Bool {
    var isConflictSettled = false
    while true {
      do {
        let mine = try parse(edited)
        try checkLocks(mine)
        try checkValues(mine)
        try write(mine, edited, isConflictSettled: isConflictSettled)
        return true
      } catch let conflict as Conflict {
        guard try ask(after: conflict.failure, canStore: true) == .mine else { return false }
        isConflictSettled = true
      } catch let failure as Failure {
        _ = try ask(after: failure, canStore: false)
        return false
      }
    }
  }

  /// Others have changed what the text changes.
  private struct Conflict: Error {
    let failure: Failure
  }

  // MARK: The questions

  private enum Answer { case again, mine }

  /// Asks what to do with a text that cannot be stored.
  ///
  /// - Throws: The failure if nobody can be asked, or the text is not to be stored.
  private func ask(after failure: Failure, canStore: Bool) throws -> Answer {
    guard StandardInput.isTerminal else { throw failure }
    Output.error(failure.message ?? "")
    while true {
      Output.prompt("[e]dit again, \(canStore ? "store [m]ine, " : "")[k]eep the copy, or [d]iscard it? ")
      // The end of the input is no decision: the copy stays.
      guard let answer = StandardInput.line() else {
        Output.prompt("\n")
        throw Failure(failure.status, "Nothing was written.")
      }
      switch answer.lowercased().first {
      case nil, "e", "y": return .again
      case "m" where canStore: return .mine
      case "k", "q", "n": throw Failure(failure.status, "Nothing was written.")
      case "d":
        isDiscarded = true
        throw Failure(failure.status, "Nothing was written.")
      default: continue
      }
    }
  }

  // MARK: The editor

  private func openEditor() throws {
    guard let editor = try Self.editor() else {
      throw Failure(.usage, "No editor found: set VISUAL or EDITOR.")
    }
    // Through a shell, as every program runs $EDITOR: it may have arguments. If it is one simple command, it takes the
    // shell's place, so that signals reach it.
    let isSimple =
      editor != ":" && !editor.prefix { $0 != " " }.contains("=") && !editor.contains { ";&|()\n".contains($0) }
    let line = "\(isSimple ? "exec " : "")\(editor) \"$@\""
    let program = Program(words: ["/bin/sh", "-c", line, editor, copy.path])
    switch try interruption.whileEditing({ try program.run() }) {
    case .status(0): return
    case .status(let status):
      throw Failure(.io, "The editor '\(editor)' ended with status \(status). Nothing was written.")
    case .signal(let number):
      throw Failure(.io, "The editor '\(editor)' was ended by signal \(number). Nothing was written.")
    }
  }

  private static func editor() throws -> String? {
    for name in ["VISUAL", "EDITOR"] {
      if let editor = ProcessFacts.variable(name), !editor.isEmpty { return editor }
    }
    guard StandardInput.isTerminal, Terminal.output.isTerminal else { return nil }
    let directories = (ProcessFacts.variable("PATH") ?? "/usr/bin:/bin").split(separator: ":")
    return ["editor", "nano", "vi"].first { name in
      directories.contains { access("\($0)/\(name)", X_OK) == 0 }
    }
  }

  // MARK: The check

  private func parse(_ bytes: [UInt8]) throws -> TOMLDocument {
    do {
      return try TOMLDocument(parsing: bytes)
    } catch {
      throw Failure(
        .unparsable,
        "Cannot store the text: it does not parse.\n"
          + (schema.showsText ? error.formatted(file: copy.path) : error.discreet(file: copy.path)))
    }
  }

  private func checkLocks(_ mine: TOMLDocument) throws {
    let snapshot = store.snapshot
    let base = (try? TOMLDocument(parsing: before ?? [])) ?? TOMLDocument()
    for path in mine.changedPaths(since: base) {
      // Removing a value without effect is fine.
      guard let value = mine[path] else { continue }
      do throws(SettingsError) {
        _ = try snapshot.permitted([Edit(path: path, value: value)])
      } catch {
        throw Failure(error)
      }
    }
  }

  /// Checks changed values against the schema. An unknown key may be another program's, so it is only a warning.
  private func checkValues(_ mine: TOMLDocument) throws {
    let base = (try? TOMLDocument(parsing: before ?? [])) ?? TOMLDocument()
    var checked: Set<TOMLPath> = []
    for path in mine.changedPaths(since: base) where path.components.first?.hasPrefix("settings-") == false {
      let key = schema.key(around: path)?.path ?? path
      guard checked.insert(key).inserted, let value = mine[key] else { continue }
      do {
        try schema.checkKnown(key)
      } catch let failure as Failure {
        Output.warning(failure.message ?? "")
      }
      do {
        try schema.check(value, at: key)
      } catch let failure as Failure {
        let line = mine.position(of: key).map { "\(copy.path):\($0.line):\($0.column): " } ?? ""
        throw Failure(failure.status, line + (failure.message ?? ""))
      }
    }
  }

  // MARK: The write

  private func write(_ mine: TOMLDocument, _ edited: [UInt8], isConflictSettled: Bool) throws {
    try store.core.commit(backingUp: "before-edit") { now in
      guard now != before else { return edited }
      guard let base = try? TOMLDocument(parsing: before ?? []), let theirs = try? TOMLDocument(parsing: now ?? [])
      else {
        throw Failure(
          .io, "'\(file)' has changed, and the change cannot be merged with your text. Nothing was written.")
      }
      let merge = try EditMerge(base: base, mine: mine, theirs: theirs)
      guard merge.conflicts.isEmpty || isConflictSettled else {
        throw Conflict(failure: Failure(.notWritable, merge.message(file: file, schema)))
      }
      return merge.document.bytes
    }
  }
}

/// Merges two changes of one text.
struct EditMerge {
  /// The edited text, with the changes of others.
  private(set) var document: TOMLDocument
  /// The keys that both have changed differently: `document` has the editor's values.
  private(set) var conflicts: [TOMLPath] = []
  private let theirs: TOMLDocument

  init(base: TOMLDocument, mine: TOMLDocument, theirs: TOMLDocument) throws {
    document = mine
    self.theirs = theirs
    var changed = SchemaKeyTree()
    for path in mine.changedPaths(since: base) { changed.insert(path, 0) }
    for path in theirs.changedPaths(since: base) where mine[path] != theirs[path] {
      if changed.knows(path) {
        conflicts.append(path)
      } else if let value = theirs[path] {
        try document.set(value, at: path)
      } else {
        try document.remove(at: path)
      }
    }
  }

  func message(file: String, _ schema: SchemaLookup) -> String {
    let lines = conflicts.map { path in
      func shown(_ value: TOMLValue?) -> String {
        guard let value else { return "unset" }
        return schema.isSecret(path) ? Shown.redacted : value.tomlText
      }
      return "  \(path): yours is \(shown(document[path])), theirs is \(shown(theirs[path]))"
    }
    return "'\(file)' has changed in places where you changed it:\n\(lines.joined(separator: "\n"))"
  }
}
