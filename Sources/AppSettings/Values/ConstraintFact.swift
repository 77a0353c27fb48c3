import SettingsTOML

/// A fact about a constraint, for tools: the command line, a JSON Schema, documentation.
package enum ConstraintFact: Sendable, Hashable {
  case minimum(SettingsValue)
  case maximum(SettingsValue)
  /// The value must be below this one.
  case limit(SettingsValue)
  case choices([SettingsValue])
  /// A regular expression for the whole string.
  case pattern(String)
  case count(minimum: Int?, maximum: Int?)
  /// A fact about each element of an array.
  indirect case each(ConstraintFact)
}
