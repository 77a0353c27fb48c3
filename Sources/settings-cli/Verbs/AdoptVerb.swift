import AppSettings
import AppSettingsSchema
import ArgumentParser
import SettingsTools

struct AdoptVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "adopt",
    abstract: "Move a value of yours into a declared file.",
    discussion: """
      The value goes into the highest declared file that has KEY, or into the file that --layer names, and then out of \
      the file that the app writes: the user's, or the active profile. In this order, so that a crash loses nothing. A \
      table moves with everything in it; what another program adds to it meanwhile stays in your own file. A value keeps its notation, but not its comments.

      If another program makes the declared file, so that it cannot be written, the line that belongs in it is \
      printed, and the exit status is 10. Once the file has that line, the same command removes your own value.

      Nothing is moved if your own file does not have KEY (status 1), if a file between the two has it and would hide \
      the declared value (5), if it is locked (5), or if it is a secret (4): declared files are often shared.

      EXAMPLES
        settings-cli adopt org.example.editor theme --layer drop-in:10-mine
        settings-cli diff org.example.editor --declared
      """)

  @Argument(help: "An app's id.", completion: .custom(Candidates.targets)) var target: String
  @Argument(help: "The dotted key, or a table of keys.", completion: .custom(Candidates.keys)) var key: String
  @Option(
    help: ArgumentHelp("The declared file: drop-in:NAME, host, os or arch.", valueName: "layer"),
    completion: .custom(Candidates.layers))
  var layer: String?
  @OptionGroup var common: CommonOptions

  func validate() throws {
    try Target.checkIsApp(target, for: "'adopt'")
    _ = try place
  }

  private var place: DeclaredPlace? {
    get throws {
      switch try layer.map({ layer in try validated { try PersonalFile(parsing: layer) } }) {
      case nil: nil
      case .declared(let place)?: place
      case .user?, .profile?:
        throw ValidationError("'\(layer ?? "")' is no declared file. Use drop-in:NAME, host, os or arch.")
      }
    }
  }

  func answer() throws {
    let target = Target(target)
    let path = try KeyArgument.parse(key)
    let opened = try target.open(isForWriting: true)
    let adoption = try Adoption(of: path, from: opened, into: file(of: path, in: opened))
    let declared = try target.at(.personal(.declared(.file(adoption.file))))
      .open(mayBeUnknown: true, isForWriting: true)
    try adoption.checkNotHidden(in: opened.snapshot, above: declared.snapshot)
    do {
      try adoption.write(to: declared)
    } catch let error as ToolError where error.isReadOnly && declared.hasFile {
      for line in adoption.lines { Output.line(line) }
      let advice = declared.store.location.flatMap(ForeignFile.init(at:)).map { " \($0.owner)" } ?? ""
      throw ToolError(
        .elsewhere,
        "\(error.reason ?? "")\(advice) Put the printed line where that file is made. After that, the same command removes "
          + "the value from '\(opened.file)'.")
    }
    try adoption.removeOwn(from: opened)
    Output.noteStored()
    Output.path(adoption.file, after: "moved: \(adoption.key) -> ")
  }

  /// The declared file that gets the value.
  private func file(of path: TOMLPath, in opened: OpenedSettings) throws -> String {
    if let place = try place { return try SettingsLocation(declaredOf: target, place).file }
    let names = opened.schema.names(of: path)
    let found = opened.schema.values(at: path, in: opened.snapshot).first {
      $0.layer.kind == .declared && names.contains($0.path)
    }
    if let file = found?.layer.file { return file }
    // What is wrong with the key comes first.
    _ = try Adoption(of: path, from: opened, into: "")
    throw ToolError(
      .usage, "No declared file has '\(path)'. Name the one to write, such as '--layer drop-in:10-mine'.")
  }
}

/// The move of a value from the own file into a declared one.
private struct Adoption {
  let key: TOMLPath
  let file: String
  private let schema: SchemaLookup
  /// The version of the own file.
  private let version: Int
  /// The values to move, under their present names, with their texts.
  private let values: [(path: TOMLPath, value: TOMLValue, text: String?)]

  /// - Throws: ``ToolError`` if the value cannot be moved.
  init(of path: TOMLPath, from opened: OpenedSettings, into file: String) throws {
    let document = opened.snapshot.userDocument
    let schema = opened.schema
    let names = schema.names(of: path)
    key = names[0]
    self.file = file
    self.schema = schema
    version = try SettingsMigrations.version(of: document)
    guard let name = names.first(where: document.contains) else {
      try schema.checkKnown(path)
      throw ToolError(.noValue, "'\(opened.file)' has no value for '\(path)'.")
    }
    let leaves = document.isTable(at: name) ? document.leafPaths(under: name) : [name]
    values = leaves.compactMap { leaf in
      document[leaf].map {
        (names[0].appending(leaf.rest(below: name)), $0, document.literal(at: leaf))
      }
    }
    if let secret = values.first(where: { schema.isSecret($0.path, $0.value) })?.path {
      throw ToolError(
        .invalidValue,
        "Cannot move '\(schema.withoutSecretNames(secret))': it is a secret, and declared files are often shared. Nothing was written."
      )
    }
  }

