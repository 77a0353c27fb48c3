internal import AppSettings

/// What a path depends on: the directories to watch, and the names in them that matter.
///
/// A path is watched through directories, never through files: a watch of a file follows the old file when a save puts
/// a new one in its place. The plan has the directory of the file itself, that of each symbolic link on the way, the
/// nearest existing ancestor of what does not exist yet, and each directory passed, as that may be moved away.
package struct WatchPlan: Sendable {
  /// What is needed of one directory.
  package struct Need: Equatable, Sendable {
    /// Where the walk found it; free of links.
    package var path: String
    package var names: [String: WatchRole] = [:]
    /// Whether each `*.toml` entry is content.
    package var everyTOML = false

    /// What an event for an entry of this name would mean.
    package func role(of name: String) -> WatchRole {
      var role = names[name] ?? []
      if everyTOML && name.endsBytewise(with: ".toml") { role.insert(.content) }
      return role
    }

    /// The kernel's mask for a watch that serves this need alone.
    package var events: WatchEvents {
      var events = WatchEvents.ofSelf
      if everyTOML { events.formUnion(WatchRole.content.events) }
      for role in names.values { events.formUnion(role.events) }
      return events
    }

    /// Whether a change can go unseen without a watch of this directory, and would be no rare one.
    package var isOfEntries: Bool { everyTOML || names.values.contains { $0 != .passed } }
  }

  /// Where a walk ended.
  package enum End: Equatable, Sendable {
    /// At a file, last modified so long ago; `nil` if that lies in the future.
    case file(age: Duration?)
    /// At a directory whose youngest `*.toml` was modified so long ago; `nil` if there is none.
    case directory(age: Duration?)
    case missing
    /// At something that cannot be passed: a file where a directory should be, a loop of links, no permission.
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
  /// The number of the error with which the entries of the directory at the end could not be listed.
  package var unlisted: CInt?

  /// Whether the same names of the same directories are to be watched.
  package func hasSameNeeds(as other: WatchPlan) -> Bool {
    needs.count == other.needs.count
      && needs.allSatisfy { identity, need in
        guard let theirs = other.needs[identity] else { return false }
        return need.names == theirs.names && need.everyTOML == theirs.everyTOML
      }
  }

  package mutating func add(_ place: WatchPlace, _ name: String, _ role: WatchRole) {
    needs[place.identity, default: Need(path: place.path)].names[name, default: []].formUnion(role)
  }

  /// Notes a directory on the way, or one whose `*.toml` entries are content.
  package mutating func add(_ place: WatchPlace, everyTOML: Bool = false) {
    if everyTOML {
      needs[place.identity, default: Need(path: place.path)].everyTOML = true
    } else if needs[place.identity] == nil {
      needs[place.identity] = Need(path: place.path)
    }
  }
}

/// What an entry of a watched directory is to a path.
package struct WatchRole: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The file itself, or the place where it will be.
  package static let content = WatchRole(rawValue: 1)
  /// A link, or a directory that does not exist yet.
  package static let step = WatchRole(rawValue: 2)
  /// The directory that the path ends in. Its own watch does not tell of its removal while another process stands in it.
  package static let holder = WatchRole(rawValue: 4)
  /// A directory on the way that may be passed and not read: what its own watch would tell is told by its parent's.
  package static let passed = WatchRole(rawValue: 8)

  package var events: WatchEvents {
    var events: WatchEvents = []
    if contains(.content) { events.formUnion([.entries, .closedAfterWriting, .attributes]) }
    if !isDisjoint(with: [.step, .passed]) { events.formUnion(.entries) }
    if contains(.holder) { events.formUnion(.deleted) }
    return events
  }
}

/// A file or directory, whatever its names are.
package struct FileIdentity: Hashable, Sendable {
  package var device: UInt64
  package var inode: UInt64

  package init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}

/// A directory that a walk has come to.
package struct WatchPlace: Sendable {
  package var path: String
  package var identity: FileIdentity

  package init(path: String, identity: FileIdentity) {
    self.path = path
    self.identity = identity
  }

  package func path(of entry: String) -> String {
    path == "/" ? "/\(entry)" : "\(path)/\(entry)"
  }
}

/// What a subscription is about.
package enum WatchTarget: Hashable, Sendable {
  case file(String)
  /// A directory, for its `*.toml` entries.
  case directory(String)

  package var path: String {
    switch self {
    case .file(let path), .directory(let path): path
    }
  }
}
