import AppSettings
import AppSettingsObserve
import AppSettingsSchema

// What apps may use: a dialog, a page or a script is a view of these functions.

extension OpenedSettings {
  /// The file of an app that is shown and changed.
  public enum Place: Sendable {
    /// What the app itself writes: the person's file, or the profile that is active when it is opened.
    case own
    /// The person's file, below any profile.
    case user
    /// A profile, by its name.
    case profile(String)
    /// The person's file for this host.
    case host
    /// Administrators' main file, for all users.
    case administrators

    fileprivate var layer: Target.Layer {
      switch self {
      case .own: .own
      case .user: .personal(.user)
      case .profile(let name): .personal(.profile(name))
      case .host: .personal(.declared(.host))
      case .administrators: .system
      }
    }
  }

  /// Opens the settings of an app, and reads them. The app's schema says what its keys are; without one, every key of its
  /// files is known, and no value is refused.
  ///
  /// ```swift
  /// let settings = try OpenedSettings(app: "org.example.editor")
  /// print(try settings.facts().map { "\($0.key) = \($0.text)" })
  /// try settings.apply([.set("editor.font-size", to: "14")])
  /// ```
  ///
  /// The schema is read now, and the values when they are asked for. A pending migration is written with the first change,
  /// and shown as if it were.
  ///
  /// - Parameters:
  ///   - app: The app's id. An administrators' file is made readable for all: the process's umask becomes 022.
  ///   - place: Which of its files is changed.
  ///   - environment: The variables that say where settings are, as the XDG specification has them; by default those of the
  ///     process.
  ///   - tell: Gets the messages beside results, on the thread of the call; by default they are dropped.
  /// - Throws: ``ToolError`` `unknown` for an app without settings and without a schema, or for an unknown profile;
  ///   `unparsable` if the file does not parse, with what would repair it; `io` if it cannot be read; `migration` for a
  ///   file of a newer release.
  public init(
    app: String, place: Place = .own, environment: [String: String]? = nil,
    telling tell: @escaping @Sendable (ToolMessage) -> Void = { _ in }
  ) throws(ToolError) {
    guard !app.utf8.contains(UInt8(ascii: "/")) else {
      throw ToolError(.usage, "'\(app)' is a path, not the id of an app. Open it with 'init(file:)'.")
    }
    self = try Self.opened(Target(app, place.layer, environment: environment, telling: tell))
  }

  /// Opens a TOML file, alone: without administrators' files, and without a schema.
  ///
  /// - Parameters:
  ///   - file: Its path. A relative one begins in the working directory.
  ///   - tell: As in ``init(app:place:environment:telling:)``.
  /// - Throws: ``ToolError`` as ``init(app:place:environment:telling:)``.
  public init(file: String, telling tell: @escaping @Sendable (ToolMessage) -> Void = { _ in }) throws(ToolError) {
    self = try Self.opened(Target(file.utf8.contains(UInt8(ascii: "/")) ? file : "./" + file, telling: tell))
  }

  private static func opened(_ target: Target) throws(ToolError) -> OpenedSettings {
    try only(at: nil) { try target.open(isForWriting: true) }
  }

  /// Makes every error one of the tools.
  private static func only<Result>(at location: SettingsLocation?, _ body: () throws -> Result) throws(ToolError)
    -> Result
  {
    do {
      return try body()
    } catch {
      throw ToolError(any: error, at: location)
    }
  }

  private func only<Result>(_ body: () throws -> Result) throws(ToolError) -> Result {
    try Self.only(at: store.location, body)
  }

  // MARK: Asking

  /// The facts about all keys: first those of the app's schema, in its order, then what else the files have.
  ///
  /// They are those of the present files, also of what another program has just saved. Of a file that does not parse any
  /// more, they are those that were read last; ``findings()`` has the mistake.
  ///
  /// - Parameter key: Only those at and below this dotted key.
  /// - Throws: ``ToolError`` `usage` for a text that is no dotted key, `unknown` for a key that the schema does not have.
  public func facts(below key: String? = nil) throws(ToolError) -> [SettingFacts] {
    try only {
      let path = try key.map(TypedKey.path) ?? .root
      look()
      let snapshot = snapshot
      let paths = KeyDescription.paths(at: path, in: snapshot, schema)
      if paths.isEmpty, !path.isRoot { try schema.checkKnown(path) }
      return paths.map { SettingFacts(KeyDescription($0, in: snapshot, schema), snapshot, schema) }
    }
  }

