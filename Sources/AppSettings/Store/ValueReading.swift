import SettingsTOML

/// Reads a key's typed value from a snapshot; if there is none, or none that can be used, its default.
enum ValueReading {
  /// The value, and whether it may be cached: a computed default is evaluated at each read.
  ///
  /// - Returns: Also the reason why the stored value cannot be used.
  static func value<Value>(
    of key: SettingsKey<Value>, stored: StoredValue, in snapshot: @autoclosure () -> SettingsSnapshot,
    problems: ProblemLog
  ) -> (value: Value, isCacheable: Bool, failure: SettingsValueError?) {
    do throws(SettingsValueError) {
      if let value = try stored.decoded(by: key) {
        // The change that resolved it may have been under another name.
        if key.paths.count > 1 { problems.resolveValues(at: [key.path]) }
        return (value, true, nil)
      }
      return (key.defaultValue, !key.hasComputedDefault, nil)
    } catch {
      let value = key.defaultValue
      problems.report(SettingsProblem(error.describing(key, in: snapshot(), using: value), path: key.path))
      return (value, false, error)
    }
  }
}

extension SettingsValueError {
  /// The full message for a stored value that a key cannot use. Never shows a secret.
  ///
  /// - Parameter fallback: The value used instead; `nil` if there is none.
  package func describing<Value>(
    _ key: SettingsKey<Value>, in snapshot: SettingsSnapshot, using fallback: Value?
  ) -> SettingsError {
    var (error, _) = describe(key, in: snapshot, "read")
    guard let fallback else { return error }
    if !key.isSecret, let shown = try? key.bridge.write(fallback) {
      error.message += " Using the default \(shown.tomlText)."
    } else {
      error.message += " Using the default."
    }
    return error
  }

  /// The full message for a change made from the value of a key that cannot use the stored one.
  ///
  /// Such a change was made from the default. Storing it would remove what the file has.
  func refusingChange<Value>(of key: SettingsKey<Value>, in snapshot: SettingsSnapshot) -> SettingsError {
    var (error, isInFile) = describe(key, in: snapshot, "change")
    error.message +=
      " Nothing was changed. Correct the value\(isInFile ? " in the file" : ""), or replace it with 'set'."
    return error
  }

  private func describe<Value>(
    _ key: SettingsKey<Value>, in snapshot: SettingsSnapshot, _ action: String
  ) -> (error: SettingsError, isInFile: Bool) {
    let origin = snapshot.origin(of: key)
    var (layer, position) = (origin.layer, origin.position)
    if position != nil, !path.isEmpty {
      (layer, position) = snapshot.place(of: self, at: origin.formerName ?? key.path)
    }
    let shown = key.isSecret ? redacted : self
    var message = "Cannot \(action) '\(key.name)': \(layer.source) has \(shown.found)"
    if let position { message += " at line \(position.line), column \(position.column)" }
    if let formerName = origin.formerName { message += " (under its former name '\(formerName)')" }
    if !path.isEmpty { message += " (in '\(shown.pathDescription)')" }
    message += ", but the key needs \(expected)\(shown.reasonInParentheses)."
    return (SettingsError(.invalidValue, message, file: layer.file, position: position), position != nil)
  }

  /// The full message for a value that a key refuses to store.
  func refusing<Value>(_ key: SettingsKey<Value>) -> SettingsError {
    let shown = key.isSecret ? redacted : self
    let place = path.isEmpty ? "" : " (in '\(shown.pathDescription)')"
    return SettingsError(
      .invalidValue,
      "Cannot set '\(key.name)' to \(shown.found)\(place): the key needs \(expected)\(shown.reasonInParentheses). "
        + "Nothing was changed.")
  }
}
