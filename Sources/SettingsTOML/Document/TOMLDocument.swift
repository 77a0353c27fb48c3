/// A TOML text with its values, in which an edit changes only the bytes it concerns.
///
/// A document holds the original bytes and an index of its keys and values; a value is made when you ask for it. Copies
/// are cheap: they share both until one of them is edited.
///
/// ```swift
/// var document = try TOMLDocument(parsing: text)
/// try document.set(14, at: ["editor", "font-size"])
/// print(document.text)    // as before, except for that number
/// ```
///
/// It reads all of TOML 1.0, and from TOML 1.1 line breaks, comments and trailing commas in inline tables, `\e`,
/// `\xHH`, and times without seconds. It writes only TOML 1.0. Line breaks in multi-line strings are read as `\n`.
public struct TOMLDocument: Sendable {
  /// The maximum size of a document in bytes: 256 MB.
  package static let maximumSize = TextLimits.size
  /// The maximum number of levels of keys.
  package static let maximumDepth = TextLimits.depth

  /// The text. Bytes that no edit concerned are the original ones.
  public package(set) var bytes: [UInt8]
  var tree: DocumentIndex
  /// The line break for a text that has none left: that of its first line when it was parsed.
  var usualLineBreak = [Byte.newline]
  /// Whether the text is that of a file from its beginning, so that the comment it begins with is the file's.
  package var isFromTop = true
  /// Where the comment ends that the file begins with, if the statement below it was removed: it is the file's now, and
  /// a comment that follows it is not.
  var topCommentEnd: Int?
  /// Whether the index was patched in place since the text was last parsed, and is not yet proven to match it.
  package internal(set) var isMended = false
  /// The edits made within ``edit(_:)``, which are checked at its end; `nil` outside.
  var recorded: [Change]?

  /// Makes an empty document.
  public init() {
    bytes = []
    tree = DocumentIndex()
  }

  /// Parses a document.
  ///
  /// - Throws: ``TOMLSyntaxError`` for the first fault.
  public init(parsing bytes: [UInt8]) throws(TOMLSyntaxError) {
    self.bytes = bytes
    tree = try TOMLDocument.index(bytes)
    usualLineBreak = lines.lineBreak(at: 0)
  }

  /// Parses a document.
  ///
  /// - Throws: ``TOMLSyntaxError`` for the first fault.
  public init(parsing text: String) throws(TOMLSyntaxError) {
    try self.init(parsing: Array(text.utf8))
  }

  static func index(_ bytes: [UInt8]) throws(TOMLSyntaxError) -> DocumentIndex {
    let result = bytes.withUnsafeBufferPointer { buffer -> Result<DocumentIndex, TOMLSyntaxError> in
      var parser = Parser(buffer, isDocument: true)
      do throws(SyntaxFault) {
        try parser.parseDocument()
        return .success(parser.tree)
      } catch {
        return .failure(TOMLSyntaxError(error, in: buffer, tree: parser.tree))
      }
    }
    return try result.get()
  }

  /// The text as a string.
  public var text: String { String(decoding: bytes, as: UTF8.self) }
}

// MARK: - Reading

extension TOMLDocument {
  /// The table of all values.
  public var root: TOMLTable { withBase { Materializer(base: $0, tree: tree).table(DocumentIndex.root) } }

  /// The value at a path, or `nil` if there is none. Only this value is made.
  public subscript(path: TOMLPath) -> TOMLValue? {
    guard let id = find(path) else { return nil }
    return value(of: id)
  }

  /// Whether there is a value at a path.
  package func contains(_ path: TOMLPath) -> Bool { find(path) != nil }

  /// Whether there is a table at a path: one with a header, an implicit one, one of dotted keys, or an inline one.
  package func isTable(at path: TOMLPath) -> Bool {
    guard let id = find(path) else { return false }
    return tree[id].kind.isTable
  }

  /// The keys of a table in the order of the file, or `nil` if there is no table at the path.
  package func childKeys(of path: TOMLPath) -> [String]? {
    guard let id = find(path), tree[id].kind.isTable else { return nil }
    return childKeys(of: id)
  }

  /// Whether there is a table with keys at a path.
  package func hasKeys(at path: TOMLPath) -> Bool {
    find(path).map { tree[$0].kind.isTable && tree[$0].firstChild != DocumentIndex.none } ?? false
  }

  /// Whether the root has a key that is wanted. The keys behind the first of these are not looked at.
  package func hasKey(where isWanted: (String) -> Bool) -> Bool {
    withBase { base in
      tree.children(of: DocumentIndex.root).contains { isWanted(KeyText.string(tree[$0], in: base)) }
    }
  }

  /// The number of keys of a table, or `nil` if there is no table at the path.
  package func childCount(of path: TOMLPath) -> Int? {
    guard let id = find(path), tree[id].kind.isTable else { return nil }
    return tree.children(of: id).count
  }

  /// The position of the value at a path, or of its header for a table with one; `nil` if there is no value.
  public func position(of path: TOMLPath) -> TOMLPosition? {
    guard let id = find(path) else { return nil }
    return bytes.withUnsafeBufferPointer { TOMLPosition(of: Int(tree[id].start), in: $0) }
  }

  /// Returns the paths of all values at or below a path that are not tables, in the order of the file.
  ///
  /// An array, including an array of tables, counts as one value, and so does an empty table.
  package func leafPaths(under path: TOMLPath = .root) -> [TOMLPath] {
    guard let id = find(path) else { return [] }
    var paths: [TOMLPath] = []
    withBase { base in appendLeaves(of: id, at: path, base, to: &paths) }
    return paths
  }

  private func appendLeaves(
    of id: DocumentIndex.ID, at path: TOMLPath, _ base: UnsafePointer<UInt8>, to paths: inout [TOMLPath]
  ) {
    guard tree[id].kind.isTable, tree[id].firstChild != DocumentIndex.none else {
      if !path.isRoot { paths.append(path) }
      return
    }
    for child in tree.children(of: id) {
      appendLeaves(of: child, at: path.appending(KeyText.string(tree[child], in: base)), base, to: &paths)
    }
  }

  // MARK: Within the module

  @inline(__always)
  func withBase<R>(_ body: (UnsafePointer<UInt8>) -> R) -> R {
    bytes.withUnsafeBufferPointer { body($0.baseAddress ?? UnsafePointer(bitPattern: 1)!) }
  }

  /// The key of a node.
  func key(of id: DocumentIndex.ID) -> String { withBase { KeyText.string(tree[id], in: $0) } }

  func value(of id: DocumentIndex.ID) -> TOMLValue { withBase { Materializer(base: $0, tree: tree).value(id) } }

  /// The node at a path.
  func find(_ path: TOMLPath) -> DocumentIndex.ID? {
    var id = DocumentIndex.root
    for component in path.components {
      guard let child = child(component, of: id) else { return nil }
      id = child
    }
    return id
  }

  /// The child of a table with a given key.
  func child(_ key: String, of parent: DocumentIndex.ID) -> DocumentIndex.ID? {
    guard tree[parent].kind.isTable else { return nil }
    var key = key
    return withBase { base in
      key.withUTF8 { utf8 in
        let bytes = utf8.baseAddress ?? base
        let hash = DocumentIndex.hash(bytes, count: utf8.count, parent: parent)
        let (id, _) = tree.find(bytes, count: utf8.count, hash: hash, parent: parent, in: base)
        return id == DocumentIndex.none ? nil : id
      }
    }
  }
}