  /// What is wrong with the files, or may be: syntax, values that the app refuses, unknown keys, locks, permissions. Empty
  /// if nothing is.
  public func findings() -> [FindingFacts] { allFindings.map(FindingFacts.init) }

  /// The digest of the file that is written, for ``apply(_:creating:onlyIf:isDryRun:)``.
  ///
  /// - Throws: ``ToolError`` `io` if it cannot be read.
  public func digest() throws(ToolError) -> String { try only { Digest(of: try readText()).text } }

  // MARK: Changing

  /// Makes changes in one durable write, all or none.
  ///
  /// What the app would refuse, or an administrator has locked, is refused here, with a message that says what is needed.
  /// The rest of the file stays as it is, byte for byte, and the history records the change.
  ///
  /// - Parameters:
  ///   - changes: Each is made from the values that those before it leave.
  ///   - creates: Whether keys that the app's schema does not list are set, too.
  ///   - digest: What ``digest()`` returned: nothing is written if the file has changed since.
  ///   - isDryRun: Whether the change is only shown.
  /// - Returns: What has become of them. A value that was stored, and that the app does not use because a higher layer has
  ///   another one, is among the `problems`.
  /// - Throws: ``ToolError`` of the first change that is refused: `unknown`, `invalidValue` or `notWritable` for a locked
  ///   key; `changed` if the digest is another one; `io` if the write failed. The file is as before then.
  @discardableResult
  public func apply(
    _ changes: [SettingChange], creating creates: Bool = false, onlyIf digest: String? = nil, isDryRun: Bool = false
  ) throws(ToolError) -> ChangeReport {
    try only {
      let guarded = GuardedChange(isDryRun: isDryRun, expected: try digest.map { [try Digest($0)] } ?? [])
      let list = ChangeList(changes, of: self, creates: creates, keepsTables: target.isFile, advice: nil)
      let outcome = try list.explaining { try list.make(guarded) }
      return ChangeReport(
        hasChanged: outcome.hasChanged,
        problems: Dictionary(
          zip(changes, list.answers).compactMap { change, answer in
            answer.failure?.message.map { (change.key, $0) }
          }, uniquingKeysWith: { _, last in last }),
        difference: outcome.difference)
    }
  }

  // MARK: History

  /// The changes of the file, the newest first.
  ///
  /// - Parameters:
  ///   - key: Only those of this dotted key.
  ///   - most: At most so many.
  /// - Throws: ``ToolError`` `io` if the history cannot be read, `notWritable` if permission is missing.
  public func history(of key: String? = nil, limit most: Int = .max) throws(ToolError) -> [HistoryFacts] {
    try only {
      let names = try key.map(TypedKey.path).map(schema.names)
      return try store.history(at: names, limit: most).map { HistoryFacts($0, schema, at: names) }
    }
  }

  /// Takes back the last change that is not undone; called again, the one before.
  ///
  /// - Parameter key: Only the last change of this dotted key.
  /// - Returns: What was taken back.
  /// - Throws: ``ToolError`` `noValue` if there is nothing to take back, `invalidValue` if the app would refuse the earlier
  ///   value today, `notWritable` for a locked key, `migration` if the last change is one. The file is as before then.
  @discardableResult
  public func undo(_ key: String? = nil) throws(ToolError) -> HistoryFacts {
    try takeBack(key) { $0.map(HistoryTarget.value) ?? .last }
  }

  /// Takes back the last undo, if nothing else was changed since.
  ///
  /// - Parameter key: Only the last undo of this dotted key.
  /// - Returns: The undo.
  /// - Throws: ``ToolError`` as ``undo(_:)``.
  @discardableResult
  public func redo(_ key: String? = nil) throws(ToolError) -> HistoryFacts { try takeBack(key) { .redo($0) } }

  private func takeBack(_ key: String?, _ what: ([TOMLPath]?) -> HistoryTarget) throws(ToolError) -> HistoryFacts {
    try only {
      let names = try key.map(TypedKey.path).map(schema.names)
      return HistoryFacts(try undo(what(names)).entry, schema, at: names)
    }
  }

  // MARK: Observing

  /// The dotted keys whose values change from now on, by whomever, with everything that became visible at one moment in
  /// one element.
  ///
  /// ```swift
  /// for await keys in settings.changes() { dialog.redraw(try settings.facts().filter { keys.contains($0.key) }) }
  /// ```
  public func changes() -> some AsyncSequence<Set<String>, Never> & Sendable {
    store.changes().map { [schema] batch in
      Set(batch.paths.map { (schema.key(around: $0)?.path ?? schema.names(of: $0)[0]).description })
    }
  }
}
