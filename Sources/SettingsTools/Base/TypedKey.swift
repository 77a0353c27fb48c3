package import AppSettings

/// A dotted key, as people and programs write it.
package enum TypedKey {
  /// The key's path.
  ///
  /// - Throws: ``ToolError`` with status 2 for a text that is no dotted key, and for a reserved key.
  package static func path(_ text: String) throws -> TOMLPath {
    let path = try parse(text)
    if path.isReserved {
      throw ToolError(.usage, "Invalid key '\(text)': root keys that begin with 'settings-' are reserved.")
    }
    return path
  }

  /// The path of a key that may be in a file of another program, and begin with any text.
  ///
  /// - Throws: ``ToolError`` with status 2 for a text that is no dotted key.
  package static func parse(_ text: String) throws -> TOMLPath {
    do {
      return try TOMLPath(parsing: text)
    } catch {
      // As jq has it, and with a path's separator. What begins like a path may be one.
      let dotted = text.split { "./".contains($0) }.joined(separator: ".")
      let mayBeFile = ["/", "./", "../"].contains(where: text.hasPrefix)
      let isLike = text.hasPrefix(".") || text.contains("/")
      let hint = isLike && !mayBeFile && (try? TOMLPath(parsing: dotted)) != nil ? " Did you mean '\(dotted)'?" : ""
      // What is behind '=' may be a secret.
      let shown = text.firstIndex(of: "=").map { "\(text[...$0])…" } ?? text
      let reason =
        array(in: text).map {
          "an element of an array has no key. The array is '\($0)'; 'settings-cli set TARGET \($0) --append VALUE' adds an "
            + "element, and --remove VALUE removes one"
        } ?? error.reason
      throw ToolError(.usage, "Invalid key '\(shown)': \(reason).\(hint)")
    }
  }

  /// The array of which a text names an element, as other tools have it: `recent[0]`, or `recent+` of `recent+=x`.
  private static func array(in text: String) -> String? {
    let name = text.prefix { $0 != "=" }
    guard let end = name.firstIndex(where: "[+".contains) else { return nil }
    let element = name[end...]
    let isNumber = element.last == "]" && element.dropFirst().dropLast().allSatisfy { "-0123456789".contains($0) }
    guard isNumber || element == "+" else { return nil }
    return (try? TOMLPath(parsing: String(name[..<end])))?.description
  }
}
