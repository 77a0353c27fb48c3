package import AppSettings
import AppSettingsSchema
import FoundationEssentials

/// What the removal of all values did, or would do.
package struct Removal {
  /// Whether the text has changed, or would.
  package fileprivate(set) var hasChanged = false
  /// The change of the text as a unified diff without secrets, if it was only shown.
  package fileprivate(set) var difference: String?
  /// How many keys were removed.
  package fileprivate(set) var count = 0
  /// The keys that stay, because administrators have locked them.
  package fileprivate(set) var kept: [TOMLPath] = []
  package fileprivate(set) var backup: SettingsBackup?
}

extension OpenedSettings {
  private static let removalReason = "before-unset"

  /// Removes every key that is not locked, after a backup; or only shows that. A file of an app that has nothing else is
  /// removed, too.
  package func removeAll(_ guarded: GuardedChange) throws -> Removal {
    // Another file may be needed as it is: a profile that is active, what another program reads, or what a link leads to.
    let mayGo = !target.isFile && store.location?.personal?.profile == nil && !SettingsFile.isLink(file)
    var before = TOMLDocument()
    var after = TOMLDocument()
    func text(without bytes: [UInt8]?) throws -> [UInt8]? {
      try guarded.checkFile(of: self)(bytes)
      // Locks name keys of today.
      before = try bytes.map { try store.core.documentToWrite(of: $0) } ?? TOMLDocument()
      after = before
      try after.edit { document in
        try document.removeAll(
          at: before.keys.flatMap { key in
            schema.unlocked(before[key], in: snapshot) { schema.names(of: key.appending($0)) }
              .map { key.appending($0.part) }
          })
      }
      if bytes == nil || mayGo && after.isAsNew { return nil }
      return after.bytes == before.bytes ? bytes : after.bytes
    }
    var removal = Removal()
    if guarded.isDryRun {
      let bytes = try readText()
      let new = try text(without: bytes)
      removal.hasChanged = new != bytes
      removal.difference = difference(bytes, new)
    } else {
      (removal.hasChanged, removal.backup) = try replaceText(backingUp: Self.removalReason) { try text(without: $0) }
      if mayGo, after.isAsNew { store.location?.removeEmptyDirectories() }
    }
    func entries(_ document: TOMLDocument) -> Set<TOMLPath> {
      Set(document.keys.flatMap { document.leafPaths(under: $0) }.map { schema.key(around: $0)?.path ?? $0 })
    }
    let kept = entries(after)
    removal.count = entries(before).subtracting(kept).count
    removal.kept = kept.sorted { $0.description < $1.description }
    return removal
  }
}

extension OpenedSettings {
  /// The backup of what the newest change has removed, if that is the removal of all values.
  package func backupOfRemoval() throws -> SettingsBackup? {
    guard let newest = try store.history(limit: 1).first, newest.reason == .reset,
      let backup = try store.backups().first, backup.reason == Self.removalReason
    else { return nil }
    // It is made first, in the same write.
    let times = [newest.time.addingTimeInterval(-60), newest.time].map {
      $0.ISO8601Format().filter { $0 != "-" && $0 != ":" }
    }
    return times[0] <= backup.time && backup.time <= times[1] ? backup : nil
  }
}

extension TOMLDocument {
  /// Whether nothing is in it but its version.
  package var isAsNew: Bool {
    comments.isEmpty && (childKeys(of: .root) ?? []).allSatisfy { $0 == SettingsFormat.versionPath.components[0] }
  }

  /// The paths of the root keys that are not reserved.
  fileprivate var keys: [TOMLPath] {
    (childKeys(of: .root) ?? []).filter { !SettingsFormat.isReserved($0) }.map { [$0] }
  }
}
