package import AppSettings

/// Finds the key that a user probably meant by one that the app's schema does not have.
///
/// A file may have many unknown keys, so what all of them are compared with is made only once.
package final class UnknownKey {
  private let keys: [SchemaKey]
  private lazy var names = keys.map(\.path.description)
  /// The keys by the ends of their names.
  private lazy var ends = Dictionary(grouping: keys) { Self.folded($0.path.last ?? "") }
  /// The tables with keys below them, by the number of their components.
  private var tables: [Int: [String: TOMLPath]] = [:]

  package init(among keys: [SchemaKey]) { self.keys = keys }

  /// Returns the path that was probably meant; `nil` if none is near.
  ///
  /// That is a field of the key that contains the path; the same key of another table, since a line below a `[table]`
  /// of TOML is easily put into the wrong one; or a key or a table with a similar name.
  package func suggestion(for path: TOMLPath, around key: SchemaKey?) -> TOMLPath? {
    if let key, let name = key.paths.first(where: path.hasPrefix) {
      return Self.field(for: path.components.dropFirst(name.components.count), of: key).map(name.appending)
    }
    if let moved = elsewhere(path) { return moved }
    if let name = Suggestion.nearest(to: path.description, among: names) {
      return keys.first { $0.path.description == name }?.path
    }
    let tables = tables(ofCount: path.components.count)
    return Suggestion.nearest(to: path.description, among: tables.keys.sorted()).flatMap { tables[$0] }
  }

  private func tables(ofCount count: Int) -> [String: TOMLPath] {
    if let known = tables[count] { return known }
    var found: [String: TOMLPath] = [:]
    for key in keys where key.path.components.count > count {
      let table = key.path.prefix(count)
      found[table.description] = table
    }
    tables[count] = found
    return found
  }

  /// The path of a key without its first tables, or with more of them, if only one key is like that.
  private func elsewhere(_ path: TOMLPath) -> TOMLPath? {
    func isEnd(_ end: TOMLPath, of path: TOMLPath) -> Bool {
      end.components.count < path.components.count
        && zip(end.components.reversed(), path.components.reversed()).allSatisfy { Self.folded($0) == Self.folded($1) }
    }
    let found = ends[Self.folded(path.last ?? ""), default: []].lazy
      .filter { isEnd($0.path, of: path) || isEnd(path, of: $0.path) }.prefix(2)
    return found.count == 1 ? found.first?.path : nil
  }

  /// A name in lower case, without what separates its words: `fontSize` is like `font-size`.
  private static func folded(_ name: String) -> String {
    String(decoding: name.lowercased().utf8.filter { !"-_".utf8.contains($0) }, as: UTF8.self)
  }

  /// The place within a key's value that was probably meant: the first name that no field has is replaced.
  private static func field(for part: ArraySlice<String>, of key: SchemaKey) -> TOMLPath? {
    var known: [String] = []
    for name in part {
      guard !key.type.mayHave(known + [name]) else {
        known.append(name)
        continue
      }
      let fields = key.type.type(at: known)?.fields?.map(\.name) ?? []
      return Suggestion.nearest(to: name, among: fields).map { TOMLPath(known + [$0]) }
    }
    return nil
  }

  /// A path that may have array elements in it as text: `plugins[2].name`.
  package static func text(of path: TOMLPath) -> String {
    let hasIndex = path.components.contains(where: SettingsValueError.isIndex)
    return hasIndex ? SettingsValueError.text(of: path.components) : path.description
  }

  /// The sentences for a reserved root key that the format does not have, and the name that was probably meant; `nil`
  /// for any other key.
  package static func reserved(_ name: String) -> (message: String, suggestion: String?)? {
    let own = ["settings-version", "settings-locked", "settings-inherits", "settings-history"]
    guard SettingsFormat.isReserved(name), !own.contains(name), name != "settings-sealed" else {
      return nil
    }
    let nearest = Suggestion.nearest(to: name, among: own)
    let hint = nearest.map { " Did you mean '\($0)'?" } ?? ""
    return ("'\(name)' does nothing: root keys that begin with 'settings-' are reserved.\(hint)", nearest)
  }

  /// The sentence for an unknown key within a secret, whose names are part of it.
  package static func message(inSecret path: TOMLPath) -> String { "Unknown key in the secret '\(path)'." }

  /// The sentences for an unknown key in a file.
  package static func message(_ path: TOMLPath, _ suggestion: TOMLPath?) -> String {
    guard let suggestion else { return "Unknown key '\(text(of: path))'." }
    let hint = "Unknown key '\(text(of: path))'. Did you mean '\(text(of: suggestion))'?"
    let isBelowTable = suggestion.components.count == 1 && path.components.count > 1 && path.last == suggestion.last
    guard isBelowTable else { return hint }
    return "\(hint) A line below '[\(path.parent)]' belongs to that table: move it above the first table."
  }
}
