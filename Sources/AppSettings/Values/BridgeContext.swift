/// The context of reading or writing a value: its place in the whole value and the coder's user info.
///
/// It is passed down to the parts of a value. The path gets a node for each level, but only below types whose stored
/// form may have parts that they do not know.
struct BridgeContext: Sendable {
  /// The coder's `userInfo`, for `Codable` types at any depth.
  var userInfo: [CodingUserInfoKey: any Sendable] = [:]
  /// The path to this value; not kept for types that cannot see it.
  var path: CodingPathNode?
  /// The table with the fields that the stored one lacks.
  ///
  /// It is the stored form of a default, for required fields only.
  var base: TOMLTable?

  /// The number of levels above this one.
  var depth: Int { path?.depth ?? 0 }

  /// Throws if types are nested deeper than a file can be, before a value that contains itself overflows the stack.
  ///
  /// The limit is the parser's, `TOMLDocument.maximumDepth`.
  func checkDepth() throws(SettingsValueError) {
    if depth > TOMLDocument.maximumDepth { throw SettingsValueError(tooDeepAt: path) }
  }

  /// Returns the same context with another base.
  func over(_ base: TOMLTable?) -> BridgeContext {
    var context = self
    context.base = base
    return context
  }

  /// Returns the context of an element.
  ///
  /// An element has no base, because the elements of a default are not those of the stored array.
  func appending(index: Int) -> BridgeContext {
    BridgeContext(userInfo: userInfo, path: CodingPathNode(parent: path, name: "[\(index)]", index: index))
  }

  /// Returns the context of an entry.
  ///
  /// The caller sets the base of the entry, if it has one.
  func appending(key: String) -> BridgeContext {
    BridgeContext(userInfo: userInfo, path: CodingPathNode(parent: path, name: key, index: nil))
  }
}

/// A coding path as a list from the innermost key outwards: one node for each level, made an array only on request.
final class CodingPathNode: Sendable {
  let parent: CodingPathNode?
  let name: String
  /// The index of an element; `nil` for a key.
  let index: Int?
  /// The number of levels above this one.
  let depth: Int

  init(parent: CodingPathNode?, name: String, index: Int?) {
    self.parent = parent
    depth = (parent?.depth ?? 0) + 1
    self.name = name
    self.index = index
  }

  /// The path from the whole value to this one.
  ///
  /// Types see it as `decoder.codingPath`.
  var codingPath: [any CodingKey] {
    var keys: [any CodingKey] = []
    var node: CodingPathNode? = self
    while let current = node {
      keys.append(current.index.map(PathKey.init(index:)) ?? PathKey(stringValue: current.name))
      node = current.parent
    }
    return keys.reversed()
  }
}

/// A coding key for any field or element.
///
/// For an element, the string is `[3]` and the integer 3.
struct PathKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }

  init(index: Int) {
    stringValue = "[\(index)]"
    intValue = index
  }
}
