/// The way from a document's root to a value: one component for each table on the way.
///
/// In text, components are separated by dots; one that is not a bare key (`A-Za-z0-9_-`) is quoted, as in TOML:
/// `servers."eu.west".url`.
public struct TOMLPath: Sendable, Hashable {
  /// The components, outermost first. Empty for the root.
  public var components: [String]

  /// Makes a path of components.
  public init(_ components: [String] = []) { self.components = components }

  /// The root.
  public static let root = TOMLPath()

  /// Whether this is the root.
  public var isRoot: Bool { components.isEmpty }

  /// The path without its last component; the root's is the root.
  public var parent: TOMLPath { TOMLPath(Array(components.dropLast())) }

  /// The last component, `nil` for the root.
  public var last: String? { components.last }

  /// The path one component longer.
  public func appending(_ component: String) -> TOMLPath { TOMLPath(components + [component]) }

  /// The path with another one below it.
  public func appending(_ other: TOMLPath) -> TOMLPath { TOMLPath(components + other.components) }

  /// Whether the path is `other` or below it.
  public func hasPrefix(_ other: TOMLPath) -> Bool {
    components.count >= other.components.count && components.starts(with: other.components)
  }
}

extension TOMLPath: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: String...) { self.init(elements) }
}