  /// Throws if a layer between the declared file and the own one has a value, too.
  func checkNotHidden(in snapshot: SettingsSnapshot, above declared: SettingsSnapshot) throws {
    // Below the declared file, both have the same layers.
    let between = snapshot.layers[..<snapshot.userIndex].dropFirst(declared.userIndex).map(\.layer)
      .filter { $0.file != file }
    for value in values {
      guard let other = schema.values(at: value.path, in: snapshot).first(where: { between.contains($0.layer) }) else {
        continue
      }
      throw ToolError(
        .notWritable,
        "Cannot move '\(value.path)' into '\(file)': '\(other.layer.file ?? "")' is above it and has a value, too. "
          + "Nothing was written.")
    }
  }

  /// The values as lines of TOML.
  var lines: [String] { values.map { "\($0.path) = \($0.value.text(as: $0.text))" } }

  /// Stores the values in the declared file, durably.
  func write(to declared: OpenedSettings) throws {
    let now = declared.snapshot.userDocument
    if let value = values.first(where: { $0.value.table == nil && now.isTable(at: $0.path) }) {
      throw ToolError(
        .notWritable,
        "Cannot move '\(value.path)' into '\(file)': it has a table there, with other keys. Nothing was written.")
    }
    // No schema says how to convert values of another version.
    let isVersioned = schema.schema == nil && now.takesAnyVersion && version > 1
    if schema.schema == nil, !now.takesAnyVersion, try SettingsMigrations.version(of: now) != version {
      throw ToolError(
        .migration,
        "Cannot move '\(key)' into '\(file)': its settings version is another one, and the app has no schema here that "
          + "says how to convert them. Nothing was written. Start the app once, so that it installs its schema.")
    }
    let isThere = values.allSatisfy { now[$0.path] == $0.value }
    let texts = Dictionary(values.compactMap { value in value.text.map { (value.path, $0) } }) { $1 }
    do {
      // Also where the file has them already: another program, or a killed one, may not have synced it.
      try declared.commit { view in
        // An empty table removes nothing from the one there.
        let new = values.filter { $0.value.table?.isEmpty != true || !view.userDocument.isTable(at: $0.path) }
        let version = isVersioned ? [Edit(path: SettingsFormat.versionPath, value: .integer(Int64(version)))] : []
        return version + schema.edits(storing: new.map { ($0.path, $0.value) }, texts: texts, in: view)
      }
    } catch let error as ToolError where isThere && error.isReadOnly {
      // Who made the file has put the value there, and nobody else can write it.
    }
  }

  /// Removes the values from the own file, if they are still those that were moved.
  func removeOwn(from opened: OpenedSettings) throws {
    try opened.commit { view in
      for value in values where !schema.names(of: value.path).contains(where: { view.userDocument[$0] == value.value })
      {
        throw ToolError(
          .changed,
          "'\(value.path)' has changed in '\(opened.file)' meanwhile, and stays there. '\(file)' has its "
            + "earlier value.")
      }
      let moved = places(of: .root, in: view.userDocument, among: Set(values.map(\.path)))
      return schema.edits(storing: moved.map { ($0, nil) }, in: view)
    }
  }

  /// The fewest parts of a part of the key that cover what was moved, and nothing that another program has added since.
  private func places(
    of part: TOMLPath, in document: TOMLDocument, among moved: Set<TOMLPath>
  ) -> [TOMLPath] {
    let place = key.appending(part)
    let names = schema.names(of: key).map { $0.appending(part) }
    let isAll = names.allSatisfy { name in
      let leaves = document.isTable(at: name) ? document.leafPaths(under: name) : document.contains(name) ? [name] : []
      return leaves.allSatisfy { moved.contains(place.appending($0.rest(below: name))) }
    }
    if isAll { return [place] }
    let children = Set(names.flatMap { document.childKeys(of: $0) ?? [] })
    return children.sorted().flatMap { places(of: part.appending($0), in: document, among: moved) }
  }
}

extension OpenedSettings {
  /// Whether the own file exists: one that does not is not made by another program.
  fileprivate var hasFile: Bool { (try? readText()) != nil }
}
