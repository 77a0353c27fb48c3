package import SettingsTOML
internal import Synchronization

/// A source of values. Layers are stacked: the value of a higher layer hides that of a lower one.
///
/// ```swift
/// let layer = settings.origin(of: .theme).layer
/// if layer.kind == .system { print("The administrator has set this.") }
/// ```
public struct SettingsLayer: Sendable, Hashable {
  /// The kinds of layer, lowest first.
  public enum Kind: String, Sendable {
    /// The key's own default; no file has a value.
    case `default`
    /// An administrator's file or drop-in.
    case system
    /// A drop-in that the person has declared, `settings.d/*.toml` beside their file; never written.
    case declared
    /// The user's file. It is the one that is written, unless a profile is active.
    case user
    /// A profile. The active one is written in place of the user's file; those that it inherits are below it.
    case profile
    /// A project's file, with the keys that the app allows there.
    case project
    /// A credential of the service manager, for a secret.
    case credential
    /// An environment variable.
    case environment
    /// An override of this process, such as an argument.
    case process
  }

  /// The kind of layer.
  public package(set) var kind: Kind
  /// The path of the file; `nil` if the layer has none.
  public package(set) var file: String?

  /// Makes a layer.
  ///
  /// - Parameters:
  ///   - kind: The kind of layer.
  ///   - file: The path of its file, if it has one.
  package init(_ kind: Kind, file: String? = nil) {
    self.kind = kind
    self.file = file
  }
}

/// The content of one layer at a path.
package enum LayerLookup: Sendable {
  /// Nothing: lower layers take effect.
  case absent
  /// A value that is not a table exists above the path. It replaces the table of lower layers, which hides their
  /// values.
  case hidden
  /// The value of the layer alone; for a table, lower layers may have more keys.
  case value(TOMLValue)

  package var isTable: Bool { if case .value(.table) = self { true } else { false } }
  package var isAbsent: Bool { if case .absent = self { true } else { false } }

  /// Finds the value below another one by following path components.
  ///
  /// - Parameters:
  ///   - value: The value where the path begins; `nil` for nothing.
  ///   - components: The path from there.
  package init(_ value: TOMLValue?, at components: ArraySlice<String>) {
    guard var current = value else {
      self = .absent
      return
    }
    for component in components {
      guard case .table(let table) = current else {
        self = .hidden
        return
      }
      guard let next = table[component] else {
        self = .absent
        return
      }
      current = next
    }
    self = .value(current)
  }
}

