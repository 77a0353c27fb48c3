import AppSettings
import ArgumentParser

/// What a program has read, so that it can change that and nothing newer: the digest of a file or of a key's value.
struct Digest: Equatable {
  /// The key; `nil` for a whole file.
  let key: TOMLPath?
  /// 64 hexadecimal digits; `nil` for a file or a value that does not exist.
  let hash: String?

  /// The digest of a file.
  init(of bytes: [UInt8]?) { (key, hash) = (nil, bytes.map(SHA256.hex)) }

  /// The digest of a key's effective value: of the text that `get --toml` prints.
  init(of key: TOMLPath, in snapshot: SettingsSnapshot, _ schema: SchemaLookup) {
    self.key = key
    hash = schema.usedValue(of: key, in: snapshot).flatMap { schema.withoutSecrets($0, at: key).value }
      .map { SHA256.hex(of: $0.tomlText.utf8) }
  }

  /// Parses what ``text`` returns.
  ///
  /// - Throws: `ValidationError` for anything else.
  init(_ text: String) throws {
    let colon = text.lastIndex(of: ":")
    let digits = colon.map { text[text.index(after: $0)...] } ?? text[...]
    guard digits == Self.absent || digits.utf8.count == 64 && digits.allSatisfy(\.isHexDigit) else {
      throw ValidationError(
        "'\(text)' is not a digest. Use what 'settings-cli get TARGET --digest' printed.")
    }
    key = try colon.map { try KeyArgument.parse(String(text[..<$0])) }
    hash = digits == Self.absent ? nil : digits.lowercased()
  }

  private static let absent = "absent"

  /// The digest as `get --digest` prints it.
  var text: String { (key.map { "\($0):" } ?? "") + value }

  /// The digest without the key.
  var value: String { hash ?? Self.absent }
}

/// The options of verbs that change a file with edits.
struct ChangeOptions: ParsableArguments {
  @Flag(help: "Only show the change, as a unified diff.") var dryRun = false
  @OptionGroup var condition: UnchangedOption

  /// - Throws: `ValidationError` for a digest that is not one.
  func validate() throws { _ = try guarded() }

  /// Throws if a digest is given, which is one file's, for all apps.
  func checkTarget(of apps: AppsArgument) throws {
    try apps.needTarget(for: condition.ifUnchanged.first.map { _ in "--if-unchanged" })
  }

  func guarded() throws -> GuardedChange { GuardedChange(isDryRun: dryRun, expected: try condition.digests()) }
}

/// The option of verbs that write if nothing has changed.
struct UnchangedOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only write if the file, or a key's value, still has this digest of 'get --digest'. Otherwise exit 9.",
      valueName: "digest"))
  var ifUnchanged: [String] = []

  func digests() throws -> [Digest] { try ifUnchanged.map(Digest.init) }
}

/// The option of verbs that may remove the last key of a table.
struct PruneOption: ParsableArguments {
  @Flag(help: "Also remove tables of the file at PATH that this leaves empty. Those of an app go in any case.")
  var prune = false

  /// The edits for a target: in the file of an app an empty table means nothing, in another one it may.
  func applied(to edits: [Edit], of target: Target) -> [Edit] {
    guard target.isFile, !prune else { return edits }
    return edits.map { edit in
      var edit = edit
      edit.keepsTables = true
      return edit
    }
  }
}

/// A change that is made only under conditions, or only shown.
struct GuardedChange {
  var isDryRun = false
  /// The digests that the file, or values in it, must have.
  var expected: [Digest] = []

  /// Whether the target's file must still be as it was: a migration is written with the change, not before it.
  var isPlain: Bool { !isDryRun && expected.isEmpty }

  /// Makes the edits in one write, or shows what they would change.
  ///
  /// - Parameter edits: Runs under the file's lock.
  /// - Returns: Whether the edits changed the text.
  /// - Throws: ``Failure`` with status 9 if something has changed.
  func make(in store: SettingsStore, _ schema: SchemaLookup, _ edits: (SettingsSnapshot) throws -> [Edit]) throws
    -> Bool
  {
    func checked(_ view: SettingsSnapshot) throws -> [Edit] {
      try checkValues(in: view, schema)
      return try edits(view)
    }
    guard isDryRun else { return try store.core.commit(checking: checkFile(of: store), making: checked) }
    let (old, new) = try store.core.preview(checking: checkFile(of: store), making: checked)
    guard old != new else { return false }
    Self.show(old, new, in: store, schema)
    return true
  }

  /// Shows how a change would alter the file, without secrets.
  static func show(_ old: [UInt8]?, _ new: [UInt8]?, in store: SettingsStore, _ schema: SchemaLookup) {
    Output.text(Shown.difference(difference(old, new, in: store, schema)))
  }

  /// How a change would alter the file, as a unified diff without secrets.
  static func difference(
    _ old: [UInt8]?, _ new: [UInt8]?, in store: SettingsStore, _ schema: SchemaLookup
  ) -> String {
    let texts = ShownTexts(old ?? [], new ?? [], schema)
    let file = PathText.shown(store.location?.file ?? "")
    return UnifiedDiff.text(
      from: texts.old, to: texts.new, oldName: old == nil ? "/dev/null" : file, newName: file)
  }

  /// Throws if a value is not the expected one.
  func checkValues(in view: SettingsSnapshot, _ schema: SchemaLookup) throws {
    for digest in expected { try digest.key.map { try check(digest, .init(of: $0, in: view, schema), "'\($0)'") } }
  }

  /// Throws if the content of the file is not the expected one.
  func checkFile(of store: SettingsStore) -> ([UInt8]?) throws -> Void {
    { bytes in
      for digest in expected where digest.key == nil {
        try check(digest, Digest(of: bytes), "'\(store.location?.file ?? "")'")
      }
    }
  }

  private func check(_ expected: Digest, _ now: Digest, _ subject: String) throws {
    guard now != expected else { return }
    func words(_ digest: Digest) -> String { digest.hash == nil ? "absent" : "'\(digest.value)'" }
    throw Failure(
      .changed,
      "\(subject) has changed: its digest was \(words(expected)) and is \(words(now)) now. Nothing was written. Read it "
        + "again, and repeat the change.")
  }
}
