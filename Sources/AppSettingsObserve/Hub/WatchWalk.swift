internal import AppSettings
internal import Glibc

extension WatchPlan {
  /// Walks a path as the kernel would, and notes what the result depends on.
  ///
  /// - Parameter target: The target of the walk, with an absolute path.
  package init(of target: WatchTarget) {
    self.init()
    var walk = WatchWalk()
    switch target {
    case .file(let path): walk.walk(to: path)
    case .directory(let path): walk.walk(toDirectory: path)
    case .folder(let path): walk.walk(toDirectory: path, everyEntry: true)
    }
    self = walk.plan
  }
}

private struct WatchWalk {
  var plan = WatchPlan()

  /// The number of a directory's entries whose links are followed.
  private static let mostEntries = 1_000
  /// Each name in these is written once and then stays, while the directory sees many other names come and go.
  private static let immutableStores = ["/nix/store", "/gnu/store"]

  mutating func walk(to path: String) {
    var places = [WatchPlace]()
    follow(path, &places, endsInDirectory: false)
  }

  mutating func walk(toDirectory path: String, everyEntry: Bool = false) {
    var places = [WatchPlace]()
    follow(path, &places, endsInDirectory: true)
    guard case .directory = plan.end, let place = places.last else { return }
    plan.add(place, everyTOML: !everyEntry, everyEntry: everyEntry)
    noteFileSystem(of: place)
    var youngest: Duration?
    var entries: [String] = []
    do throws(Errno) {
      entries = try Syscalls().names(in: place.path) ?? []
    } catch {
      plan.unlisted = error.rawValue
    }
    for entry in entries.filter({ everyEntry || $0.endsBytewise(with: ".toml") }).sorted().prefix(Self.mostEntries) {
      guard let status = try? EntryStatus(of: place.path(of: entry)) else { continue }
      if status.isLink {
        // A separate walk, which ends elsewhere: the entry's content changes without an event here.
        walk(to: place.path(of: entry))
      } else if let age = status.age {
        youngest = min(youngest ?? age, age)
      }
    }
    plan.end = .directory(age: youngest)
  }

  private mutating func follow(_ path: String, _ places: inout [WatchPlace], endsInDirectory: Bool) {
    do throws(Errno) {
      places = [WatchPlace(path: "/", identity: try EntryStatus(of: "/").identity)]
      var rest: [Substring] = path.pathParts.reversed()
      var links = 0
      while let component = rest.popLast() {
        if component == "." { continue }
        if component == ".." {
          if places.count > 1 { places.removeLast() }
          continue
        }
        let name = String(component)
        let place = places[places.count - 1].path(of: name)
        let isLast = rest.allSatisfy { $0 == "." }
        let status: EntryStatus
        do throws(Errno) {
          status = try EntryStatus(of: place)
        } catch {
          note(places, name, isLast && !endsInDirectory ? .content : .step)
          // The directory's parent reports a change of the mode that keeps us out.
          if error.rawValue == EACCES { noteHolder(places, as: .content) }
          throw error
        }
        if status.isLink {
          note(places, name, .step)
          links += 1
          if links > FinalPath.mostLinks { throw Errno(ELOOP) }
          guard let target = readLink(place) else { throw Errno(ENOENT) }
          if target.isAbsolutePath { places.removeLast(places.count - 1) }
          rest += target.pathParts.reversed()
        } else if isLast && !endsInDirectory {
          note(places, name, .content)
          if status.isDirectory { throw Errno(EISDIR) }
          plan.end = .file(age: status.age)
          return
        } else if status.isDirectory {
          if !status.isReadable, !isImmutable(places[places.count - 1].path) {
            plan.add(places[places.count - 1], name, .passed)
          }
          places.append(WatchPlace(path: place, identity: status.identity))
          plan.add(places[places.count - 1])
        } else {
          note(places, name, .step)
          throw Errno(ENOTDIR)
        }
      }
      guard endsInDirectory else { throw Errno(EISDIR) }
      noteHolder(places)
      plan.end = .directory(age: nil)
    } catch {
      plan.end = error.rawValue == ENOENT ? .missing : .blocked(error.rawValue)
    }
  }

  /// Notes an entry of the directory that the walk has reached.
  private mutating func note(_ places: [WatchPlace], _ name: String, _ role: WatchRole) {
    let place = places[places.count - 1]
    if isImmutable(place.path) { return }
    plan.add(place, name, role)
    noteFileSystem(of: place)
    noteHolder(places)
  }

  private mutating func noteHolder(_ places: [WatchPlace], as role: WatchRole = .holder) {
    guard places.count > 1, !isImmutable(places[places.count - 2].path) else { return }
    plan.add(places[places.count - 2], places[places.count - 1].path.lastPathPart, role)
  }

  private mutating func noteFileSystem(of place: WatchPlace) {
    if plan.remoteFileSystem == nil { plan.remoteFileSystem = remoteFileSystem(at: place.path) }
  }

  private func isImmutable(_ path: String) -> Bool {
    Self.immutableStores.contains { path == $0 || path.hasPrefix($0 + "/") }
  }
}
