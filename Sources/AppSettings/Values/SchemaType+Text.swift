package import SettingsTOML

extension SchemaType {
  /// Reads the text of a command line as a value of this type.
  ///
  /// - Parameters:
  ///   - text: A string is itself; anything else is as in a TOML file. For truth values there are `yes` and `no`, too.
  ///   - hint: A value that the key has or had: where the type allows anything, the text is read as that one's.
  /// - Throws: ``SettingsValueError`` if it is none.
  package func value(of text: String, like hint: TOMLValue? = nil) throws(SettingsValueError) -> TOMLValue {
    var refusal: SettingsValueError?
    for candidate in candidates(for: text, like: hint) {
      do throws(SettingsValueError) {
        try check(candidate)
        return candidate
      } catch {
        // The likeliest reading says best what is wrong.
        refusal = refusal ?? error
      }
    }
    throw refusal ?? SettingsValueError(expected: expected, found: .string(text))
  }

  /// What a text may stand for, the likeliest first.
  private func candidates(for text: String, like hint: TOMLValue?) -> [TOMLValue] {
    let parsed = try? TOMLValue(parsing: text)
    var candidates: [TOMLValue] = []
    func add(_ value: TOMLValue?) { if let value, !candidates.contains(value) { candidates.append(value) } }
    switch kind {
    case .boolean: add(parsed.flatMap { if case .boolean = $0 { $0 } else { nil } } ?? Self.boolean(text))
    case .float, .float32:
      // `12` is stored as `12.0`, as the app would.
      if case .integer(let number)? = parsed { add(.float(Double(number))) }
    case .any:
      switch hint {
      case .string?: add(.string(text))
      case .float?: if case .integer(let number)? = parsed { add(.float(Double(number))) }
      case .boolean?: add(Self.boolean(text))
      default: break
      }
    case .duration, .decimal:
      // A bare number has a meaning of its own in these.
      add(.string(text))
    case _ where isText:
      add(.string(text))
      return candidates
    default: break
    }
    add(parsed)
    add(.string(text))
    return candidates
  }

  /// The words that people use for truth values.
  private static func boolean(_ text: String) -> TOMLValue? {
    switch text.lowercased() {
    case "yes", "y", "t", "on", "true": .boolean(true)
    case "no", "n", "f", "off", "false": .boolean(false)
    default: nil
    }
  }
}
