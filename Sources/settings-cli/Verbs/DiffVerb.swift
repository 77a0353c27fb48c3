import AppSettings

enum DiffVerb: Verb {
  static let name = "diff"
  static let syntax = Syntax(
    summary: "Show what the user's file changes, or how it differs from another.",
    operands: [.target, .init("FILE", .optional, .file, "A file to compare the user's file with.")],
    options: [
      .flag("backup", "Compare with the newest backup."),
      .flag("exit-code", "Exit 1 if there is a difference."),
    ],
    details: """
      Prints a unified diff, or nothing if there is no difference.

      Without FILE, of the values: from those that there were without the user's file
      (the schema's defaults and administrators' files) to those that there are. With
      FILE or --backup, of the texts, whether they parse or not: from the other one to
      the user's file.
      """,
    examples: [
      "settings-cli diff org.example.editor", "settings-cli diff org.example.editor --backup",
      "settings-cli diff org.example.editor ./settings.toml.old --exit-code",
    ])

  static func run(_ arguments: Arguments) throws {
    let target = Target(arguments)
    let difference: String
    if arguments.has("backup") {
      guard arguments.operand(1) == nil else {
        throw Failure(.usage, "--backup and FILE exclude each other.").withUsage(of: DiffVerb.self)
      }
      guard let backup = try target.openUnread().backups.first else {
        throw Failure(.noValue, "There is no backup of '\(try target.location().file)'.")
      }
      difference = try texts(backup.path, target)
    } else if let file = arguments.operand(1) {
      difference = try texts(try SettingsLocation(file: file).file, target)
    } else {
      difference = try values(target)
    }
    Output.text(Shown.difference(difference))
    if !difference.isEmpty, arguments.has("exit-code") { throw Failure(.noValue) }
  }

  private static func texts(_ other: String, _ target: Target) throws -> String {
    let file = try target.location().file
    guard let old = try SettingsFile(path: other).read().bytes else {
      throw Failure(.io, "Cannot read '\(other)': there is no such file.")
    }
    let new = try SettingsFile(path: file).read().bytes
    return UnifiedDiff.text(
      from: String(decoding: old, as: UTF8.self), to: String(decoding: new ?? [], as: UTF8.self), oldName: other,
      newName: new == nil ? "/dev/null" : file)
  }

  private static func values(_ target: Target) throws -> String {
    let store = try target.open()
    let now = store.snapshot
    var without = now
    without.layers[without.userIndex].document = TOMLDocument()
    func lines(_ snapshot: SettingsSnapshot) -> [TOMLPath: String] {
      var lines: [TOMLPath: String] = [:]
      for path in Shown.leaves(of: snapshot) {
        if let value = snapshot[path] { lines[path] = "\(path) = \(value.tomlText)\n" }
      }
      return lines
    }
    let old = lines(without)
    let new = lines(now)
    // Both in one order, so that a value that only differs is not shown as moved.
    var order = Shown.leaves(of: without)
    order += Shown.leaves(of: now).filter { old[$0] == nil }
    return UnifiedDiff.text(
      from: order.compactMap { old[$0] }.joined(), to: order.compactMap { new[$0] }.joined(),
      oldName: "defaults", newName: store.location?.file ?? target.name)
  }
}