/// A layer with its content. It is immutable, and an object so that copying a state of the store is cheap.
package final class LayerContent: Sendable {
  package let layer: SettingsLayer
  /// The values of the file in the form of this release.
  package let document: TOMLDocument
  /// The text of the file, if `document` is its migration in memory; else `nil`.
  private let unmigrated: [UInt8]?
  /// Whether there is a file: an empty document may come from an empty file or from none.
  private let hasFile: Bool
  private let lockEntries: [LockEntry]
  /// The paths that this layer locks for all layers above it, with everything below them.
  package let locks: [TOMLPath]
  /// The reasons that the file gives for them.
  package let lockReasons: [TOMLPath: String]
  /// The inode of an administrator's file, to distinguish a save in place from one by a rename.
  package let inode: UInt64?
  /// The data for finding positions in the file, made when the first is needed.
  private let knownPlaces = AtomicLazyReference<FilePlaces>()
  private var places: FilePlaces {
    knownPlaces.load() ?? knownPlaces.storeIfNil(FilePlaces(of: unmigrated, or: document))
  }

  /// - Parameters:
  ///   - layer: The kind of layer and its file.
  ///   - document: The values, in the form of this release.
  ///   - unmigrated: The text of the file, if `document` is its migration in memory.
  ///   - hasFile: Whether there is a file.
  ///   - locks: What the file locks; only an administrator's file has locks.
  ///   - inode: The inode of the file, to distinguish a save in place from one by a rename.
  package init(
    layer: SettingsLayer, document: TOMLDocument, unmigrated: [UInt8]? = nil, hasFile: Bool = true,
    locks: [LockEntry] = [], inode: UInt64? = nil
  ) {
    self.layer = layer
    self.document = document
    self.unmigrated = unmigrated
    self.hasFile = hasFile
    lockEntries = locks
    self.locks = locks.map(\.path)
    lockReasons = Dictionary(
      locks.compactMap { lock in lock.reason.map { (lock.path, $0) } }, uniquingKeysWith: { first, _ in first })
    self.inode = inode
  }

  /// Returns the same layer with another text.
  ///
  /// - Parameter bytes: The bytes of the file, whose meaning is `document`; `nil` if there is no file.
  package func holding(_ document: TOMLDocument, of bytes: [UInt8]?) -> LayerContent {
    let isMigrated = !document.bytes.isSameText(as: bytes ?? [])
    return LayerContent(
      layer: layer, document: document, unmigrated: isMigrated ? bytes ?? [] : nil, hasFile: bytes != nil,
      locks: lockEntries, inode: inode)
  }

  /// Whether another layer was read from the same file with the same text.
  func isSame(as other: LayerContent) -> Bool {
    layer == other.layer && inode == other.inode && lockEntries == other.lockEntries
      && fileBytes.isSameText(as: other.fileBytes) && document.bytes.isSameText(as: other.document.bytes)
  }

  /// The bytes of the file; `nil` if there is none.
  package var fileBytes: [UInt8]? { hasFile ? unmigrated ?? document.bytes : nil }

  /// The position in the file of the value at a path.
  ///
  /// - Returns: Also `nil` for a value that a migration in memory has made or moved, because that text is in no file.
  package func position(of path: TOMLPath) -> TOMLPosition? { position(of: path, part: [], isKey: false) }

  /// The position in the file of a part of the value at a path; see ``TOMLDocument/position(of:part:isKey:by:)``.
  func position(of path: TOMLPath, part: ArraySlice<String>, isKey: Bool) -> TOMLPosition? {
    guard let file = places.document else { return nil }
    let isInFile =
      unmigrated == nil || (file.isTable(at: path) ? document.isTable(at: path) : file[path] == document[path])
    return isInFile ? file.position(of: path, part: part, isKey: isKey, by: places.index) : nil
  }

  /// The position of `settings-locked` in the file, whose locks a migration in memory may have moved.
  package var locksPosition: TOMLPosition? {
    places.document?.position(of: SettingsFormat.locksPath, by: places.index)
  }

  /// What this layer has at a path, ignoring locks.
  package func lookUp(_ path: TOMLPath) -> LayerLookup {
    if let value = document[path] { return .value(value) }
    // Missing, unless an ancestor exists and is not a table.
    var ancestor = path.parent
    while !ancestor.isRoot {
      if document.contains(ancestor) { return document.isTable(at: ancestor) ? .absent : .hidden }
      ancestor = ancestor.parent
    }
    return .absent
  }
}

/// The text of a layer's file with an index of its lines.
private final class FilePlaces: Sendable {
  /// `nil` for a text that does not parse.
  let document: TOMLDocument?
  let index: LineIndex

  init(of unmigrated: [UInt8]?, or current: TOMLDocument) {
    document = unmigrated.map { try? TOMLDocument(parsing: $0) } ?? current
    index = LineIndex(of: unmigrated ?? current.bytes)
  }
}

extension SettingsLayer {
  /// What a value of this layer comes from, for messages.
  var source: String {
    switch kind {
    case .system, .declared, .user, .profile, .project: file?.lastPathPart ?? "the text in memory"
    case .credential: "the credential"
    case .environment: "the environment"
    case .process, .default: "this process"
    }
  }
}

extension SettingsLayer: CustomStringConvertible {
  /// The kind, with the file if there is one: `user /home/alice/.config/org.example.editor/settings.toml`.
  public var description: String { kind.rawValue + (file.map { " " + PathText.shown($0) } ?? "") }

  /// The description with a place in the file: `user /home/alice/.config/org.example.editor/settings.toml:9`.
  ///
  /// - Parameter position: The place in the file; `nil` for none.
  func description(at position: TOMLPosition?) -> String { description + (position.map { ":\($0.line)" } ?? "") }
}
