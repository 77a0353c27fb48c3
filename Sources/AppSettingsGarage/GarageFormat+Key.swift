import AppSettings
import CSettingsSystem

// Which file a garage may write: the file identifies the key that its records are sealed with.
//
// `settings-seal`, a key of the file's root, is a constant sealed like a record, in a context that no record has. Only
// the file's key opens it, and it reveals no more than any record does.

extension GarageFormat {
  static let checkKey = SettingsFormat.sealPath.components[0]
  private static let checkPath: TOMLPath = [checkKey]
  private static let checkText = Array("app-settings garage key".utf8)

  /// The check value to write; `nil` without a cipher, or if the file has that of the cipher.
  func newCheckValue(for document: TOMLDocument) throws(SettingsError) -> TOMLValue? {
    guard let cipher, !opens(document[Self.checkPath], cipher) else { return nil }
    do {
      return .string(try cipher.sealText(Self.checkText, Self.checkText))
    } catch {
      throw SettingsError(
        .sealedRecord, "Cannot write '\(file)': \(cipher.name) failed. Nothing was written.",
        cause: "\(type(of: error))", file: file)
    }
  }

  private func opens(_ check: TOMLValue?, _ cipher: GarageCipher) -> Bool {
    guard case .string(let text)? = check, let (name, bytes) = GarageCipher.parts(of: text), name == cipher.name
    else { return false }
    return (try? cipher.open(bytes, Self.checkText)) == Self.checkText
  }

  /// Throws unless the file's key is that of this garage, or neither has one.
  ///
  /// A file sealed before check values existed is identified by the first record that opens.
  ///
  /// - Throws: ``SettingsError`` `sealedRecord`.
  func checkKey(of document: TOMLDocument) throws(SettingsError) {
    guard let cipher else {
      guard Self.isSealed(document) else { return }
      throw keyFailure("its records are sealed, and this garage has no cipher. Open it with 'cipher:'.", in: document)
    }
    if let check = document[Self.checkPath] {
      if opens(check, cipher) { return }
      if let former, opens(check, former) { return }
      guard case .string(let text) = check, let (name, _) = GarageCipher.parts(of: text) else {
        throw keyFailure("'\(Self.checkKey)', which identifies the key, has been changed.", in: document)
      }
      throw keyFailure(
        name == cipher.name
          ? "it is sealed with another key."
          : "it is sealed with \(name), and this garage's cipher is \(cipher.name).", in: document)
    }
    var isSealed = false
    let opening = GarageDraft(base: document, format: self)
    let isRight = Self.firstRecord(of: document) { name, id, isSealedRecord in
      guard isSealedRecord else { return false }
      isSealed = true
      if let id { return (try? opening.row(name, id)) != nil }
      return (try? opening.objects(of: name)) != nil
    }
    guard isRight || !isSealed else {
      throw keyFailure("it is sealed with another key: none of its records can be opened.", in: document)
    }
  }

  /// For a format that may be changing its cipher to `former`, the format that a file has.
  func settled(by document: TOMLDocument) -> GarageFormat {
    guard let next = former else { return self }
    var result = self
    result.former = nil
    if opens(document[Self.checkPath], next) { result.cipher = next }
    return result
  }

  private func keyFailure(_ reason: String, in document: TOMLDocument) -> SettingsError {
    SettingsError(
      .sealedRecord, "Cannot write '\(file)': \(reason) The file is unchanged.", file: file,
      position: document.position(of: Self.checkPath))
  }

  /// Whether a file has sealed records, or had some.
  static func isSealed(_ document: TOMLDocument) -> Bool {
    if document.contains(checkPath) { return true }
    guard document.bytes.containsText(GarageRow.sealKey) else { return false }
    return firstRecord(of: document) { $2 }
  }

  /// Finds the first record, or array of objects, that satisfies a condition.
  private static func firstRecord(
    of document: TOMLDocument, where holds: (_ name: String, _ id: String?, _ isSealed: Bool) -> Bool
  ) -> Bool {
    for name in document.childKeys(of: .root) ?? [] where !SettingsFormat.isReserved(name) {
      if let ids = document.childKeys(of: [name]) {
        if ids.contains(where: { holds(name, $0, document.contains([name, $0, GarageRow.sealKey])) }) { return true }
      } else if case .array(let items)? = document[[name]] {
        if holds(name, nil, items.contains { $0.table?[GarageRow.sealKey] != nil }) { return true }
      }
    }
    return false
  }

  // MARK: Plain text

  /// Something in a file that is not sealed.
  struct Plain {
    var key: GarageKey
    /// Whether it is not a record and so cannot be sealed.
    var isForeign: Bool
    var position: TOMLPosition?
  }

  /// Finds the first content, apart from comments, that is not sealed.
  ///
  /// - Parameter isLeft: Whether the record with a name and an id stays in the file; without an id, all of them.
  func firstPlain(
    in document: TOMLDocument, where isLeft: (_ name: String, _ id: String?) -> Bool = { _, _ in true }
  ) -> Plain? {
    for name in document.childKeys(of: .root) ?? [] where !SettingsFormat.isReserved(name) {
      if let ids = document.childKeys(of: [name]) {
        for id in ids where isLeft(name, id) && !Self.isSealed([name, id], in: document) {
          let path: TOMLPath = [name, id]
          return Plain(
            key: GarageKey(name: name, id: id), isForeign: !document.isTable(at: path),
            position: document.position(of: path))
        }
      } else if isLeft(name, nil) {
        guard case .array(let items)? = document[[name]], items.allSatisfy({ $0.table != nil }) else {
          return Plain(key: GarageKey(name: name), isForeign: true, position: document.position(of: [name]))
        }
        let index =
          items.firstIndex { $0.table?.contains { !GarageRow.isNote($0.key) } ?? true }
          ?? items.firstIndex { $0.table?[GarageRow.sealKey] == nil }
        if let index {
          return Plain(
            key: GarageKey(name: name), isForeign: false,
            position: document.position(of: .root, inElement: index, of: [name]) ?? document.position(of: [name]))
        }
      }
    }
    return nil
  }

  /// Whether a record has only sealed content and the garage's notes.
  static func isSealed(_ path: TOMLPath, in document: TOMLDocument) -> Bool {
    guard let keys = document.childKeys(of: path) else { return false }
    return keys.contains(GarageRow.sealKey) && keys.allSatisfy { GarageRow.isNote($0) }
  }

  func failure(_ plain: Plain) -> SettingsError {
    guard plain.isForeign else { return plainFailure(plain.key, at: plain.position) }
    return SettingsError(
      .sealedRecord,
      "Cannot write '\(file)'\(Self.line(plain.position)): this is not a record, so it cannot be sealed. "
        + "Remove it. The file is unchanged.", file: file, position: plain.position)
  }
}

extension [UInt8] {
  /// Whether the bytes contain those of a text.
  func containsText(_ text: String) -> Bool {
    let word = Array(text.utf8)
    return withUnsafeBufferPointer { all in
      all.baseAddress.map { memmem($0, UInt(all.count), word, UInt(word.count)) != nil } ?? false
    }
  }
}
