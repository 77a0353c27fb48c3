import AppSettings
import AppSettingsSchema
import SettingsTools

// A key in the place of the target, as in 'get theme org.example.editor'.

extension SettingsCLI {
  private static let verbsOfKeys: Set<String> = [
    "list", "get", "set", "try", "unset", "reset", "describe", "watch", "log", "undo", "redo", "blame", "at", "export",
    "rename", "lock", "unlock",
  ]

  /// The failure for an unknown app. If another word of the command line names an app or a file, it says to write that
  /// first.
  static func inOrder(_ failure: ToolError, _ words: [String]) -> ToolError {
    let operands = words.dropFirst().filter { !$0.hasPrefix("-") }
    guard failure.status == .unknown, let word = words.first, let target = operands.first,
      failure.message?.hasPrefix("Unknown app '\(target)'") == true,
      let advice = orderAdvice(KnownElsewhere.verb(for: word) ?? word, target, operands.dropFirst(), where: isTarget)
    else { return failure }
    return ToolError(.unknown, "Unknown app '\(target)'. \(advice)")
  }

  fileprivate static func orderAdvice(
    _ verb: String, _ typed: String, _ rest: some Collection<String>, where isTarget: (String) -> Bool
  ) -> String? {
    guard verbsOfKeys.contains(verb), (try? KeyArgument.parse(typed)) != nil,
      let place = rest.firstIndex(where: isTarget)
    else { return nil }
    let target = rest[place]
    let command =
      verb == "set"
      ? "'settings-cli set \(target) \(typed) VALUE'"
      : command(verb, [target, typed] + rest[..<place] + rest[rest.index(after: place)...])
    return "Write the \(Target(target).isFile ? "file" : "app") first: \(command)."
  }
}

extension Target {
  /// Throws if a target that would be a new app is a key of another one, which is among the words behind it.
  func checkOrder(_ words: [String], of verb: String) throws {
    guard !isFile, !InstalledApp.isKnown(name), let key = try? KeyArgument.parse(name),
      let advice = SettingsCLI.orderAdvice(verb, name, words, where: { InstalledApp.isKnown($0) && Self.has(key, $0) })
    else { return }
    throw ToolError(.usage, "Unknown app '\(name)'. \(advice) To make a new app, use --create.")
  }

  /// Whether an app has a key, by its schema or its files.
  private static func has(_ key: TOMLPath, _ app: String) -> Bool {
    guard let opened = try? Target(app, telling: { _ in }).open() else { return false }
    return !opened.schema.keys.isEmpty && opened.schema.knows(key) || opened.snapshot[key] != nil
  }
}
