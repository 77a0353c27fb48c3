/// A file in a directory of documents, as version control keeps it.
///
/// `org.example.editor/all.toml`, `org.example.editor/group/web.toml` and `org.example.editor/host/a1.toml` are the newest
/// versions. What older releases of the app go on reading is beside them: `org.example.editor/all@1.toml`.
public struct TreePath: Hashable, Sendable {
  /// The document.
  public let document: FleetDocument
  /// The version, if it is not the newest.
  public let version: Int?

  /// Names a file.
  public init(_ document: FleetDocument, version: Int? = nil) { (self.document, self.version) = (document, version) }

  /// Reads a path below the directory; `nil` if it is not a document's.
  public init?(_ path: some StringProtocol) {
    guard path.hasSuffix(".toml") else { return nil }
    var name = path.dropLast(5)
    var version: Int?
    // No name of a scope has the character.
    if let at = name.lastIndex(of: "@") {
      guard let number = FleetKey.number(name[name.index(after: at)...]) else { return nil }
      version = number
      name = name[..<at]
    }
    guard let document = FleetDocument(name) else { return nil }
    self.init(document, version: version)
  }
}

extension TreePath: CustomStringConvertible {
  /// The path below the directory.
  public var description: String { "\(document)\(version.map { "@\($0)" } ?? "").toml" }
}
