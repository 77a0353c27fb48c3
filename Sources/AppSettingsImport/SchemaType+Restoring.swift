package import AppSettings

extension SchemaType {
  /// How the original wrote a value.
  package enum ImportedText: Sendable {
    /// As a value with a type.
    case typed
    /// Without a type.
    case untyped(ImportedLists)
    /// As this text, without a type; an array by the texts of its elements.
    case text(String, elements: [String]?, ImportedLists)

    fileprivate var lists: ImportedLists {
      switch self {
      case .typed: .explicit
      case .untyped(let lists), .text(_, _, let lists): lists
      }
    }

    /// The same of a list's only element.
    fileprivate var ofElement: ImportedText {
      switch self {
      case .typed: .typed
      case .untyped: .untyped(.explicit)
      case .text(let text, _, _): .text(text, elements: nil, .explicit)
      }
    }
  }

  /// How the original's format writes lists.
  package enum ImportedLists: Sendable {
    /// So that nothing else looks like one, or not at all.
    case explicit
    /// As text with this separator between the elements.
    case separated(Character)
    /// One with a single element as that element; in some formats, one without elements as an empty text.
    case single(emptyIsNone: Bool)
  }

  /// Restores a value of this type from another format's form of it: a date from a JSON string, any value from the text
  /// of an environment variable.
  ///
  /// - Returns: The restored value; the value itself if it already has this type, or if it cannot be restored.
  package func restoring(_ value: TOMLValue, from text: ImportedText) -> TOMLValue {
    if (try? check(value)) != nil { return value }
    switch (value, text) {
    case (.string(let string), _):
      if let value = try? self.value(of: string) { return value }
      if case .text(let text, _, _) = text, text != string, let value = try? self.value(of: text) { return value }
      // Other libraries store values of their own types as JSON in a string.
      // The digits of a number above `Int64.max` are the string that JSON has for it.
      if let json = JSONText.embedded(in: string), let decoded = try? JSONText.value(of: json), decoded != value {
        let restored = restoring(decoded, from: .typed)
        if (try? check(restored)) != nil { return restored }
      }
      return listed(value, string, from: text) ?? value
    case (.array, .text(let text, _, _)) where element == nil: return (try? self.value(of: text)) ?? value
    case (.array(let items), .text(_, let texts?, _)):
      return .array(
        zip(items, texts).map { element?.restoring($0, from: .text($1, elements: nil, .explicit)) ?? $0 })
    case (.array(let items), _):
      return element.map { type in .array(items.map { type.restoring($0, from: text) }) } ?? value
    // As the numbers of key files and git are read where a boolean is needed.
    case (.integer(let number), .text) where kind == .boolean && (number == 0 || number == 1):
      return .boolean(number == 1)
    case (.table(let table), _):
      var result = TOMLTable()
      for (key, value) in table {
        let type = kind == .records ? SchemaType.table(fields) : element ?? fields?.first { $0.name == key }?.type
        result[key] = type?.restoring(value, from: text) ?? value
      }
      return .table(result)
    case (_, .text(let string, _, _)):
      return (try? self.value(of: string)) ?? listed(value, string, from: text) ?? value
    case (_, .untyped):
      let string = value.tomlText
      return (try? self.value(of: string)) ?? listed(value, string, from: text) ?? value
    default: return value
    }
  }

  /// The list that a value without a type is. Removes the backslashes before escaped separators.
  private func listed(_ value: TOMLValue, _ string: String, from text: ImportedText) -> TOMLValue? {
    let separator: Character
    switch text.lists {
    case .explicit: return nil
    case .single(let emptyIsNone):
      guard kind == .array else { return nil }
      if emptyIsNone, string.isEmpty { return [] }
      return [element?.restoring(value, from: text.ofElement) ?? value]
    case .separated(let character): separator = character
    }
    guard let element else { return nil }
    var items = [""]
    var isEscaped = false
    for character in string {
      switch character {
      case _ where isEscaped: items[items.count - 1].append(character)
      case separator: items.append("")
      case "\\": break
      default: items[items.count - 1].append(character)
      }
      isEscaped = character == "\\" && !isEscaped
    }
    return .array(string.isEmpty ? [] : items.map { element.restoring(.string($0), from: .untyped(.explicit)) })
  }
}
