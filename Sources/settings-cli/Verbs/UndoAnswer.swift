import AppSettings
import AppSettingsSchema
import FoundationEssentials
import SettingsTools

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
    let named = try apps.named?.orRemoved
    let target = try named ?? newest(what(nil))
    // Whoever has named no app is told which one it is.
    let app = named == nil ? target.name : nil
    let guarded = try change.guarded()
    let opened = try target.open(isForWriting: true)
    let schema = opened.schema
    do {
      let plan = try opened.undo(what(path.map(schema.places)), guarded)
      if guarded.isDryRun {
        let difference = opened.difference(plan.bytes, plan.result.bytes)
        guard json else { return Output.text(Shown.difference(difference)) }
        return Output.line(schema.json(plan, difference: difference, app: app).text)
      }
      Output.noteStored()
      if json {
        Output.line(schema.json(plan, app: app).text)
      } else {
        let done = (plan.verb == "redo" ? "redone: " : "undone: ") + (app.map { "\($0) " } ?? "")
        Output.text("\(done)\(plan.entry.summary)\n")
        for line in schema.lines(of: plan) { Output.text(line + "\n") }
      }
    } catch {
      var failure = ToolError(any: error)
      if failure.status == .noValue, let path {
        let isNumber = path.description.allSatisfy(\.isNumber)
        let advice = isNumber ? "For entry \(path) of 'log', write '#\(path)', with the quotes." : nil
        try schema.checkKnown(path, advice: advice)
        if let advice { failure.message? += " \(advice)" }
      }
      if AllApps.isRemoved(target.name), try !opened.store.backups().isEmpty {
        failure.message? += " To bring back the last text, use 'settings-cli recover \(target.words) --restore'."
      } else if failure.status == .noValue, let backup = try opened.backupOfRemoval() {
        let name = String(backup.path.lastPathPart)
        failure.message? +=
          " To bring back all that was removed, use 'settings-cli migrate \(target.words) --undo --backup \(name)'."
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
        let plan = try target.openUnread().store.previewUndo(what, reaching: { last = $0 }) { _ in }
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
    if let status { throw ToolError(status) }
    if case .redo = what { throw ToolError(.noValue, "Nothing to redo: the last change of no app is an undo.") }
    throw ToolError(.noValue, "Nothing to undo: no app's history has a change that is not undone.")
  }
}
