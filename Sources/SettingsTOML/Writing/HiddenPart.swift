/// A part of a text that must not be shown, and can be put back where something stands for it.
///
/// The text with a string for each value, and a comment for everything else, is valid TOML.
@usableFromInline
package struct HiddenPart: Sendable {
  package enum Kind: Sendable {
    /// A value. With a ``HiddenPart/key``: one of dotted keys, of which this is the first line, up to the end of the value.
    case value
    /// A table with its header and everything in it. Something has to keep the place of the header.
    case section
    /// Lines with a further piece of a value.
    case rest
    /// A comment that may show an earlier value.
    case comment
    /// Lines that do not parse.
    case unparsed
  }

  /// The kinds of values, as far as a rule tells them apart.
  package enum ValueKind: Sendable {
    case table
    /// An array, or an array of tables.
    case array
    case string
    /// A number, a boolean, a date or a time.
    case other

    init(_ kind: IndexNode.Kind) {
      self =
        kind.isTable ? .table : kind == .string ? .string : kind == .array || kind == .arrayOfTables ? .array : .other
    }

    /// The kind of a value.
    package init(_ value: TOMLValue) {
      self =
        switch value {
        case .table: .table
        case .array: .array
        case .string: .string
        default: .other
        }
    }
  }

  /// What a plain part does not have. A long text has thousands of those, which are made and copied quickly.
  @usableFromInline
  final class Facts: Sendable {
    let kind: Kind
    let path: TOMLPath
    let key: String?

    init(_ kind: Kind, _ path: TOMLPath, _ key: String?) { (self.kind, self.path, self.key) = (kind, path, key) }

    static let comment = Facts(.comment, .root, nil)
  }

  @usableFromInline var start: UInt32
  @usableFromInline var end: UInt32
  @usableFromInline let facts: Facts?

  package init(_ kind: Kind, _ path: TOMLPath, _ range: Range<Int>, key: String? = nil) {
    (start, end) = (UInt32(range.lowerBound), UInt32(range.upperBound))
    switch kind {
    case .value where path.isRoot && key == nil: facts = nil
    case .comment: facts = .comment
    default: facts = Facts(kind, path, key)
    }
  }

  /// A value without a path.
  init(_ node: IndexNode) { (start, end, facts) = (node.start, node.end, nil) }

  /// Whether it is a value without a path.
  @inlinable package var isPlain: Bool { facts == nil }

  package var kind: Kind { facts?.kind ?? .value }
  /// The path of the value; the root for a comment.
  package var path: TOMLPath { facts?.path ?? .root }
  /// The dotted keys that the part begins with.
  package var key: String? { facts?.key }

  /// The bytes of the text. No two parts of a text overlap.
  @inlinable package internal(set) var range: Range<Int> {
    get { Int(start)..<Int(end) }
    set { (start, end) = (UInt32(newValue.lowerBound), UInt32(newValue.upperBound)) }
  }

  /// The same part of a text that has more before it.
  package func shifted(by offset: Int) -> HiddenPart {
    var part = self
    part.range = range.lowerBound + offset..<range.upperBound + offset
    return part
  }

  /// Whether it is a piece of a value that has several lines.
  var isPiece: Bool {
    switch kind {
    case .value: key != nil
    case .section, .rest: true
    case .comment, .unparsed: false
    }
  }

  /// Whether it is a value, or a piece of one.
  package var isValue: Bool {
    switch kind {
    case .value, .section, .rest: true
    case .comment, .unparsed: false
    }
  }
}

/// A rule that says which values and comments of a document are hidden.
///
/// It is asked once for each key, from the root down, so that it can look up one name at a time.
package protocol HidingRule {
  /// What the rule knows of the path of a value.
  associatedtype Place

  var root: Place { get }

  /// The place of a key in a table.
  func place(_ name: String, in table: Place) -> Place

  /// Whether everything at and below a place is hidden.
  ///
  /// - Parameters:
  ///   - kind: The kind of the value.
  ///   - value: Makes the value; asked for only if the kind does not decide.
  func hides(_ place: Place, _ kind: HiddenPart.ValueKind, _ value: () -> TOMLValue) -> Bool

  /// Whether nothing at and below a place is hidden, so that the rule need not be asked for each key in it.
  func hidesNothing(_ place: Place) -> Bool

  /// Whether each value in a table is hidden for what the table is, whatever its name.
  func hidesAll(in table: Place) -> Bool

  /// Whether a comment may hold an earlier value of something hidden.
  func hides(comment: String) -> Bool
}
