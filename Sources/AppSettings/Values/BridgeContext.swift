/// What is handed down while a value is read or written: where in the value this is, and what the coder was given.
struct BridgeContext: Sendable {
  /// The coder's `userInfo`, for `Codable` types at any depth.
  var userInfo: [CodingUserInfoKey: any Sendable] = [:]
  /// The way down to this value; not kept for types that cannot see it.
  var path: CodingPathNode?
  /// The table that has the fields the stored one lacks.
  var base: TOMLTable?

  /// How many steps down this is.
  var depth: Int { path?.depth ?? 0 }

  /// Throws where types go deeper than any file can hold: before the stack ends, as for a value that holds itself.
  func checkDepth() throws(SettingsValueError) {
    if depth > TOMLDocument.maximumDepth { throw SettingsValueError(tooDeepAt: path) }
  }

  /// The same with another base.
  func over(_ base: TOMLTable?) -> BridgeContext {
    var context = self
    context.base = base
    return context
  }

  /// The context of an element.
  func appending(index: Int) -> BridgeContext {
    BridgeContext(userInfo: userInfo, path: CodingPathNode(parent: path, name: "[\(index)]", index: index))
  }

  /// The context of an entry.
  func appending(key: String) -> BridgeContext {
    BridgeContext(userInfo: userInfo, path: CodingPathNode(parent: path, name: key, index: nil))
  }
}

/// A coding path as a list from the inside out: made at each step down, turned into an array only if a type asks.
final class CodingPathNode: Sendable {
  let parent: CodingPathNode?
  let name: String
  let index: Int?
  /// How many steps down this is.
  let depth: Int

  init(parent: CodingPathNode?, name: String, index: Int?) {
    self.parent = parent
    depth = (parent?.depth ?? 0) + 1
    self.name = name
    self.index = index
  }

  /// The path from the top to here.
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

/// A coding key that names any field or element.
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
