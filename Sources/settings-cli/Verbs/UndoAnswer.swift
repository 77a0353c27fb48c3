import AppSettings
import AppSettingsSchema
import FoundationEssentials

/// What `undo` and `redo` do.
struct UndoAnswer {
  let apps: AppsArgument
  let change: ChangeOptions
  let json: Bool

  /// Takes a change back, or only shows that, and prints it.
  ///
  /// - Parameters:
  ///   - path: The key that was typed.
  ///   - what: Returns what to take back; gets the key's names.
  func give(_ path: TOMLPath?, _ what: ([TOMLPath]?) -> HistoryTarget) throws {
    let named = try apps.named
    let target = try named ?? newest(what(nil))
    // Whoever has named no app is told which one it is.
    let app = named == nil ? target.name : nil
    let guarded = try change.guarded()
    // A pending migration is written with the undoing, so that it does not become the last entry.
    let store = try target.open(isForWriting: true, writesLater: true)
    let schema = target.schema
    let text = HistoryText(of: target)
    let what = what(path.map(schema.names))
    func check(_ plan: UndoPlan) throws {
      try guarded.checkFile(of: store)(plan.bytes)
      try guarded.checkValues(in: plan.view, schema)
      try Self.check(plan, in: store, schema, target)
    }
    do {
      try text.reading(store) {
        if guarded.isDryRun {
          let plan = try store.previewUndo(what, checking: check)
          try Self.checkChange(plan, in: store)
          guard json else { return GuardedChange.show(plan.bytes, plan.result.bytes, in: store, schema) }
          let difference = GuardedChange.difference(plan.bytes, plan.result.bytes, in: store, schema)
          return Output.line(text.json(plan, difference: difference, app: app))
        }
        let plan = try store.undo(what, checking: check)
        try Self.checkChange(plan, in: store)
        Output.noteStored()
        if json {
          Output.line(text.json(plan, app: app))
        } else {
          let done = (plan.verb == "redo" ? "redone: " : "undone: ") + (app.map { "\($0) " } ?? "")
          Output.text("\(done)\(text.summary(of: plan.entry))\n")
          for line in text.lines(of: plan) { Output.text(line + "\n") }
        }
        schema.warnOfLacks(around: plan.edits.map(\.path), in: store.snapshot)
      }
    } catch {
      var failure = Failure(any: error)
      if failure.status == .noValue, let path {
        let isNumber = path.description.allSatisfy(\.isNumber)
        let advice = isNumber ? "For entry \(path) of 'log', write '#\(path)', with the quotes." : nil
        try schema.checkKnown(path, advice: advice)
        if let advice { failure.message? += " \(advice)" }
      }
      if AllApps.isRemoved(target.name), try !store.backups.isEmpty {
        failure.message? += " To bring back the last text, use 'settings-cli recover \(target.words) --restore'."
      }
      if app != nil { failure.message? += " For the last change of another app, name that app." }
      throw failure
    }
  }

  /// The app with the newest change, also if that cannot be taken back: an older one of another app is not what was
  /// meant.
  private func newest(_ what: HistoryTarget) throws -> Target {
    var found: (target: Target, time: Date)?
    let status = try AllApps.each(apps.layer.layer, "look for changes of", withRemoved: true) { target in
      var last: SettingsHistoryEntry?
      do {
        let plan = try target.openUnread().previewUndo(what, reaching: { last = $0 }) { _ in }
        if !plan.hasChanged { return }
      } catch {
        guard last != nil else {
          if (error as? SettingsError)?.code == .noHistory { return }
          throw error
        }
      }
      // Nothing says when somebody else removed a file.
      if last?.isUnrecorded == true, AllApps.isRemoved(target.name) { return }
      guard let time = last?.time, found.map({ $0.time < time }) ?? true else { return }
      found = (target, time)
    }
    if let found { return found.target }
    if let status { throw Failure(status) }
    if case .redo = what { throw Failure(.noValue, "Nothing to redo: the last change of no app is an undo.") }
    throw Failure(.noValue, "Nothing to undo: no app's history has a change that is not undone.")
  }

  /// Throws if what is put back is not allowed today.
  static func check(
    _ plan: UndoPlan, in store: SettingsStore, _ schema: SchemaLookup, _ target: Target
  ) throws {
    let subject = "Cannot \(plan.verb) #\(plan.entry.id) in '\(store.location?.file ?? "")'"
    guard plan.entry.reason != .migration else {
      throw Failure(
        .migration,
        "\(subject): it is a migration. To undo that, run 'settings-cli migrate \(target.words) --undo'.")
    }
    if let error = plan.edits.lazy.compactMap({ schema.lockError(of: $0.path, in: plan.view) }).first { throw error }
    let result = plan.result.root
    for edit in plan.edits {
      for key in schema.key(around: edit.path).map({ [$0] }) ?? schema.named(below: edit.path) {
        for name in key.paths {
          guard let value = result[path: name], let reason = schema.refusal(of: name, value) else { continue }
          throw Failure(
            .invalidValue,
            "\(subject): the earlier value is not valid today: \(reason). Nothing was written.")
        }
      }
    }
  }

  private static func checkChange(_ plan: UndoPlan, in store: SettingsStore) throws {
    guard !plan.hasChanged else { return }
    throw Failure(
      .noValue,
      "Nothing to \(plan.verb): '\(store.location?.file ?? "")' has the values from before #\(plan.entry.id) already."
    )
  }
}
