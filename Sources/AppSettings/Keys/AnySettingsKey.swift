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
///
/// Swift makes a static constant at its first use, so an invalid declaration traps there. A test that uses every key
/// once finds all invalid ones.
public typealias SettingsKeys = AnySettingsKey

/// A settings key without its value type, for lists of keys of different types.
///
/// ```swift
/// let appearance: [AnySettingsKey] = [.theme, .fontSize]
/// settings.reset(appearance)
/// ```
///
/// Two keys are equal if they have the same path and the same types; their defaults, constraints and summaries are not
/// compared. A key never changes, and any thread may use it.
@dynamicMemberLookup
public class AnySettingsKey: @unchecked Sendable {  // constants, atomics and locked caches; subclasses are final
  /// The key's dotted path, `editor.font-size`.
  ///
  /// Without a group, this is the name as declared, with its quotes. With a group, it begins with the group's path.
  public let name: String
  /// The key's path as components.
  ///
  /// The first component is the key at the top of the file: `["editor", "font-size"]` for `editor.font-size`.
  public let path: TOMLPath
  /// The meaning of the value, for `settings-cli describe` and generated documentation; empty if not given.
  ///
  /// If a declaration has several summaries, the last one is used.
  package let summary: String
  /// Whether the value is a secret, which is left out of logs, problems, error messages and listings.
  ///
  /// The file holds the value in plain text. If other users may open the file, reading the key reports a problem with
  /// the code ``SettingsError/Code/exposedSecret``.
  package let isSecret: Bool
  /// The group in which the key was declared; `nil` if it has none.
  package let group: SettingsGroup?
  /// Whether a project's file may set the value, and if stated why that is safe.
  package let projects: ProjectRule
  /// What the value leads to outside of the settings, if declared.
  ///
  /// A project's file may set such a key only if the declaration says why that is safe; see ``ProjectRule``.
  package let reference: SettingsReference?
  /// Whether the app reads the value only when it starts.
  package let needsRestart: Bool
  /// The dotted paths that the key had in earlier releases, the newest first.
  ///
  /// ``SettingsKeyDetail/formerly(_:)`` declares them. Keys of records have none.
  package var formerNames: [String] { paths.dropFirst().map(\.description) }
  /// The paths where its value may be stored: the present one first, then the earlier ones.
  package let paths: [TOMLPath]
  /// The number of the declarations that the key was last found to match; 0 if none.
  ///
  /// ``KeyDeclarations`` skips its comparison while this is its own number. A key that is used with several stores in
  /// turn is compared again each time.
  let agreedWith = Atomic<UInt64>(0)

  /// Stands for an undeclared key, so that ``SettingsAccess`` reports it.
  public static subscript(dynamicMember name: String) -> Never { fatalError("unavailable") }

  /// Makes a key from the parts of its declaration.
  ///
  /// All former names are used; of every other kind, the last statement applies. Traps if a name is not a path or is
  /// reserved, if a former name is at, above or below the key's own path, or if a secret is allowed in projects.
  init(name: String, _ statements: [KeyStatement]) {
    var summary = ""
    var isSecret = false
    var group: SettingsGroup?
    var formerNames: [String] = []
    var projects = ProjectRule.refused
    var reference: SettingsReference?
    var needsRestart = false
    for statement in statements {
      switch statement {
      case .summary(let text): summary = text
      case .secret: isSecret = true
      case .group(let its): group = its
      case .formerNames(let names): formerNames += names
      case .projects(let safety): projects = safety.map { .safe($0) } ?? .allowed
      case .refers(let its): reference = its
      case .restart: needsRestart = true
      }
    }
    let path = Self.path(of: name, in: group)
    let former = formerNames.map { Self.path(of: $0, in: nil) }
    for old in former where old.isRelated(to: path) {
      preconditionFailure("Invalid former name '\(old)' of settings key '\(path)': one is at or above the other.")
    }
    self.path = path
    self.name = group == nil ? name : path.description
    paths = [path] + former
    self.summary = summary
    self.isSecret = isSecret
    self.group = group
    self.projects = projects
    self.reference = reference
    self.needsRestart = needsRestart
    precondition(
      !isSecret || projects == .refused,
      "Invalid settings key '\(path)': a secret cannot be allowed in projects, whose files others may read.")
  }

