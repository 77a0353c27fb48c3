public import SettingsTOML
internal import Synchronization

/// The place where an app declares its keys.
///
/// Declare keys as static members in an extension. One declaration gives `settings[.fontSize]`,
/// `settings[\.fontSize]`, `settings.fontSize`, and an element for lists of keys of any type:
///
/// ```swift
/// extension SettingsKeys {
///   static let fontSize = SettingsKey("editor.font-size", default: 12, .in(6...72), "Size of the editor's font.")
/// }
/// ```
public typealias SettingsKeys = AnySettingsKey

/// A key, whatever the type of its value: what all keys have in common, for lists of keys of mixed types.
///
/// Two keys are equal if they have the same path and the same types.
@dynamicMemberLookup
public class AnySettingsKey: @unchecked Sendable {  // constants, atomics and locked caches; subclasses are final
  /// The key's dotted path, `editor.font-size`.
  public let name: String
  /// The key's path as components.
  public let path: TOMLPath
  /// What the value means, for `settings-cli describe` and generated documentation; empty if not given.
  public let summary: String
  /// Whether the value is a secret, which is left out of logs, problems, error messages and listings.
  public let isSecret: Bool
  /// The group that it was declared in.
  public let group: SettingsGroup?
  /// The dotted paths that it had in earlier releases, the newest first.
  public var formerNames: [String] { paths.dropFirst().map(\.description) }
  /// Where its value may be: at its path, or else at a former one.
  package let paths: [TOMLPath]
  /// The number of the declarations that the key was last found to agree with; 0 for none.
  let agreedWith = Atomic<UInt64>(0)

  /// A key that no extension declares: it gives code that names one a type, and ``SettingsAccess`` reports it.
  public static subscript(dynamicMember name: String) -> SettingsMistake { SettingsMistake() }

  package init<Value>(name: String, details: [SettingsKeyDetail<Value>]) {
    var summary = ""
    var isSecret = false
    var group: SettingsGroup?
    var formerNames: [String] = []
    for detail in details {
      switch detail.content {
      case .summary(let text): summary = text
      case .secret: isSecret = true
      case .group(let its): group = its
      case .formerNames(let names): formerNames += names
      case .constraint: break
      }
    }
    let path = Self.path(of: name, in: group)
    let former = formerNames.map { Self.path(of: $0, in: nil) }
    for old in former where old.hasPrefix(path) || path.hasPrefix(old) {
      preconditionFailure("Invalid former name '\(old)' of settings key '\(path)': one is at or above the other.")
    }
    self.path = path
    self.name = group == nil ? name : path.description
    paths = [path] + former
    self.summary = summary
    self.isSecret = isSecret
    self.group = group
  }

  /// Makes the key of a part of a declared one, secret if that one is.
  package init(path: TOMLPath, partOf key: AnySettingsKey) {
    self.path = path
    name = path.description
    paths = [path]
    summary = key.summary
    isSecret = key.isSecret
    group = key.group
  }

  /// The path of a name, which is written in the program: one that cannot be is the programmer's error.
  static func path(of name: String, in group: SettingsGroup?) -> TOMLPath {
    do {
      let path = try TOMLPath(parsing: name)
      let whole = group.map { $0.path.appending(path) } ?? path
      precondition(
        !whole.components[0].hasPrefix("settings-"),
        "Invalid settings key '\(name)': root keys that begin with 'settings-' are reserved.")
      return whole
    } catch {
      preconditionFailure("Invalid settings key '\(name)': \(error)")
    }
  }

  /// Throws if a value cannot be read as the key's type, or breaks its constraint.
  package func check(_ value: TOMLValue) throws(SettingsValueError) {}

  /// Whether what it reads is its default.
  ///
  /// - Parameter candidates: What is stored, the likeliest reading of it first; empty if nothing is.
  func readsDefault(_ candidates: [TOMLValue]) -> Bool { candidates.isEmpty }

  /// What is known of the key's constraint, for tools.
  package var constraintFacts: [ConstraintFact] { [] }

  /// What a value has to be, in words: `an integer from 6 to 72`.
  package var expected: String { "a value" }

  /// What a value has to be, as a schema file says it: type and constraint.
  package var schemaType: SchemaType { .any }

  /// Whether values are cases of an enumeration that does not list them, as a `CaseIterable` one does.
  package var hidesCases: Bool { false }

  /// Whether the default is computed at each read, so that it holds here and now only.
  package var hasComputedDefault: Bool { false }

  /// What is stored for the key's default; `nil` if it has none, or one that cannot be stored.
  package var storedDefault: TOMLValue? { nil }

  /// What is known of the records that it names, for tools; `nil` for a key of a single value.
  package var recordFacts: RecordFacts? { nil }
}

extension AnySettingsKey: Hashable {
  /// Whether both have the same path and the same type.
  public static func == (a: AnySettingsKey, b: AnySettingsKey) -> Bool {
    a === b || a.path == b.path && type(of: a) == type(of: b)
  }

  /// Hashes the path.
  public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}

extension AnySettingsKey: CustomStringConvertible {
  /// The key's name.
  public var description: String { name }
}
