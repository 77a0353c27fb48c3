import AppSettings

extension SettingsSchema {
  /// The keys as a Markdown document: a section for each table, with each key's description, type and default.
  public var markdown: String {
    var parts = ["# Settings of \(DocumentText.markdownLine(app))"]
    let summaries = summariesOfGroups
    for (table, keys) in tables {
      if !table.isRoot {
        parts.append("## \(DocumentText.code(table.description))")
        if let summary = summaries[table], !summary.isEmpty { parts.append(DocumentText.markdown(summary)) }
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
      facts.append("* default: \(DocumentText.code(defaultValue.tomlText))")
    } else if hasComputedDefault {
      facts.append("* default: computed by the app")
    } else if !isSecret {
      facts.append("* no default")
    }
    if !formerPaths.isEmpty {
      facts.append("* formerly " + formerPaths.map { DocumentText.code($0.description) }.joined(separator: ", "))
    }
    if needsRestart { facts.append("* the app reads it when it starts") }
    if projects != .refused { facts.append("* a project's file may set it") }
    if isSecret { facts.append("* a secret: it is left out of logs and listings") }
    let title = String(repeating: "#", count: level) + " " + DocumentText.code(path.description)
    return ([title, DocumentText.markdown(summary), facts.joined(separator: "\n")]).filter { !$0.isEmpty }
  }
}

extension SchemaType {
  /// The expected value in words, with choices and patterns as code.
  fileprivate var markdownWords: String {
    if let choices, expectedWords == nil {
      return "one of " + choices.map { DocumentText.code($0.tomlText) }.joined(separator: ", ")
    }
    var rest = expectedInFull[...]
    var result = ""
    for pattern in patterns {
      guard let range = rest.firstRange(of: "'\(pattern)'") else { continue }
      result += Self.markdown(rest[..<range.lowerBound]) + DocumentText.code(pattern)
      rest = rest[range.upperBound...]
    }
    return result + Self.markdown(rest)
  }

  /// Formats words within a line, where a leading space is kept.
  private static func markdown(_ words: Substring) -> String {
    words.first == " " ? " " + DocumentText.markdownLine(String(words)) : DocumentText.markdownLine(String(words))
  }
}
