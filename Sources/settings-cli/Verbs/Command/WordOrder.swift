import AppSettings
import AppSettingsSchema
import SettingsTools

// A key in the place of the target, as in 'get theme org.example.editor'.

extension SettingsCLI {
  private static let verbsOfKeys: Set<String> = [
    "list", "get", "set", "try", "unset", "reset", "describe", "watch", "log", "undo", "redo", "blame", "at", "export",
    "rename", "adopt", "lock", "unlock",
  ]

  /// The failure of a command line, with the words in order, and without values that may be secrets.
  static func answer(to failure: ToolError, _ words: [String]) -> ToolError {
    var failure = inOrder(failure, words)
    if failure.status == .usage { failure.message = failure.message.map { withoutValues($0, words) } }
    return failure
  }

  /// A message without what follows `KEY=`, and without unexpected words behind the key of a secret.
  private static func withoutValues(_ message: String, _ words: [String]) -> String {
    var message = message
    let isUnexpected = message.hasPrefix("Unexpected word")
    // The target may be behind an option and its value.
    let schemas =
      isUnexpected
      ? words.dropFirst().lazy.filter { !$0.hasPrefix("-") }.prefix(2).map { Target($0, telling: { _ in }).schema } : []
    var isBehindSecret = false
    for word in words where !word.hasPrefix("-") && (isUnexpected || word.contains("=")) {
      let key = KeyText.assignment(word)?.key
      if let key, !key.isEmpty, !key.contains("/") {
        message = message.replacing("'\(word)'", with: "'\(key)=…'")
      } else if isBehindSecret {
        message = message.replacing("'\(word)'", with: "'…'")
      }
      if !isBehindSecret, let path = try? KeyArgument.parse(key.map { String($0) } ?? word) {
        isBehindSecret = schemas.contains { $0.isSecret(path, .string(word)) }
      }
    }
    return message
  }

  /// The failure of a command line. If that is about the place of the target, and another word names an app or a file,
  /// it says to write that first.
  private static func inOrder(_ failure: ToolError, _ words: [String]) -> ToolError {
    let operands = words.dropFirst().filter { !$0.hasPrefix("-") }
    guard let word = words.first, let typed = operands.first, let message = failure.message, !isTarget(typed) else {
      return failure
    }
    let verb = KnownElsewhere.verb(for: word) ?? word
    /// Whether it is about a word in a place where a target cannot be.
    func isMisplaced(_ word: String) -> Bool {
      ["Invalid key '\(word)'", "'\(word)' is not a time", "Missing VALUE of '\(word)'"]
        .contains(where: message.hasPrefix)
    }
    let isUnknown = failure.status == .unknown && message.hasPrefix("Unknown app '\(typed)'")
    let isNone = message.hasPrefix("Invalid app id '\(typed)'")
    if isUnknown || isNone || message.hasPrefix("TARGET or VALUE is missing: '\(typed)'")
      || operands.dropFirst().contains(where: isMisplaced),
      // No key begins like a path.
      let advice = orderAdvice(
        verb, typed, operands.dropFirst(),
        where: { word in
          if isMisplaced(word) { return isTarget(word) || ["/", "./", "../"].contains(where: word.hasPrefix) }
          // In the place of a value, a path is one.
          return isTarget(word) && (!Target(word).isFile || Target.has(typed, word))
        })
    {
      return ToolError(failure.status, isUnknown ? "Unknown app '\(typed)'. \(advice)" : advice)
    }
    guard verb == "set", isNone || message.hasPrefix("Missing KEY."), let key = KeyText.assignment(typed)?.key else {
      return failure
    }
    return ToolError(.usage, "Missing TARGET before '\(key)=…'. Usage: settings-cli set TARGET KEY=VALUE ...")
  }

  fileprivate static func orderAdvice(
    _ verb: String, _ typed: String, _ rest: some Collection<String>, where isTarget: (String) -> Bool
  ) -> String? {
    let assignment = ["set", "try", "lock"].contains(verb) ? KeyText.assignment(typed) : nil
    let key = String(assignment?.key ?? typed[...])
    guard verbsOfKeys.contains(verb), verb == "at" || (try? KeyArgument.parse(key)) != nil,
      let place = rest.firstIndex(where: isTarget)
    else { return nil }
    let target = rest[place]
    let command =
      verb == "set"
      ? "'settings-cli set \(PathText.word(target) ?? "TARGET") \(key)\(assignment == nil ? " " : "=")VALUE'"
      : command(verb, [target, typed] + rest[..<place] + rest[rest.index(after: place)...])
    return "Write the \(Target(target).isFile ? "file" : "app") first: \(command)."
  }
}

extension Target {
  /// Throws if a target that would be a new app is a key of another one, which is among the words behind it.
  ///
  /// - Parameter advice: What to do if it is a new app all the same.
  func checkOrder(
    _ words: [String], of verb: String, advice: String = " To make a new app, use --create."
  ) throws {
    guard !isFile, !InstalledApp.isKnown(name),
      let order = SettingsCLI.orderAdvice(verb, name, words, where: { Self.has(name, $0) })
    else { return }
    throw ToolError(.usage, "Unknown app '\(name)'. \(order)\(advice)")
  }

  /// Whether a word is an app or a TOML file that has a key, by its schema or its files.
  fileprivate static func has(_ key: String, _ word: String) -> Bool {
    let target = Target(word, telling: { _ in })
    // Any other file may be a value, and long.
    let isTarget =
      target.isFile ? word.hasSuffix(".toml") && SettingsFile.isThere(word) : InstalledApp.isKnown(word)
    guard isTarget, let key = try? KeyArgument.parse(key), let opened = try? target.open() else { return false }
    return !opened.schema.keys.isEmpty && opened.schema.knows(key) || opened.snapshot[key] != nil
  }
}
