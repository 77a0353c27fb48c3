import SettingsTOML

extension StoreCore {
  /// The key that cannot read its text in a document, among those of some edits and, for edits of names, those that
  /// this store was used with: that text is about to be lost.
  ///
  /// If there are several, it is the key of the first such edit or, for edits of names, the first by name.
  func unreadableKey(of edits: [Edit], in document: TOMLDocument) -> AnySettingsKey? {
    var seen: Set<ObjectIdentifier> = []
    for case let key? in edits.map(\.key) where seen.insert(ObjectIdentifier(key)).inserted {
      if key.paths.contains(where: { isUnreadable(key, at: $0, in: document) }) { return key }
    }
    let paths = edits.filter { $0.key == nil }.map(\.path)
    guard !paths.isEmpty else { return nil }
    let named = PathTree(paths)
    let unreadable = declarations.keys.filter { key in
      key.paths.contains { named.touches($0) && isUnreadable(key, at: $0, in: document) }
    }
    return unreadable.min { $0.name < $1.name }
  }

  /// Whether the document has a value at a path that the key cannot use.
  private func isUnreadable(_ key: AnySettingsKey, at path: TOMLPath, in document: TOMLDocument) -> Bool {
    document[path].map { (try? key.check($0)) == nil } ?? false
  }

  /// Makes a backup of the file if edits are about to overwrite a value that their key cannot read.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file; `nil` if a backup of it exists, or there is no file.
  /// - Throws: ``SettingsError`` if no backup can be made. The value must not be overwritten then.
  func keepUnreadable(_ edits: [Edit], in document: TOMLDocument, _ bytes: inout [UInt8]?) throws(SettingsError) {
    guard let contents = bytes, let key = unreadableKey(of: edits, in: document) else { return }
    let name = key.name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    do {
      try backUp(contents, reason: "before-overwriting-\(String(name).prefix(60))")
    } catch {
      let error = SettingsError(error)
      throw SettingsError(
        error.code,
        "Cannot overwrite the unreadable value of '\(key.name)': no backup can be made. \(error.message) "
          + "The value is unchanged.", cause: error.cause, file: error.file)
    }
    bytes = nil
  }
}
