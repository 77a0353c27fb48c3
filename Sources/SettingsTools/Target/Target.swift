package import AppSettings
package import AppSettingsSchema
import Glibc
import Synchronization

/// What a tool works on: the settings of an app, given by its id, or a file, given by its path.
package struct Target: Sendable {
  /// The file of an app that is read and written, with the layers below it.
  package enum Layer: Equatable, Sendable {
    /// The file that the app writes: the user's, or the active profile.
    case own
    /// Another file of the person's.
    case personal(PersonalFile)
    /// Administrators' main file, or a drop-in.
    case system, dropIn(String)
  }

  /// The app's id, or the path as it was typed.
  package let name: String
  package private(set) var layer: Layer
  /// Gets the messages of whatever uses the target.
  package let tell: ToolMessageHandler
  /// The variables that say where settings are; `nil` for those of the process.
  let environment: [String: String]?
  /// The text of the path, if it is one.
  private let path: String
  private let found = FoundSchema()
  /// Whether it may be a profile that was removed.
  private var mayBeRemoved = false

  /// Whether it is a path. A path stands for that file alone, without administrators' files and schema.
  package var isFile: Bool { name.utf8.contains(UInt8(ascii: "/")) }

  /// - Parameter path: The text of the path, if the name has other bytes than those of a text.
  package init(
    _ name: String, _ layer: Layer = .own, path: String? = nil, environment: [String: String]? = nil,
    telling tell: @escaping ToolMessageHandler
  ) {
    (self.name, self.layer, self.tell, self.path) = (name, layer, tell, path ?? name)
    self.environment = environment
  }

  /// The same, also if it is a profile that was removed: for what can bring it back, and its history.
  package var orRemoved: Target {
    var target = self
    target.mayBeRemoved = true
    return target
  }

  /// The same app's settings in another layer.
  package func at(_ layer: Layer) -> Target {
    var target = self
    target.layer = layer
    return target
  }

  /// The files of an app that are written for its user: the user's, and all profiles.
  package var userFiles: [Target] {
    get throws {
      let user = try SettingsLocation(app: name, profile: .none, environment: environment)
      let isOwn = (try? location().file) == user.file
      return [isOwn ? self : at(.personal(.user))]
        + (try Profiles(of: user)?.names() ?? []).map { at(.personal(.profile($0))) }
    }
  }

  /// The words for a command on this target, for messages.
  package var words: String {
    let name = PathText.word(name) ?? "TARGET"
    return switch layer {
    case .own: name
    case .personal(let file):
      file.word.map { "\(name) --layer \($0)" } ?? (try? location().file).flatMap(PathText.word) ?? name
    case .system: "\(name) --system"
    case .dropIn(let dropIn): "\(name) --drop-in \(PathText.word(dropIn) ?? "NAME")"
    }
  }

  /// Where the settings are.
  ///
  /// - Parameter followsChoice: Whether a store there goes along when another profile is chosen.
  /// - Throws: ``ToolError`` with status 2 for a file's name without a slash; ``SettingsError``.
  package func location(followingChoice followsChoice: Bool = false) throws -> SettingsLocation {
    if isFile {
      try checkNotAddress()
      return try SettingsLocation(file: path, environment: environment)
    }
    try checkNotFile()
    switch layer {
    case .own:
      let location = try SettingsLocation(app: name, environment: environment)
      return followsChoice ? location : try location.resolvingProfile()
    case .personal(let file): return try file.location(of: name, orRemoved: mayBeRemoved, environment: environment)
    case .system: return try SettingsLocation(administratorsOf: name, environment: environment)
    case .dropIn(let dropIn):
      return try SettingsLocation(administratorsOf: name, dropIn: dropIn, environment: environment)
    }
  }

  /// The file of that name in the working directory, as a word for a shell.
  private var fileHere: String {
    PathText.word("./" + path).map { "'\($0)'" } ?? "its path with './'"
  }

  /// Throws if the name is one that people give to files: as an app's id it would make a directory of that name.
  private func checkNotFile() throws {
    guard name.lowercased().hasSuffix(".toml") else { return }
    // What has been made there all the same has files, each of which has a path.
    let app = try? InstalledApp.find(name, environment: environment)
    let file = app.flatMap { $0.file ?? $0.personalFiles.first ?? $0.systemFiles.first }
    throw ToolError(
      .usage,
      "'\(name)' is not an app's id. For the file in this directory, write \(fileHere)"
        + "\(file.map { "; for the one in the place of an app's settings, '\($0)'" } ?? "").")
  }

  /// Throws if the path is an address, as file managers give it: as a path it would make a directory `file:`.
  private func checkNotAddress() throws {
    guard let colon = name.firstRange(of: "://"), !colon.isEmpty,
      name[..<colon.lowerBound].utf8.allSatisfy({ UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 })
    else { return }
    let rest = name[colon.upperBound...]
    let path = rest.hasPrefix("/") && !rest.contains("%") ? PathText.word(String(rest)) : nil
    throw ToolError(
      .usage, "'\(name)' is an address, not a path. Write \(path.map { "'\($0)'" } ?? "the path of a file").")
  }

  /// Says something beside the result of a call.
  func note(_ text: String) { tell(ToolMessage(isWarning: false, text: text)) }

  /// The same of what a person should look at.
  func warn(_ text: String) { tell(ToolMessage(isWarning: true, text: text)) }

  /// Whether it is an administrators' file.
  package var isAdministrators: Bool {
    switch layer {
    case .own, .personal: false
    case .system, .dropIn: true
    }
  }

  // MARK: The schema

  /// What the target's schema says. A schema that cannot be used is ignored, and a message says so once.
  package var schema: SchemaLookup {
    do {
      return try findSchema()
    } catch {
      // An invalid id of an app is reported by the code that opens the target.
      if (error as? SettingsError)?.code != .invalidLocation, found.isNews("\(error)") {
        warn("\(error) The schema is ignored.")
      }
      return found.keep(SchemaLookup(schema: nil, isUsable: false))
    }
  }

  /// The same for what writes: without its schema it could not know what the app would refuse.
  ///
  /// - Throws: ``SettingsError`` if the schema cannot be used.
  @discardableResult package func findSchema() throws -> SchemaLookup {
    if let known = found.schema { return known }
    // Compiling the patterns would cost more than the rest; a key's own is compiled when its value is checked.
    return found.keep(
      SchemaLookup(
        schema: try isFile ? nil : SettingsSchema.find(app: name, environment: environment, checksPatterns: false)))
  }

  /// Reads the schema again when it is needed next.
  package func forgetSchema() { found.forget() }

  /// The target's schema, for callers that need one; `nil` without a schema.
  ///
  /// - Throws: ``SettingsError`` if the schema cannot be used.
  package func fileSchema() throws -> SettingsSchema? {
    if isFile { return nil }
    try checkNotFile()
    return try SettingsSchema.find(app: name, environment: environment)
  }

  // MARK: What was probably meant

  /// Throws if this is an app without a settings file in any layer, a backup or a schema.
  ///
  /// - Parameter mayBeNew: Whether that is fine unless the id is similar to that of another app, or the name of a file here.
  package func checkKnown(_ opened: OpenedSettings, mayBeNew: Bool = false) throws {
    // An app with an unusable schema is known too.
    guard !isFile, try InstalledApp.find(name, environment: environment).isUnknown else { return }
    // What was forgotten is not made again without a word.
    if !mayBeNew, try !opened.store.backups().isEmpty { return }
    if SettingsFile.isThere("./" + name) {
      throw ToolError(
        .unknown,
        "Unknown app '\(name)'. For the file in this directory, write \(fileHere)."
          + (mayBeNew ? " To make a new app, use --create." : ""))
    }
    if let failure = AppName.unknown(name, mayBeNew: mayBeNew, environment: environment) { throw failure }
  }

  /// Throws if this is an app without any files whose name is the end of one other app's id: any other may be new.
  package func checkNotEndOfAnother() throws {
    guard !isFile, try InstalledApp.find(name, environment: environment).isUnknown,
      let failure = AppName.unknown(name, environment: environment), failure.meantApp != nil,
      // What was forgotten can be brought back.
      RecoverySearch(for: nil, at: try location()).source == nil
    else { return }
    throw failure
  }

  /// What to do about the user's file if it does not parse: what `recover --restore` would bring back, and from when.
  package var repairAdvice: RepairAdvice {
    let (word, location) = (words, try? location())
    return { broken in
      let search = location.map { RecoverySearch(for: broken, at: $0, schema.schema?.migrations ?? .none) }
      let correction = "Correct it with 'settings-cli edit \(word)', or "
      guard let source = search?.source else {
        let rest =
          search?.incomplete.map {
            "'settings-cli at \(word) --entry \($0.id)' prints the text of \(Moment.text($0.time)) without the values "
              + "that its history does not keep."
          } ?? "No earlier text of it is kept."
        return correction + "move it to the backups with 'settings-cli recover \(word)'. \(rest)"
      }
      return "\(correction)bring back \(source.words) with 'settings-cli recover \(word) --restore'."
    }
  }
}

/// The schema of a target, which is read once.
private final class FoundSchema: Sendable {
  // Protects it: two threads may ask at once.
  private let lookup = Mutex<SchemaLookup?>(nil)
  private let last = Mutex<String?>(nil)

  var schema: SchemaLookup? { lookup.withLock { $0 } }

  func keep(_ schema: SchemaLookup) -> SchemaLookup {
    lookup.withLock { $0 = schema }
    return schema
  }

  func forget() { lookup.withLock { $0 = nil } }

  /// Whether an error was not the last one, too: `watch` reads the schema again and again.
  func isNews(_ error: String) -> Bool {
    last.withLock { last in
      defer { last = error }
      return last != error
    }
  }
}

extension RecoverySource {
  /// What it is, and from when.
  fileprivate var words: String {
    switch origin {
    case .entry(let entry): "the text of \(Moment.text(time)) (#\(entry.id) of its history)"
    case .backup: "the backup of \(Moment.text(time))"
    }
  }
}

extension SettingsFile {
  /// Whether a path names a file, and not a directory.
  package static func isThere(_ path: String) -> Bool {
    guard let status = try? Syscalls().status(at: path) else { return false }
    return !status.isDirectory
  }

  /// Whether a path is a link.
  package static func isLink(_ path: String) -> Bool {
    (try? Syscalls().status(at: path, followingLinks: false))?.isLink == true
  }
}
