/// One document of a fleet, whatever its version: an app's settings for a scope.
///
/// Its text form is the app's id, a slash and the scope: `org.example.editor/group/web`.
public struct FleetDocument: Hashable, Sendable {
  /// The app's id.
  public let app: String
  /// The machines that it is for.
  public let scope: DocumentScope

  /// Names a document; `nil` if the app's id is invalid.
  public init?(app: String, scope: DocumentScope) {
    guard FleetNames.isApp(app) else { return nil }
    self.init(valid: app, scope)
  }

  /// Reads `org.example.editor/group/web`; `nil` if the text has another form.
  public init?(_ text: some StringProtocol) {
    guard let slash = text.firstIndex(of: "/"), let scope = DocumentScope(text[text.index(after: slash)...]) else {
      return nil
    }
    self.init(app: String(text[..<slash]), scope: scope)
  }

  init(valid app: String, _ scope: DocumentScope) { (self.app, self.scope) = (app, scope) }

  /// Where a mirror keeps it, below its directory: `org.example.editor/settings.d/20-group-web.toml`.
  public var path: String { "\(app)/settings.d/\(scope.fileName)" }

  /// What the keys of all its versions begin with.
  public var keyPrefix: String { "\(FleetNames.prefix)\(app)/\(scope)/v" }

  /// The key of one of its versions: of the text, or of what belongs to that.
  public func key(version: Int, _ part: FleetKey.Part = .text) -> String {
    keyPrefix + String(version) + (part == .text ? "" : "/" + part.rawValue)
  }
}

extension FleetDocument: TextCoded {
  /// `org.example.editor/group/web`.
  public var description: String { "\(app)/\(scope)" }
}

extension FleetDocument: Comparable {
  /// By app, then by scope.
  public static func < (a: Self, b: Self) -> Bool { (a.app, a.scope) < (b.app, b.scope) }
}

extension FleetDocument: CodingKeyRepresentable {
  /// Lets a dictionary by documents be an object in JSON.
  public var codingKey: any CodingKey { TextKey(stringValue: description) }

  /// Reads the key of an object.
  public init?(codingKey: some CodingKey) { self.init(codingKey.stringValue) }
}

/// A key of an object that is not known in advance.
struct TextKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
