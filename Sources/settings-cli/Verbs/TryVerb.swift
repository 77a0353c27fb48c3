import AppSettings
import AppSettingsSchema
import ArgumentParser
import FoundationEssentials
import Glibc
import SettingsTools

struct TryVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "try",
    abstract: "Set a value for a while, and put the earlier one back.",
    usage: """
      settings-cli try TARGET KEY VALUE [--for TIME]
      settings-cli try
      """,
    discussion: """
      Sets the value as 'set' does, and puts the earlier one back on Enter, on Ctrl-C, or after the time of --for. Type \
      'keep' and Enter to keep the value. A signal, a terminal that is closed and the end of the input also end the trial. \
      If the process or the machine is killed, the next 'try' puts the value back, and so does the settings page when it \
      starts. Without operands, 'try' does only that, and prints the trials that go on.

      Both changes are in the history. A file that the trial made is removed again. If somebody else has changed the \
      value meanwhile, it stays as it is. If the file cannot be written then, the next 'try' puts the value back. A secret cannot be tried, because the history does not \
      keep it.

      Exits 0 if the earlier value is back or the new one is kept, 9 if the value was changed by somebody else meanwhile. \
      Ctrl-C ends the process as a signal does, after the value is back. Nothing is tried, and the exit status is 4 or 5, \
      if the app would refuse the value, or would not use it.

      EXAMPLES
        settings-cli try org.example.editor theme dark
        settings-cli try org.example.editor editor.font-size 20 --for 10m
        settings-cli try ./settings.toml theme dark --for '1 hour'
        settings-cli try
      """)

  @Argument(help: TargetArgument.help, completion: .custom(Candidates.targets)) var target: String?
  // Also words such as -5; what is neither a number nor a known option is refused below.
  @Argument(
    parsing: .allUnrecognized, help: ArgumentHelp("A key and its value.", valueName: "key"),
    completion: .custom(Candidates.changes))
  var words: [String] = []
  @OptionGroup var layer: LayerOptions
  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("Put the earlier value back after this time, such as 30s, 10m or 1h.", valueName: "time"))
  var time: String?
  @OptionGroup var common: CommonOptions

  func validate() throws {
    guard let target else {
      if time != nil { throw ValidationError("Missing TARGET. Usage: settings-cli try TARGET KEY VALUE --for TIME") }
      return
    }
    try layer.check(target)
    try SetVerb.checkOptions(words, of: "try")
    let change = try SettingsChange(words, changesElements: false, verb: "try")
    if change.pairs.count > 1 { throw ValidationError("'try' takes one KEY, with one VALUE.") }
    if change.input != nil {
      throw ValidationError(
        "'try' waits for Enter on standard input, so it cannot read VALUE there: write it on the command line.")
    }
    _ = try time.map(Self.seconds)
  }

  private static func seconds(_ text: String) throws -> Double {
    guard let seconds = Moment.seconds(text), seconds > 0 else {
      throw ValidationError("'\(text)' is not a length of time. Use one such as 30s, 10m, 1h or '2 days'.")
    }
    return seconds
  }

  func answer() throws {
    // Before the change: from now on they end the trial.
    let signals = EndSignals(notice: SIGUSR1)
    let notes = try TrialNote.all()
    let failed = notes.abandoned.compactMap(Self.end).first
    guard let name = target else {
      Self.list(notes)
      if let failed { throw ToolError(failed) }
      return
    }
    let target = try Target(typed: name, layer.layer)
    let note = try begin(target)
    do {
      try SetVerb.answer(target, words: words)
    } catch {
      guard let back = try? note.takeBack(), !back.isEmpty else { throw error }
      // It was stored, without an effect.
      var failure = ToolError(any: error)
      failure.message? += " The earlier value is back."
      throw failure
    }
    // Without an entry the note has what it takes.
    guard let entry = try? note.entry(in: target.openUnread().store) else {
      guard try note.takeBack().isEmpty else {
        throw ToolError(.io, "The history could not record the change. The earlier value is back.")
      }
      return Output.note("'\(note.trial.keys[0])' has that value already: there is nothing to try.")
    }
    let seconds = try time.map(Self.seconds)
    let end = seconds.map { Date(timeIntervalSinceNow: $0) }
    let lines = target.schema.lines(of: entry, at: nil)
    Output.text((["trying: \(lines[0])"] + lines.dropFirst()).map { $0 + "\n" }.joined())
    try? Output.flush()
    let hasInput = seconds == nil || StandardInput.isTerminal
    Output.note(
      (end.map { "The earlier value comes back at \(Moment.text($0))" } ?? "The earlier value comes back")
        + (!hasInput ? "." : end == nil ? " on Enter." : ", or on Enter.")
        + (StandardInput.isTerminal ? " To keep the new one, type 'keep' and Enter." : ""))
    let ending = TrialEnding.wait(for: signals, seconds: seconds, readingInput: hasInput)
    if ending == .kept {
      note.remove()
      return Output.line("kept: \(note.trial.keys[0])")
    }
    let back = try note.takeBack()
    if back.isEmpty { Output.note("The earlier value is back already.") }
    for (index, line) in back.enumerated() { Output.text((index == 0 ? "taken back: " : "") + line + "\n") }
    guard case .signal(let number) = ending, number != SIGTERM else { return }
    try? Output.flush()
    EndSignals.end(by: number)
  }

  /// Notes the trial, if there can be one.
  private func begin(_ target: Target) throws -> TrialNote {
    let schema = try target.findSchema()
    let pair = try SettingsChange(words, changesElements: false).pairs[0]
    let opened = try target.open(isForWriting: true)
    let store = opened.store
    try schema.checkKnown(pair.key)
    let old = schema.names(of: pair.key).lazy.compactMap { store.snapshot.userDocument[$0] }.first
    func checkKept(_ value: TOMLValue) throws {
      try opened.checkKept(value, at: pair.key, advice: "To set it, use 'set'.")
    }
    try checkKept(.string(pair.text))
    if let old { try checkKept(old) }
    let change = SettingChange(.set, pair.key, .typed(pair.text, nil))
    guard let new = try ChangeList([change], of: opened).value(of: pair.key) else { throw ToolError(.noValue) }
    try checkKept(new)
    guard store.snapshot.userDocument[SettingsFormat.historyPath] != .boolean(false) else {
      throw ToolError(
        .notWritable,
        "Cannot try '\(pair.key)': '\(store.location?.file ?? "")' keeps no history, so that the earlier value could not be "
          + "put back. Nothing was written.")
    }
    let options = layer.words.isEmpty ? TrialNote.options(of: store) : layer.words
    let newest = try store.history(limit: 2).first { !$0.isUnrecorded }?.id ?? 0
    let note = try TrialNote.make(
      TrialFacts(
        target: target.isFile ? target.location().file : target.name, options: options, keys: [pair.key.description],
        after: newest, process: Int(getpid()), old: old, new: new,
        made: store.location.map { TrialFile.missing(of: $0.file) } ?? []))
    // Of two that begin at once, each has made its note before it looks for others, so that not both go on.
    if let other = try TrialNote.all().open.first(where: {
      $0.trial.process != note.trial.process && $0.isIn(note, store)
    }) {
      note.remove()
      throw ToolError(.notWritable, other.trial.conflict)
    }
    return note
  }

  /// Ends a trial whose process is gone.
  ///
  /// - Returns: The status if that failed, which is reported.
  private static func end(_ note: TrialNote) -> ToolError.Status? {
    do {
      let back = try note.takeBack()
      let what = back.isEmpty ? "The earlier value is back." : "It is taken back:"
      Output.note("A trial of \(note.words) was not ended. \(what)")
      for line in back.dropFirst() { Output.text(line + "\n") }
      return nil
    } catch {
      let failure = ToolError(any: error)
      Output.warning("A trial of \(note.words) was not ended: \(failure.message ?? "")")
      return failure.status
    }
  }

  private static func list(_ notes: (abandoned: [TrialNote], open: [TrialNote])) {
    for note in notes.open {
      Output.line(
        "\(note.trial.target) \(note.trial.keys.joined(separator: " ")): process \(note.trial.process ?? 0) is trying it"
      )
    }
    if notes.open.isEmpty, notes.abandoned.isEmpty { Output.note("Nothing is being tried.") }
  }
}

/// Why a trial ends.
private enum TrialEnding: Equatable {
  case input, time, kept
  case signal(CInt)

  /// Waits for the first of them.
  static func wait(for signals: EndSignals, seconds: Double?, readingInput: Bool) -> TrialEnding {
    let line = Monitor<String?>(nil)
    if readingInput {
      // A process in the background that reads from its terminal would be stopped.
      Glibc.signal(SIGTTIN, SIG_IGN)
      try? PlainThread.start("try-input") {
        let typed = StandardInput.line()
        // Where a time ends the trial, the end of the input does not.
        if typed == nil, seconds != nil { return }
        line.withLock { $0 = typed ?? "" }
        kill(getpid(), SIGUSR1)
      }
    }
    guard let number = signals.wait(seconds: seconds) else { return .time }
    guard number == SIGUSR1 else { return .signal(number) }
    return line.withLock { $0 }?.lowercased() == "keep" ? .kept : .input
  }
}
