import AppSettings

/// A file that is being checked, and what is found in it.
struct CheckedFile {
  let path: String
  let kind: SettingsLayer.Kind
  /// The file as it is.
  let original: TOMLDocument
  private var places: PartPlaces
  /// Its values, as the app would have them in memory.
  var document: TOMLDocument
  /// Whether the document has the version that the schema describes: else a key that the schema lacks is not unknown.
  var isCurrent = true
  private(set) var findings: [SettingsFinding] = []

  init(path: String, kind: SettingsLayer.Kind, original: TOMLDocument) {
    self.path = path
    self.kind = kind
    self.original = original
    places = PartPlaces(in: original, by: LineIndex(of: original.bytes))
    document = original
  }

  mutating func add(
    _ kind: SettingsFinding.Kind, _ message: String, key: TOMLPath? = nil, at position: TOMLPosition? = nil,
    suggestion: String? = nil
  ) {
    findings.append(
      SettingsFinding(kind, message, key: key, file: path, position: position, suggestion: suggestion))
  }

  /// The position of a part of a value, or of the innermost enclosing part that has one.
  mutating func position(of path: TOMLPath, part: [String] = []) -> TOMLPosition? {
    places.position(of: path, part: part)
  }
}
