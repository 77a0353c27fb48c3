import SettingsTOML

/// A fact about a constraint, for tools: the command line, a JSON Schema, documentation.
///
/// Values in facts are in their stored form.
package enum ConstraintFact: Sendable, Hashable {
  /// The least valid value.
  case minimum(SettingsValue)
  /// The greatest valid value.
  case maximum(SettingsValue)
  /// The value must be below this one.
  case limit(SettingsValue)
  /// The valid values, in the order of the declaration.
  case choices([SettingsValue])
  /// A regular expression for the whole string.
  case pattern(String)
  /// The least and the greatest number of characters, bytes or elements; `nil` for no limit.
  case count(minimum: Int?, maximum: Int?)
  /// A fact about each element of an array.
  indirect case each(ConstraintFact)
}