  /// Makes the key of a part of a declared key; it is secret if the declared key is.
  ///
  /// The part has no former names, and a project's file may not set it by itself.
  package init(path: TOMLPath, partOf key: AnySettingsKey) {
    self.path = path
    // The names in a secret are a part of it.
    name = key.isSecret ? key.name : path.description
    paths = [path]
    summary = key.summary
    isSecret = key.isSecret
    group = key.group
    projects = .refused
    reference = key.reference
    needsRestart = key.needsRestart
  }

  /// The path of a name. Names are written in the program, so an invalid name is the programmer's error.
  ///
  /// Traps on a text that is not a dotted path of TOML keys, and on a path whose first component begins with
  /// `settings-`: the format reserves these keys, such as `settings-version`.
  static func path(of name: String, in group: SettingsGroup?) -> TOMLPath {
    do {
      let path = try TOMLPath(parsing: name)
      let whole = group.map { $0.path.appending(path) } ?? path
      precondition(
        !whole.isReserved,
        "Invalid settings key '\(name)': root keys that begin with 'settings-' are reserved.")
      return whole
    } catch {
      preconditionFailure("Invalid settings key '\(name)': \(error)")
    }
  }

  /// Throws if a value cannot be read as the key's type or violates its constraint.
  ///
  /// This implementation knows no type and accepts every value; ``SettingsKey`` decodes the value and checks its
  /// constraint.
  package func check(_ value: TOMLValue) throws(SettingsValueError) {}

  /// Whether ``check(_:)`` accepts a value.
  func canRead(_ value: TOMLValue) -> Bool { (try? check(value)) != nil }

  /// Whether reading the key gives its default.
  ///
  /// It does if the stored value equals the default, or cannot be decoded.
  ///
  /// - Parameter candidates: The possible readings of the stored value, the most likely first; empty if none is stored.
  func readsDefault(_ candidates: [TOMLValue]) -> Bool { candidates.isEmpty }

  /// The facts about the key's constraint, for tools.
  ///
  /// A condition that ``SettingsKeyDetail/satisfying(_:_:)`` declares has none: tools know only its description.
  package var constraintFacts: [ConstraintFact] { [] }

  /// A description of valid values: `an integer from 6 to 72`.
  package var expected: String { "a value" }

  /// The type and constraint in the form of a schema file.
  package var schemaType: SchemaType { .any }

  /// Whether values are cases of an enumeration that is not `CaseIterable`, so that the cases cannot be listed.
  ///
  /// Tools then cannot offer choices or refuse other values.
  package var hidesCases: Bool { false }

  /// Whether the default is computed at each read, so that it may differ by time and machine.
  ///
  /// A schema file has no default for such a key.
  package var hasComputedDefault: Bool { false }

  /// The stored form of the key's default; `nil` if there is no default or it cannot be stored.
  package var storedDefault: TOMLValue? { nil }

  /// The stored form of a value that explains what the key needs; `nil` if none was given.
  package var storedExample: TOMLValue? { nil }
}

/// Whether a project's file may set the value of a key.
package enum ProjectRule: Sendable, Hashable {
  /// A project's file cannot set the key, or can set it because the value leads to nothing outside.
  case refused, allowed
  /// Allowed for a value that leads to something outside, with the reason why that is safe.
  case safe(String)
}

extension AnySettingsKey: Hashable {
  /// Whether both keys have the same path and the same types.
  ///
  /// `SettingsKey("width", default: 80)` equals `SettingsKey("width", default: 100)`, and differs from
  /// `SettingsKey("width", default: 80.0)`.
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
