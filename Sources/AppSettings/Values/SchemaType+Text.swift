package import SettingsTOML

extension SchemaType {
  /// Parses a text from a command line as a value of this type.
  ///
  /// `settings-cli set` uses it: `12` becomes a float for a `Double`, a string for a `String`, an integer for an `Int`.
  ///
  /// - Parameters:
  ///   - text: A string as it is; any other value in its TOML form. Booleans may also be `yes` and `no`.
  ///   - hint: A present or old value of the key. If the type allows any value, the text is read as the hint's type.
  /// - Returns: The first reading that the type accepts.
  /// - Throws: ``SettingsValueError`` if the text is not a value of this type.
  package func value(of text: String, like hint: TOMLValue? = nil) throws(SettingsValueError) -> TOMLValue {
    var refusal: SettingsValueError?
    for candidate in candidates(for: text, like: hint) {
      do throws(SettingsValueError) {
        try check(candidate)
        return candidate
      } catch {
        // The error for the most likely reading is the most helpful.
        refusal = refusal ?? error
      }
    }
    throw refusal ?? SettingsValueError(expected: expected, found: .string(text))
  }

  /// Returns the possible values of a text, the most likely first.
  private func candidates(for text: String, like hint: TOMLValue?) -> [TOMLValue] {
    let parsed = try? TOMLValue(parsing: text)
    var candidates: [TOMLValue] = []
    func add(_ value: TOMLValue?) { if let value, !candidates.contains(value) { candidates.append(value) } }
    switch kind {
    case .boolean: add(parsed.flatMap { if case .boolean = $0 { $0 } else { nil } } ?? Self.boolean(text))
    case .float, .float32:
      // `12` is stored as `12.0`, as the app does, and so is a number that no integer can hold.
      add(Self.float(text, parsed))
    case .any:
      switch hint {
      case .string?: add(.string(text))
      case .float?: add(Self.float(text, parsed))
      case .boolean?: add(Self.boolean(text))
      default: break
      }
    case .duration, .decimal:
      // A bare number has its own meaning for these types.
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

  /// Reads a whole number as a float; `nil` for another text.
  ///
  /// - Parameter parsed: The text as a TOML value; `nil` if it is none.
  package static func float(_ text: String, _ parsed: TOMLValue?) -> TOMLValue? {
    if case .integer(let number)? = parsed { return .float(Double(number)) }
    // In TOML, a whole number outside the range of `Int64` has to be written as a float.
    guard parsed == nil, case .float(let number)? = try? TOMLValue(parsing: text + ".0"), number.isFinite else {
      return nil
    }
    return .float(number)
  }

  /// Parses the words that people use for booleans.
  private static func boolean(_ text: String) -> TOMLValue? {
    switch text.lowercased() {
    case "yes", "y", "t", "on", "true": .boolean(true)
    case "no", "n", "f", "off", "false": .boolean(false)
    default: nil
    }
  }
}
