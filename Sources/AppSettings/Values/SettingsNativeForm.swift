import SettingsTOML

/// The `Codable` type whose JSON an earlier release stored, for values that now have a type and a form of their own.
///
/// ```swift
/// struct CodableZone: SettingsCodableForm {
///   var id, name: String
///   func toNative() -> Zone { Zone(id: id, name: name) }
/// }
/// extension Zone: SettingsNativeForm { typealias CodableForm = CodableZone }
/// ```
public protocol SettingsCodableForm: Decodable, SendableMetatype {
  /// The present type.
  associatedtype NativeForm
  /// The value as it is now.
  ///
  /// - Throws: If there is no such value, as for a case that was removed. The stored text is unchanged then.
  func toNative() throws -> NativeForm
}

extension SettingsCodableForm
where Self: RawRepresentable, NativeForm: RawRepresentable, NativeForm.RawValue == RawValue {
  /// The case with the same raw value.
  ///
  /// - Throws: An error that names the raw value, if there is no such case any more. To read it as another, write this
  ///   function for the type.
  public func toNative() throws -> NativeForm {
    guard let native = NativeForm(rawValue: rawValue) else {
      throw MissingCase(description: "the type '\(NativeForm.self)' has no case '\(rawValue)' any more")
    }
    return native
  }
}

/// A type whose values an earlier release stored as JSON of another type.
///
/// Collections of such a type, dictionaries with values of it and optionals are read in the same way, at any depth.
public protocol SettingsNativeForm: SettingsSerializable {
  /// The type whose JSON was stored.
  associatedtype CodableForm: Decodable & SendableMetatype
  /// The value that one of the old type means.
  ///
  /// - Throws: If there is no such value. The stored text is unchanged then.
  static func native(from form: CodableForm) throws -> Self
}

extension SettingsNativeForm where CodableForm: SettingsCodableForm, CodableForm.NativeForm == Self {
  /// What the old type makes of it.
  public static func native(from form: CodableForm) throws -> Self { try form.toNative() }
}

/// Why a value of the old type has no counterpart in the new one.
private struct MissingCase: Error, CustomStringConvertible {
  let description: String
}
