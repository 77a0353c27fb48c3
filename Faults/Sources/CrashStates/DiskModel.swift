// What the suite uses is public, since it has no access to what is `package`; no product has it.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// A file system with its history: what each call changed, and what each `fsync` made durable.
///
/// ``CrashEnumerator`` derives the states of a disk from it. It has the content of files, the entries of directories
/// and the targets of symbolic links, and ignores modes, owners, times and extended attributes.
public struct DiskModel: Sendable {
  public enum Kind: Sendable, Equatable { case file, directory, symbolicLink(String) }

  /// A change that can reach the disk independently, or a sync.
  public enum Change: Sendable, Equatable {
    /// A name in a directory leads to an inode from now on, or to nothing.
    case entry(directory: Int, name: String, inode: Int?)
    case write(inode: Int, offset: Int, bytes: [UInt8])
    case resize(inode: Int, size: Int)
    /// A file's content, or a directory's entries, as of the events with a smaller line, are on disk.
    case sync(inode: Int, line: Int)
    /// Everything as of the events with a smaller line is on disk.
    case syncAll(line: Int)
  }

  public struct Event: Sendable {
    public var change: Change
    /// Where in the trace the call that did it ended. Both entries of a rename have the same.
    public var line: Int
    /// The call, for messages.
    public var name: String
  }

  struct Inode: Sendable {
    var kind: Kind
    /// As programs see it now.
    var bytes: [UInt8] = []
    var entries: [String: Int] = [:]
    /// What was on disk at the beginning.
    var initialBytes: [UInt8] = []
    var initialEntries: [String: Int] = [:]
    var parent: Int?
  }

  public static let top = 0

  private(set) var inodes: [Inode] = [Inode(kind: .directory)]
  public private(set) var events: [Event] = []

  /// A file system with a tree that is on disk, whole.
  public init(_ tree: DiskTree) {
    for (path, node) in tree.nodes.sorted(by: { $0.key < $1.key }) {
      switch node {
      case .directory: place(add(.directory), path)
      case .symbolicLink(let target): place(add(.symbolicLink(target)), path)
      case .file(let bytes):
        let inode = add(.file)
        inodes[inode].bytes = bytes
        inodes[inode].initialBytes = bytes
        place(inode, path)
      case .hardLink: break
      }
    }
    for case (let path, .hardLink(let first)) in tree.nodes { place(find(first)!, path) }
  }

  // MARK: What is there now

  public func kind(of inode: Int) -> Kind { inodes[inode].kind }
  public func size(of inode: Int) -> Int { inodes[inode].bytes.count }
  public func bytes(of inode: Int) -> [UInt8] { inodes[inode].bytes }
  public func entry(_ name: String, in directory: Int) -> Int? { inodes[directory].entries[name] }
  public func parent(of directory: Int) -> Int? { inodes[directory].parent }

  /// The tree as programs see it.
  public var tree: DiskTree {
    DiskTree(from: self, entries: { self.inodes[$0].entries }, content: { self.inodes[$0].bytes })
  }

  /// The tree as programs saw it after so many events.
  public func tree(after count: Int) -> DiskTree {
    var entries = inodes.map(\.initialEntries)
    var contents = inodes.map(\.initialBytes)
    for event in events[..<count] {
      switch event.change {
      case .entry(let directory, let name, let inode): entries[directory][name] = inode
      case .write(let inode, _, _), .resize(let inode, _): event.change.apply(to: &contents[inode])
      case .sync, .syncAll: break
      }
    }
    return DiskTree(from: self, entries: { entries[$0] }, content: { contents[$0] })
  }

  // MARK: What changes it

  public mutating func make(_ kind: Kind) -> Int { add(kind) }

  public mutating func setEntry(_ name: String, in directory: Int, to inode: Int?, line: Int, call: String) {
    inodes[directory].entries[name] = inode
    if let inode, inodes[inode].kind == .directory { inodes[inode].parent = directory }
    events.append(Event(change: .entry(directory: directory, name: name, inode: inode), line: line, name: call))
  }

  public mutating func write(_ bytes: [UInt8], to inode: Int, at offset: Int, line: Int, call: String) {
    guard !bytes.isEmpty else { return }
    inodes[inode].bytes.overwrite(with: bytes, at: offset)
    events.append(Event(change: .write(inode: inode, offset: offset, bytes: bytes), line: line, name: call))
  }

  public mutating func resize(_ inode: Int, to size: Int, line: Int, call: String) {
    guard inodes[inode].bytes.count != size else { return }
    inodes[inode].bytes.resize(to: size)
    events.append(Event(change: .resize(inode: inode, size: size), line: line, name: call))
  }

  /// - Parameter begin: The line on which the call began: what ended later may have come too late for it.
  public mutating func sync(_ inode: Int?, begin: Int, line: Int, call: String) {
    let change = inode.map { Change.sync(inode: $0, line: begin) } ?? .syncAll(line: begin)
    events.append(Event(change: change, line: line, name: call))
  }

  private mutating func add(_ kind: Kind) -> Int {
    inodes.append(Inode(kind: kind))
    return inodes.count - 1
  }

  private func find(_ path: String) -> Int? {
    path.split(separator: "/").reduce(Self.top) { inode, name in inode.flatMap { inodes[$0].entries[String(name)] } }
  }

  private mutating func place(_ inode: Int, _ path: String) {
    let parts = path.split(separator: "/").map(String.init)
    let directory = find(parts.dropLast().joined(separator: "/"))!
    inodes[directory].entries[parts.last!] = inode
    inodes[directory].initialEntries[parts.last!] = inode
    if inodes[inode].kind == .directory { inodes[inode].parent = directory }
  }
}

extension DiskTree {
  /// Walks from the top of a model, by the entries and the contents that a state has.
  init(from model: DiskModel, entries: (Int) -> [String: Int], content: (Int) -> [UInt8]) {
    self.init()
    var names: [Int: String] = [:]
    var above: Set<Int> = []
    func visit(_ directory: Int, _ path: String) {
      // A directory that was moved into one of its own: only half of that is on disk.
      guard above.insert(directory).inserted else { return }
      defer { above.remove(directory) }
      for (name, inode) in entries(directory).sorted(by: { $0.key < $1.key }) {
        let child = path.isEmpty ? name : path + "/" + name
        switch model.kind(of: inode) {
        case .directory:
          nodes[child] = .directory
          visit(inode, child)
        case .symbolicLink(let target): nodes[child] = .symbolicLink(target)
        case .file:
          if let first = names[inode] {
            nodes[child] = .hardLink(first)
          } else {
            names[inode] = child
            nodes[child] = .file(content(inode))
          }
        }
      }
    }
    visit(DiskModel.top, "")
  }
}

extension [UInt8] {
  mutating func resize(to size: Int) {
    if size < count { removeLast(count - size) } else { self += [UInt8](repeating: 0, count: size - count) }
  }

  mutating func overwrite(with bytes: some Collection<UInt8>, at offset: Int) {
    if offset + bytes.count > count { resize(to: offset + bytes.count) }
    replaceSubrange(offset..<offset + bytes.count, with: bytes)
  }
}
