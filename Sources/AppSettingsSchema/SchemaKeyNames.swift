package import AppSettings

extension PathTree {
  /// Creates the tree of all names of the keys, present and earlier.
  package init(_ keys: [SchemaKey]) {
    self.init(capacity: keys.count)
    for (index, key) in keys.enumerated() { insert(key, index) }
  }

  /// Adds the names of a key.
  ///
  /// - Parameter index: The number that identifies the key in results.
  package mutating func insert(_ key: SchemaKey, _ index: Int) {
    for path in key.paths { insert(path, index) }
  }
}
