package import SettingsTOML

/// A project whose own file may set some keys: the nearest `.APP.toml` upwards from a directory.
///
/// ```swift
/// let settings = try SettingsStore(
///   app: "org.example.editor", project: SettingsProject(from: folder, keys: [.indent, .lineLength]))
/// ```
///
/// The file's values are above the user's. A value that the key cannot use leaves the one below it, because
/// someone else has written it. That value and everything else in the file are ignored and reported. The file itself is
/// used only if it is a regular one of this user or of root that no one else may write.
///
/// Administrators' locks apply as in every layer. A store that follows its files re-reads the project's file when it
/// changes, and notices when a nearer one appears.
public struct SettingsProject: Sendable, Hashable {
  /// The absolute path of the directory from which the file is looked for.
  ///
  /// The file need not be in it: the directories above it are searched, up to the root.
  package let directory: String
  /// The names of each key that takes effect there: the present one, then earlier ones.
  package let keys: [[TOMLPath]]
  /// The keys, as far as they are known: values that they cannot use are ignored.
  let declared: [AnySettingsKey]

  /// Makes a project.
  ///
  /// Each key must be declared ``SettingsKeyDetail/allowedInProjects``; otherwise this is a programming error and
  /// traps. So is a key that leads to something outside, such as a `URL`, without a statement of why that is safe.
  ///
  /// No file is read until the store is used.
  ///
  /// - Parameters:
  ///   - directory: Where the person works; a relative path starts from the working directory. It need not exist.
  ///   - keys: The keys that the project's file may set.
  public init(from directory: String, keys: [AnySettingsKey]) {
    for key in keys { if let fault = Self.fault(of: key) { preconditionFailure(fault) } }
    self.init(from: directory, keys: keys.map(\.paths), declared: keys)
  }

  package init(from directory: String, keys: [[TOMLPath]], declared: [AnySettingsKey] = []) {
    self.directory = (directory.absolutePath ?? "/" + directory).withoutTrailingSlashes
    (self.keys, self.declared) = (keys, declared)
  }

  /// Why a key must not be used in a project; `nil` if it may be.
  package static func fault(of key: AnySettingsKey) -> String? {
    switch key.projects {
    case .safe: return nil
    case .refused: return "The settings key '\(key.name)' is not declared '.allowedInProjects'."
    case .allowed:
      guard let outside = key.reference?.rawValue ?? (key.leadsOutside ? "path or an address" : nil) else { return nil }
      return
        "The settings key '\(key.name)' is a \(outside), so a project that anyone has made could use it. Declare why "
        + "that is safe: '.allowedInProjects(safely: \"…\")'."
    }
  }

  /// The paths where a project's file may be, the nearest first.
  package static func candidates(_ name: String, upwardsFrom directory: String) -> [String] {
    var parts = directory.pathParts
    var paths: [String] = []
    while true {
      paths.append("/" + (parts + [Substring(name)]).joined(separator: "/"))
      guard parts.popLast() != nil else { return paths }
    }
  }

  /// Whether a path is that of a key that takes effect, or of a part of one.
  func allows(_ path: TOMLPath) -> Bool { keys.contains { $0.contains(where: path.hasPrefix) } }
}

extension AnySettingsKey {
  /// Whether the type of the value, or of a part of it, is one that leads outside: a URL or a path.
  package var leadsOutside: Bool { schemaType.leadsOutside || "\(type(of: self))".contains("FilePath") }
}

extension SchemaType {
  fileprivate var leadsOutside: Bool {
    kind == .url || element?.leadsOutside == true || fields?.contains { $0.type.leadsOutside } == true
  }
}
