/// A part of a key's declaration after its name and default: a constraint, an option, or, as a string literal, a
/// summary of what the value means.
///
/// ```swift
/// static let columns = SettingsKey("columns", default: 80, .in(20...400), .formerly("width"), "Where lines wrap.")
/// static let token = SettingsKey<String?>("sync.token", .secret, "What the server gave this device.")
/// ```
///
/// A value must satisfy all the constraints. They are checked each time a value is set or read, by the API and the
/// command line alike, and error messages describe them. An optional key takes the same constraints, and `nil`
/// satisfies each.
///
/// A value that violates a constraint is treated like a value of another type. Setting it throws
/// ``SettingsError/Code/invalidValue`` or, where a setter cannot throw, reports a problem; nothing is set. A stored one
/// stays in the file, the default is used in its place, and that is reported as a problem.
///
/// Several keys can share a detail:
///
/// ```swift
/// let port = SettingsKeyDetail<Int>.in(1...65535)
///
/// extension SettingsKeys {
///   static let webPort = SettingsKey("web.port", default: 8080, port)
///   static let mailPort = SettingsKey("mail.port", default: 2525, port)
/// }
/// ```
///
/// Details may be in any order. Constraints and ``formerly(_:)`` add up; of every other detail, the last one applies.
public struct SettingsKeyDetail<Value: Sendable>: Sendable {
  /// What it says about the key, if it is not about its values.
  var statement: KeyStatement?
  /// The condition that it adds, if it is one.
  package var constraint: SettingsConstraint<Value>?
  /// The example that it gives, if it is one.
  var example: Value?

  private init(_ statement: KeyStatement) { self.statement = statement }

  init(constraint: SettingsConstraint<Value>? = nil, example: Value? = nil) {
    (self.constraint, self.example) = (constraint, example)
  }

  /// The same for an optional.
  var optional: SettingsKeyDetail<Value?> {
    var detail = SettingsKeyDetail<Value?>(constraint: constraint?.optional, example: example)
    detail.statement = statement
    return detail
  }

  /// Marks the value as secret: it is left out of logs, problems, error messages and listings.
  ///
  /// ```swift
  /// static let token = SettingsKey<String?>("sync.token", .secret, "What the server gave this device.")
  /// ```
  ///
  /// The file still holds the value; the history and messages do not. A credential of the service manager with the
  /// key's name takes precedence over all files; only the environment and the process's arguments override it. A secret
  /// key cannot be allowed in a project's file.
  public static var secret: Self { Self(.secret) }

  /// Puts the key in a group, to which its name is relative.
  ///
  /// ```swift
  /// static let proxyPort = SettingsKey("port", default: 3128, .group(proxy))   // proxy.port
  /// ```
  public static func group(_ group: SettingsGroup) -> Self { Self(.group(group)) }

  /// Declares the names that the key had in earlier releases.
  ///
  /// A layer without a value under the key's name is read under its former names. The next write of the key stores the
  /// value under the present name and removes the earlier one in the same write.
  ///
  /// A former name above or below the key's own (`font` for `font.size`) is a programming error and traps: removing one
  /// would remove the other. Use ``MigrationStep/rename(_:to:replacing:)`` instead. A key of records has no
  /// former names.
  ///
  /// ```swift
  /// static let fontSize = SettingsKey("editor.font-size", default: 12, .formerly("font_size"))
  /// ```
  ///
  /// - Parameter names: Dotted paths, the newest first. They are not relative to the key's group.
  public static func formerly(_ names: String...) -> Self { formerly(names) }

  package static func formerly(_ names: [String]) -> Self { Self(.formerNames(names)) }

  /// States that the app reads the value only when it starts. Tools say so beside the value.
  ///
  /// The library does not treat such a key differently: observers see each change at once.
  public static var needsRestart: Self { Self(.restart) }

  /// Gives a valid value that explains what the key needs, such as one that matches a pattern. Tools show it.
  ///
  /// ```swift
  /// static let accent = SettingsKey("accent", default: "", .matching("(#[0-9a-f]{6})?"), .example("#2f5fd0"))
  /// ```
  ///
  /// A value that the key does not accept is a programming error and traps. The key never has the example as its value.
  public static func example(_ value: Value) -> Self { Self(example: value) }
}

/// What a key's declaration says, whatever the type of its values is.
enum KeyStatement: Sendable {
  case summary(String)
  case secret
  case group(SettingsGroup)
  case formerNames([String])
  case projects(safety: String?)
  case refers(SettingsReference)
  case restart
}

/// What a value leads to outside of the settings.
///
/// A project's file, which may come with anyone's repository, can set such a key only if the declaration says why that
/// is safe.
public enum SettingsReference: String, Sendable {
  /// A command or a program that the app runs.
  case command
  /// A path of a file or directory.
  case path
  /// An address, such as a URL or a host.
  case address
}

extension SettingsKeyDetail {
  /// Lets a project's file set the value. The file may be anyone's, as in a repository that a person has cloned; see
  /// ``SettingsProject``.
  ///
  /// A secret key cannot be allowed. A key whose value leads to something outside, such as a `URL`, a path or one that
  /// ``refers(to:)`` something, needs a statement of why that is safe. Otherwise it is a programming error to use the
  /// key in a project, and traps.
  ///
  /// ```swift
  /// static let indent = SettingsKey("indent", default: 2, .in(1...8), .allowedInProjects, "Spaces for a level.")
  /// ```
  public static var allowedInProjects: Self { Self(.projects(safety: nil)) }

  /// Lets a project's file set the value, although the value leads to something outside.
  ///
  /// ```swift
  /// static let wiki = SettingsKey<URL?>("wiki", .allowedInProjects(safely: "it is shown, and opened on a click"))
  /// ```
  ///
  /// - Parameter safely: Why a value from anyone does no harm: `"the app shows it, and never opens it"`. Tools show it.
  public static func allowedInProjects(safely: String) -> Self { Self(.projects(safety: safely)) }

  /// States that the value leads to something outside: a command to run, a file, an address.
  ///
  /// State it for a value whose type does not show that, such as a `String` with a command. A `URL` or a `FilePath`
  /// leads outside without it.
  ///
  /// ```swift
  /// static let formatter = SettingsKey("formatter", default: "", .refers(to: .command))
  /// ```
  public static func refers(to reference: SettingsReference) -> Self { Self(.refers(reference)) }
}

extension SettingsKeyDetail: ExpressibleByStringInterpolation {
  /// Describes what the value means. `settings-cli describe`, schema files and generated documentation show it.
  ///
  /// ```swift
  /// static let columns = SettingsKey("columns", default: 80, "Where lines wrap.")
  /// ```
  public init(stringLiteral value: String) { self.init(.summary(value)) }
}
