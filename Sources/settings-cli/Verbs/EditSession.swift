import AppSettings
import AppSettingsSchema
import Glibc
import SettingsTools

/// One run of `edit`: the editor, the check, the questions, the write.
final class EditSession {
  private let replacement: TextReplacement
  private let copy: EditedCopy
  private let interruption: EditInterruption
  /// Whether the author has given the text up.
  private(set) var isDiscarded = false

  init(_ replacement: TextReplacement, copy: EditedCopy, _ interruption: EditInterruption) {
    self.replacement = replacement
    self.copy = copy
    self.interruption = interruption
  }

  func run() throws {
    while true {
      try openEditor()
      let edited = try copy.read()
      guard edited != replacement.before ?? [] else {
        try replacement.makeDurable()
        return Output.note("No changes.")
      }
      if try isStored(edited) { return }
    }
  }

  /// Stores a text; `false` if its author wants to edit it again.
  private func isStored(_ edited: [UInt8]) throws -> Bool {
    var isConflictSettled = false
    while true {
      do {
        let mine = try replacement.checked(edited, named: copy.path)
        try replacement.write(mine, isConflictSettled: isConflictSettled)
        return true
      } catch let conflict as TextReplacement.Conflict {
        guard try ask(after: conflict.failure, canStore: true) == .mine else { return false }
        isConflictSettled = true
      } catch let failure as ToolError where !failure.isReadOnly {
        _ = try ask(after: failure, canStore: false)
        return false
      }
    }
  }

  // MARK: The questions

  private enum Answer { case again, mine }

  /// Asks what to do with a text that cannot be stored.
  ///
  /// - Throws: The failure if nobody can be asked, or the text is not to be stored.
  private func ask(after failure: ToolError, canStore: Bool) throws -> Answer {
    guard StandardInput.isTerminal else { throw failure }
    Output.error(failure.message ?? "")
    while true {
      Output.prompt("[e]dit again, \(canStore ? "store [m]ine, " : "")[k]eep the copy, or [d]iscard it? ")
      // The end of the input is no decision: the copy stays.
      guard let answer = StandardInput.line() else {
        Output.prompt("\n")
        throw ToolError(failure.status, "Nothing was written.")
      }
      switch answer.lowercased().first {
      case nil, "e", "y": return .again
      case "m" where canStore: return .mine
      case "k", "q", "n": throw ToolError(failure.status, "Nothing was written.")
      case "d":
        isDiscarded = true
        throw ToolError(failure.status, "Nothing was written.")
      default: continue
      }
    }
  }

  // MARK: The editor

  private func openEditor() throws {
    let editor = try Self.editor()
    // Through a shell, as every program runs $EDITOR: it may have arguments. If it is one simple command, it takes the
    // shell's place, so that signals reach it.
    let isSimple =
      editor != ":" && !editor.prefix { $0 != " " }.contains("=") && !editor.contains { ";&|()\n".contains($0) }
    let line = "\(isSimple ? "exec " : "")\(editor) \"$@\""
    let program = Program(words: ["/bin/sh", "-c", line, editor, copy.path])
    switch try interruption.whileEditing({ try program.run() }) {
    case .status(0): return
    case .status(let status):
      throw ToolError(.io, "The editor '\(editor)' ended with status \(status). Nothing was written.")
    case .signal(let number):
      throw ToolError(.io, "The editor '\(editor)' was ended by signal \(number). Nothing was written.")
    }
  }

  /// The editors that are looked for where no variable names one: those that follow the person's or the system's choice
  /// first.
  private static let usual = ["sensible-editor", "editor", "nano", "vi"]

  private static func editor() throws -> String {
    for name in ["VISUAL", "EDITOR"] {
      if let editor = ProcessFacts.variable(name), !editor.isEmpty { return editor }
    }
    let isTerminal = StandardInput.isTerminal && Terminal.output.isTerminal
    let directories = (ProcessFacts.variable("PATH") ?? "/usr/bin:/bin").split(separator: ":")
    if isTerminal,
      let editor = usual.first(where: { name in directories.contains { access("\($0)/\(name)", X_OK) == 0 } })
    {
      return editor
    }
    throw ToolError(
      .usage,
      "No editor found: neither VISUAL nor EDITOR is set, and "
        + (isTerminal ? "PATH has none of \(usual.joined(separator: ", "))" : "there is no terminal for another one")
        + ". Set one of them, or give the new text with --text.")
  }
}
