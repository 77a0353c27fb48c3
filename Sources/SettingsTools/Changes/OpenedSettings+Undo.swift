package import AppSettings
import AppSettingsSchema

extension OpenedSettings {
  /// Takes a change back, or only finds what that would put back.
  ///
  /// - Parameter mayBeBack: Whether it is fine if the values are back already.
  /// - Throws: ``ToolError``, with status 1 if there is nothing to take back, 4 if the app would refuse the earlier value
  ///   today, 8 for a migration, 9 if something has changed; ``SettingsError`` as `SettingsStore/undo()`. Nothing is written
  ///   then.
  package func undo(
    _ what: HistoryTarget, _ guarded: GuardedChange = GuardedChange(), mayBeBack: Bool = false
  ) throws -> UndoPlan {
    func check(_ plan: UndoPlan) throws {
      try guarded.checkFile(of: self)(plan.bytes)
      try guarded.checkValues(in: plan.view, schema)
      try checkAllowed(plan)
    }
    return try readingHistory {
      let plan =
        guarded.isDryRun
        ? try store.previewUndo(what, checking: check) : try writing { try store.undo(what, checking: check) }
      let stays = plan.ownKey.map {
        " '\($0)' stays as it is\($0 == SettingsFormat.locksPath ? "; see 'settings-cli unlock'" : "")."
      }
      guard plan.hasChanged || mayBeBack else {
        throw ToolError(
          .noValue,
          "Nothing to \(plan.verb): '\(file)' has the values from before #\(plan.entry.id) already."
            + (stays.map { "\($0) To take back an older change, name its key or its number." } ?? ""))
      }
      if let stays { target.note(String(stays.dropFirst())) }
      if !guarded.isDryRun { warnOfLacks(around: plan.edits.map(\.path)) }
      return plan
    }
  }

  /// Throws if what is put back is not allowed today.
  private func checkAllowed(_ plan: UndoPlan) throws {
    let subject = "Cannot \(plan.verb) #\(plan.entry.id) in '\(file)'"
    guard plan.entry.reason != .migration else {
      throw ToolError(
        .migration,
        "\(subject): it is a migration. To undo that, run 'settings-cli migrate \(target.words) --undo'.")
    }
    if let error = plan.edits.lazy.compactMap({ schema.lockError(of: $0.path, in: plan.view) }).first { throw error }
    // As when it is set: each value is judged by itself, and a table by the entries that it gets and loses.
    let (old, new) = (plan.view.userDocument.root, plan.result.root)
    let refusal =
      plan.edits.lazy.compactMap { schema.refusal(of: $0.path, from: old, to: new) }.first
      ?? schema.refusals(of: plan.edits.map { ($0.path, $0.value) }, in: plan.view).first?.reason
    guard let refusal else { return }
    throw ToolError(
      .invalidValue, "\(subject): the earlier value is not valid today: \(refusal). Nothing was written.")
  }
}
