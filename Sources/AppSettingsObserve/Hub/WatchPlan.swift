internal import AppSettings

/// The directories that a path depends on, and the names in them that matter.
///
/// A path is watched through directories, never through files: a watch on a file follows the old file when a save puts
/// a new one in its place. The plan has the directory of the file itself, the directory of each symbolic link on the
/// way, the nearest existing ancestor of a missing file, and each directory passed, since that may be moved away.
package struct WatchPlan: Sendable {
  /// What a path needs from one directory.
  package struct Need: Equatable, Sendable {
    /// Where the walk found the directory. Contains no symbolic links.
    package var path: String
    package var names: [String: WatchRole] = [:]
    /// Whether every `*.toml` entry is content, and every one that begins with `@`: a directory of declared files.
    package var everyTOML = false
    /// Whether every entry is content.
    package var everyEntry = false

    /// The meaning of an event for an entry of this name.
    package func role(of name: String) -> WatchRole {
      var role = names[name] ?? []
      if everyEntry || everyTOML && (name.endsBytewise(with: ".toml") || name.utf8.first == UInt8(ascii: "@")) {
        role.insert(.content)
      }
      return role
    }

    /// The kernel's mask for a watch that serves only this need.
    package var events: WatchEvents {
      var events = WatchEvents.ofSelf
      if everyTOML || everyEntry { events.formUnion(WatchRole.content.events) }
      for role in names.values { events.formUnion(role.events) }
      return events
    }

    /// Whether common changes would go unnoticed without a watch on this directory.
    package var isOfEntries: Bool { everyTOML || everyEntry || names.values.contains { $0 != .passed } }
  }

  /// Where a walk ended.
  package enum End: Equatable, Sendable {
    /// At a file, with the time since its last modification; `nil` if that is in the future.
    case file(age: Duration?)
    /// At a directory, with the time since its newest `*.toml` was modified; `nil` if it has none.
    case directory(age: Duration?)
    case missing
    /// At an obstacle: a file in place of a directory, a loop of links, or a lack of permission.
    case blocked(CInt)

    /// The time since the last modification of the content.
    package var age: Duration? {
      switch self {
      case .file(let age), .directory(let age): age
      case .missing, .blocked: nil
      }
    }

    package var isContent: Bool {
      switch self {
      case .file, .directory: true
      case .missing, .blocked: false
      }
    }
  }

  package var needs: [FileIdentity: Need] = [:]
  package var end = End.missing
  /// The file system of a directory that matters, if other machines can change it without an event here.
  package var remoteFileSystem: String?
  /// The error number, if the entries of the final directory could not be listed.
  package var unlisted: CInt?

  /// Whether both plans watch the same names of the same directories.
  package func hasSameNeeds(as other: WatchPlan) -> Bool {
    needs.count == other.needs.count
      && needs.allSatisfy { identity, need in
        guard let theirs = other.needs[identity] else { return false }
        return need.names == theirs.names && need.everyTOML == theirs.everyTOML
          && need.everyEntry == theirs.everyEntry
      }
  }

  package mutating func add(_ place: WatchPlace, _ name: String, _ role: WatchRole) {
    needs[place.identity, default: Need(path: place.path)].names[name, default: []].formUnion(role)
  }

  /// Adds a directory along the path, or one whose `*.toml` entries, or all, are content.
  package mutating func add(_ place: WatchPlace, everyTOML: Bool = false, everyEntry: Bool = false) {
    var need = needs[place.identity] ?? Need(path: place.path)
    if everyTOML { need.everyTOML = true }
    if everyEntry { need.everyEntry = true }
    needs[place.identity] = need
  }
}

/// What an entry of a watched directory means for a path.
package struct WatchRole: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The file itself, or the place where it will be created.
  package static let content = WatchRole(rawValue: 1)
  /// A link, or a directory that does not exist yet.
  package static let step = WatchRole(rawValue: 2)
  /// The directory that contains the file. Its own watch does not report its removal while it is another process's
  /// working directory.
  package static let holder = WatchRole(rawValue: 4)
  /// A directory along the path that may be entered but not read. Its parent's watch reports what its own would.
  package static let passed = WatchRole(rawValue: 8)

  package var events: WatchEvents {
    var events: WatchEvents = []
    if contains(.content) { events.formUnion([.entries, .closedAfterWriting, .attributes]) }
    if !isDisjoint(with: [.step, .passed]) { events.formUnion(.entries) }
    if contains(.holder) { events.formUnion(.deleted) }
    return events
  }
}

/// The identity of a file or directory, independent of its names.
package struct FileIdentity: Hashable, Sendable {
  package var device: UInt64
  package var inode: UInt64
}

/// A directory that a walk has reached.
package struct WatchPlace: Sendable {
  package var path: String
  package var identity: FileIdentity

  package func path(of entry: String) -> String {
    path == "/" ? "/\(entry)" : "\(path)/\(entry)"
  }
}

/// The target of a subscription.
package enum WatchTarget: Hashable, Sendable {
  case file(String)
  /// A directory, for its `*.toml` entries.
  case directory(String)
  /// A directory, for all its entries.
  case folder(String)

  package var path: String {
    switch self {
    case .file(let path), .directory(let path), .folder(let path): path
    }
  }

  /// The target by an absolute path, if the working directory has one.
  var absolute: WatchTarget {
    switch self {
    case .file(let path): .file(path.absolutePath ?? path)
    case .directory(let path): .directory(path.absolutePath ?? path)
    case .folder(let path): .folder(path.absolutePath ?? path)
    }
  }
}
