import SettingsTOML

extension SettingsSchema {
  /// The keys as a Markdown document: a section for each table, with what each key is for, takes and defaults to.
  public var markdown: String {
    var parts = ["# Settings of \(app)"]
    for (table, keys) in tables {
      if !table.isRoot {
        parts.append("## `\(table)`")
        if let summary = groups.first(where: { $0.path == table })?.summary, !summary.isEmpty { parts.append(summary) }
      }
      for key in keys { parts += key.markdown(level: table.isRoot ? 2 : 3) }
    }
    return parts.joined(separator: "\n\n") + "\n"
  }
}

extension SchemaKey {
  fileprivate func markdown(level: Int) -> [String] {
    var facts = ["* needs \(type.markdownWords)"]
    if let defaultValue {
      facts.append("* default: \(Self.code(defaultValue.tomlText))")
    } else if hasComputedDefault {
      facts.append("* default: computed by the app")
    } else if !isSecret {
      facts.append("* no default")
    }
    if !formerPaths.isEmpty {
      facts.append("* formerly " + formerPaths.map { Self.code($0.description) }.joined(separator: ", "))
    }
    if isSecret { facts.append("* a secret: it is left out of logs and listings") }
    let title = String(repeating: "#", count: level) + " " + Self.code(path.description)
    return ([title, summary, facts.joined(separator: "\n")]).filter { !$0.isEmpty }
  }

  /// A text as it is, whatever backticks it has.
  static func code(_ text: String) -> String {
    var longest = 0
    var run = 0
    for character in text {
      run = character == "`" ? run + 1 : 0
      longest = max(longest, run)
    }
    let fence = String(repeating: "`", count: longest + 1)
    return longest == 0 ? "`\(text)`" : "\(fence) \(text) \(fence)"
  }
}

extension SchemaType {
  /// What is needed, with choices and patterns as code.
  fileprivate var markdownWords: String {
    if let choices, expectedWords == nil {
      return "one of " + choices.map { SchemaKey.code($0.tomlText) }.joined(separator: ", ")
    }
    var words = expected
    for pattern in patterns {
      guard let range = words.firstRange(of: "'\(pattern)'") else { continue }
      words.replaceSubrange(range, with: SchemaKey.code(pattern))
    }
    return words
  }
}
