/// The context of reading or writing a value: its place in the whole value and the coder's user info.
struct BridgeContext: Sendable {
  /// The coder's `userInfo`, for `Codable` types at any depth.
  var userInfo: [CodingUserInfoKey: any Sendable] = [:]
  /// The path to this value; not kept for types that cannot see it.
  var path: CodingPathNode?
  /// The table with the fields that the stored one lacks.
  var base: TOMLTable?

  /// The number of levels above this one.
  var depth: Int { path?.depth ?? 0 }

  /// Throws if types are nested deeper than a file can be, before a value that contains itself overflows the stack.
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
  func appending(index: Int) -> BridgeContext {
    BridgeContext(userInfo: userInfo, path: CodingPathNode(parent: path, name: "[\(index)]", index: index))
  }

  /// Returns the context of an entry.
  func appending(key: String) -> BridgeContext {
    BridgeContext(userInfo: userInfo, path: CodingPathNode(parent: path, name: key, index: nil))
  }
}

/// A coding path as a list from the innermost key outwards: one node for each level, made an array only on request.
final class CodingPathNode: Sendable {
  let parent: CodingPathNode?
  let name: String
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
