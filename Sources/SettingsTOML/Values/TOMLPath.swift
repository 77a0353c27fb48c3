/// The way from a document's root to a value: one component for each table along the path, and one for the value.
///
/// In text, dots separate the components. A component that is not a bare key (`A-Za-z0-9_-`) is quoted, as in TOML:
/// `servers."eu.west".url`. Components are compared by code points, as TOML requires, not by canonical equivalence.
public struct TOMLPath: Sendable {
  /// The components, outermost first. Empty for the root.
  public var components: [String]

  /// Makes a path from components.
  public init(_ components: [String] = []) { self.components = components }

  /// The root.
  public static let root = TOMLPath()

  /// Whether this is the root.
  package var isRoot: Bool { components.isEmpty }

  /// The path without its last component. The root is its own parent.
  package var parent: TOMLPath { TOMLPath(Array(components.dropLast())) }

  /// The path of its first components.
  package func prefix(_ count: Int) -> TOMLPath { TOMLPath(Array(components.prefix(count))) }

  /// The paths from the first component alone to the path itself; none of the root.
  package var prefixes: LazyMapCollection<Range<Int>, TOMLPath> { components.indices.lazy.map { prefix($0 + 1) } }

  /// What follows another path, with which this one begins.
  package func rest(below other: TOMLPath) -> TOMLPath { TOMLPath(Array(components.dropFirst(other.components.count))) }

  /// The last component, or `nil` for the root.
  package var last: String? { components.last }

  /// Returns the path with one more component.
  public func appending(_ component: String) -> TOMLPath { TOMLPath(components + [component]) }

  /// Returns the path with the components of another one appended.
  package func appending(_ other: TOMLPath) -> TOMLPath { TOMLPath(components + other.components) }

  /// Returns whether the path is `other` or below it.
  public func hasPrefix(_ other: TOMLPath) -> Bool {
    guard components.count >= other.components.count else { return false }
    return zip(components, other.components).allSatisfy { $0.hasSameCodeUnits(as: $1) }
  }

  /// Whether one of two paths is at or above the other.
  package func isRelated(to other: TOMLPath) -> Bool { hasPrefix(other) || other.hasPrefix(self) }
}

extension TOMLPath: Hashable {
  /// Compares the components by code points.
  public static func == (lhs: TOMLPath, rhs: TOMLPath) -> Bool {
    lhs.components.count == rhs.components.count && lhs.hasPrefix(rhs)
  }

  /// Hashes the components' code units.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(components.count)
    for component in components { hasher.combine(codeUnitsOf: component) }
  }
}

extension TOMLPath: ExpressibleByArrayLiteral {
  /// Makes a path from components.
  public init(arrayLiteral elements: String...) { self.init(elements) }
}

extension TOMLPath: CustomStringConvertible {
  /// The components joined by dots, each quoted where TOML needs it. Empty for the root.
  public var description: String {
    var text = ""
    for (index, component) in components.enumerated() {
      if index > 0 { text += "." }
      text += TOMLEmitter.keyText(component)
    }
    return text
  }
}

/// The reason why a text is not a path.
public struct TOMLPathError: Error, Sendable, CustomStringConvertible {
  /// A full sentence: which path is invalid, why, and what to do.
  public let message: String
  /// Why, as a clause.
  package let reason: String

  /// The message.
  public var description: String { message }
}

extension TOMLPath {
  /// Parses a path written like a dotted key in TOML: `editor.font-size`, `servers."eu.west".url`.
  ///
  /// Spaces around dots, which TOML allows in a file, are refused.
  ///
  /// - Throws: ``TOMLPathError`` for an empty text or component, for a character that needs quotes, and for more
  ///   than 1,024 components.
  public init(parsing text: String) throws(TOMLPathError) {
    var components: [String] = []
    var scalars = Array(text.unicodeScalars)[...]
    func fault(_ what: String) -> TOMLPathError {
      TOMLPathError(message: "'\(text.shortened())' is not a key path: \(what).", reason: what)
    }
    guard !scalars.isEmpty else {
      throw TOMLPathError(
        message: "A key path cannot be empty. Name a key, as in 'a.b'.", reason: "it is empty; name a key, as in 'a.b'")
    }
    while true {
      guard let first = scalars.first else { throw fault("it ends with a dot; a key must follow") }
      if first == "\"" || first == "'" {
        components.append(try TOMLPath.quotedComponent(&scalars, fault))
      } else {
        let bare = scalars.prefix { $0.isBareKeyScalar }
        if bare.isEmpty {
          if first == "." {
            throw fault(components.isEmpty ? "it begins with a dot" : "there is no key between two dots")
          }
          throw fault("\(first.quotedForMessage) needs quotes, as in 'a.\"b c\".d'")
        }
        // One by one: a generic append would first make the runtime search every conformance of the program.
        var component = String.UnicodeScalarView()
        for scalar in bare { component.append(scalar) }
        components.append(String(component))
        scalars = scalars.dropFirst(bare.count)
      }
      guard let separator = scalars.first else { break }
      guard separator == "." else {
        throw fault("\(separator.quotedForMessage) needs quotes, as in 'a.\"b c\".d'")
      }
      scalars = scalars.dropFirst()
      guard components.count < TextLimits.depth else {
        throw fault("it has more than \(TextLimits.depth) keys, and no document is that deep")
      }
    }
    self.init(components)
  }

  private static func quotedComponent(
    _ scalars: inout ArraySlice<Unicode.Scalar>, _ fault: (String) -> TOMLPathError
  ) throws(TOMLPathError) -> String {
    let quote = scalars.removeFirst()
    var raw = String.UnicodeScalarView()
    var isEscaped = false
    while let scalar = scalars.popFirst() {
      if scalar == quote && !isEscaped {
        if quote == "'" { return String(raw) }
        guard let value = try? TOMLValue(parsing: "\"\(String(raw))\""), case .string(let text) = value else {
          throw fault("a quoted part is not a TOML string")
        }
        return text
      }
      if scalar.value < 0x20 && scalar != "\t" || scalar.value == 0x7F {
        throw fault("a quoted part holds a control character; write it as an escape in \"…\"")
      }
      isEscaped = quote == "\"" && scalar == "\\" && !isEscaped
      raw.append(scalar)
    }
    throw fault("a closing \(quote) is missing")
  }
}

extension Unicode.Scalar {
  var isBareKeyScalar: Bool { isASCII && Byte.isBareKey(UInt8(value)) }

  fileprivate var quotedForMessage: String {
    switch self {
    case " ": "a space"
    case "\t": "a tab"
    case "\"": "the character \""
    default:
      value < 0x20 || value == 0x7F
        ? "the control character U+\(hex(UInt32(value), digits: 4))" : "the character '\(self)'"
    }
  }
}
