// What the suite uses is public, since it has no access to what is `package`; no product has it.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Applies the calls of a trace to a model, as the kernel applied them to the file system.
public struct TraceReplay {
  public private(set) var model: DiskModel
  /// For each write to the command's standard output, the number of events before it.
  public private(set) var outputs: [Int] = []

  private let walk: PathWalk
  private var processes: [Int: ProcessFiles] = [:]
  /// Calls that make processes and have not returned: the child may be seen first.
  private var beginning: [Int: TracedCall] = [:]
  private var standardOutput: ProcessFiles.Description?

  typealias Place = ProcessFiles.Place
  typealias Description = ProcessFiles.Description

  /// - Parameters:
  ///   - tree: What is on disk in the beginning.
  ///   - root: The directory that holds it: absolute, without links.
  public init(_ tree: DiskTree, root: String) {
    model = DiskModel(tree)
    walk = PathWalk(root: root)
  }

  /// Applies the trace of one more command.
  ///
  /// - Throws: ``CrashStatesError`` for what is not modelled: shared writable memory maps, io_uring, copies from
  ///   files outside of what is recorded.
  public mutating func run(_ items: [TraceParser.Item], workingDirectory: String) throws {
    processes = [:]
    beginning = [:]
    // Lines of different commands must not be mixed up.
    let offset = (model.events.last?.line ?? 0) + 1
    for item in items {
      switch item {
      case .begin(let call):
        if Self.makesProcess(call.name) { beginning[call.pid] = call }
      case .end(var call):
        call.begin += offset
        call.end += offset
        try carryOut(call, workingDirectory)
      }
    }
  }

  /// The calls that have to be traced.
  public static let traced = [
    "open", "openat", "openat2", "creat", "close", "close_range", "dup", "dup2", "dup3", "fcntl", "read", "readv",
    "write", "pwrite64", "writev", "pwritev", "pwritev2", "lseek", "ftruncate", "truncate", "fallocate", "rename",
    "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat", "unlink", "unlinkat", "mkdir", "mkdirat",
    "rmdir", "fsync", "fdatasync", "sync", "syncfs", "sync_file_range", "msync", "mmap", "copy_file_range", "sendfile",
    "splice", "ioctl", "chdir", "fchdir", "clone", "clone3", "fork", "vfork", "unshare", "execve", "execveat",
    "io_uring_setup",
  ]

  private static func makesProcess(_ name: String) -> Bool { ["clone", "clone3", "fork", "vfork"].contains(name) }

  // MARK: Processes

  private mutating func files(of call: TracedCall, _ workingDirectory: String) throws -> ProcessFiles {
    if let files = processes[call.pid] { return files }
    let files: ProcessFiles
    if processes.isEmpty {
      let place: Place = workingDirectory == walk.root ? .inside(DiskModel.top) : .outside(workingDirectory)
      files = ProcessFiles(workingDirectory: .init(place))
      for number in 0...2 {
        let description = Description(.outside("/dev/fd/\(number)"), isWritable: number > 0)
        files.descriptors[number] = .init(description: description, closesOnExec: false)
        if number == 1 { standardOutput = description }
      }
    } else if let maker = beginning.values.min(by: { $0.begin < $1.begin }), let parent = processes[maker.pid] {
      files = Self.child(of: parent, maker)
    } else {
      throw CrashStatesError("the trace does not say where process \(call.pid) comes from")
    }
    processes[call.pid] = files
    return files
  }

  private static func child(of parent: ProcessFiles, _ call: TracedCall) -> ProcessFiles {
    let flags = call.arguments.joined(separator: ",")
    if flags.contains("CLONE_FILES") { return parent }
    let child = parent.copy()
    if flags.contains("CLONE_FS") { child.workingDirectory = parent.workingDirectory }
    return child
  }

  // MARK: Calls

  private mutating func carryOut(_ call: TracedCall, _ workingDirectory: String) throws {
    let files = try files(of: call, workingDirectory)
    if Self.makesProcess(call.name) {
      beginning[call.pid] = nil
      if let child = call.result, child > 0, processes[child] == nil {
        processes[child] = Self.child(of: files, call)
      }
      return
    }
    guard call.succeeded else { return }
    switch call.name {
    case "open", "creat", "openat", "openat2": try open(call, files)
    case "close", "close_range", "dup", "dup2", "dup3", "fcntl", "execve", "execveat": try changeTable(call, files)
    case "read", "readv", "lseek", "write", "pwrite64", "writev", "pwritev", "pwritev2": try moveBytes(call, files)
    case "ftruncate", "truncate", "fallocate": try resize(call, files)
    case "copy_file_range", "sendfile", "splice", "ioctl", "mmap": try copy(call, files)
    case "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat", "unlink", "unlinkat", "mkdir",
      "mkdirat", "rmdir":
      try changeEntries(call, files)
    case "fsync", "fdatasync":
      if let inode = inode(try call.number(0), files) {
        model.sync(inode, begin: call.begin, line: call.end, call: call.name)
      }
    case "sync", "syncfs": model.sync(nil, begin: call.begin, line: call.end, call: call.name)
    case "chdir":
      let place = walk.place(try call.string(0), from: files.workingDirectory.place, in: model, followsLast: true)
      files.workingDirectory.place = place ?? .outside("/")
    case "fchdir":
      if let place = files.descriptors[try call.number(0)]?.description.place { files.workingDirectory.place = place }
    case "io_uring_setup": throw CrashStatesError("io_uring is not modelled (line \(call.end) of the trace)")
    // sync_file_range(2): "This system call is extremely dangerous": it promises nothing that counts here. Nor does
    // msync, as no writable shared memory map is let through.
    case "sync_file_range", "msync", "unshare": break
    default: throw CrashStatesError("\(call.name) is not modelled (line \(call.end) of the trace)")
    }
  }

  private func inode(_ descriptor: Int, _ files: ProcessFiles) -> Int? {
    guard case .inside(let inode) = files.descriptors[descriptor]?.description.place else { return nil }
    return inode
  }

  /// Where a path relative to a descriptor begins.
  private func base(_ call: TracedCall, _ index: Int?, _ files: ProcessFiles) throws -> Place {
    guard let index else { return files.workingDirectory.place }
    let number = try call.number(index)
    return number == -100 ? files.workingDirectory.place : files.descriptors[number]?.description.place ?? .outside("/")
  }

  private mutating func open(_ call: TracedCall, _ files: ProcessFiles) throws {
    let isRelative = call.name.hasPrefix("openat")
    let path = try call.string(isRelative ? 1 : 0)
    var flags = call.name == "creat" ? ["O_WRONLY", "O_CREAT", "O_TRUNC"] : call.flags(isRelative ? 2 : 1)
    if call.name == "openat2" {
      let how = try call.argument(2)
      let text = how.split(separator: ",").first { $0.contains("flags=") }?.split(separator: "=").last ?? ""
      flags = Set(text.split(separator: "|"))
    }
    let base = try base(call, isRelative ? 0 : nil, files)
    let isWritable = flags.contains("O_WRONLY") || flags.contains("O_RDWR")
    let isExclusive = flags.contains("O_CREAT") && flags.contains("O_EXCL")
    let follows = !flags.contains("O_NOFOLLOW") && !isExclusive
    var place = walk.place(path, from: base, in: model, followsLast: follows) ?? .outside(path)
    if flags.contains("O_TMPFILE"), case .inside = place {
      place = .inside(model.make(.file))
    } else if let target = walk.target(path, from: base, in: model, followsLast: follows) {
      if let inode = target.inode {
        place = .inside(inode)
        if flags.contains("O_TRUNC"), isWritable { model.resize(inode, to: 0, line: call.end, call: call.name) }
      } else if flags.contains("O_CREAT") {
        let inode = model.make(.file)
        model.setEntry(target.name, in: target.directory, to: inode, line: call.end, call: call.name)
        place = .inside(inode)
      }
    }
    files.descriptors[call.result!] = .init(
      description: Description(place, appends: flags.contains("O_APPEND"), isWritable: isWritable),
      closesOnExec: flags.contains("O_CLOEXEC"))
  }

  private func changeTable(_ call: TracedCall, _ files: ProcessFiles) throws {
    switch call.name {
    case "close": files.descriptors[try call.number(0)] = nil
    case "close_range":
      let first = try call.number(0)
      let last = try call.number(1)
      for number in files.descriptors.keys where number >= first && number <= last {
        if call.flags(2).contains("CLOSE_RANGE_CLOEXEC") {
          files.descriptors[number]?.closesOnExec = true
        } else {
          files.descriptors[number] = nil
        }
      }
    case "fcntl":
      let number = try call.number(0)
      switch try call.argument(1) {
      case "F_DUPFD": files.duplicate(number, to: call.result!, closesOnExec: false)
      case "F_DUPFD_CLOEXEC": files.duplicate(number, to: call.result!, closesOnExec: true)
      case "F_SETFD": files.descriptors[number]?.closesOnExec = call.flags(2).contains("FD_CLOEXEC")
      default: break
      }
    case "execve", "execveat":
      for (number, descriptor) in files.descriptors where descriptor.closesOnExec { files.descriptors[number] = nil }
    default:
      let number = try call.number(0)
      if number != call.result! {
        files.duplicate(number, to: call.result!, closesOnExec: call.flags(2).contains("O_CLOEXEC"))
      }
    }
  }

  private mutating func moveBytes(_ call: TracedCall, _ files: ProcessFiles) throws {
    let count = call.result!
    guard let description = files.descriptors[try call.number(0)]?.description else { return }
    guard case .inside(let inode) = description.place else {
      if call.name.hasPrefix("write"), description === standardOutput, count > 0 { outputs.append(model.events.count) }
      return
    }
    switch call.name {
    case "read", "readv": description.offset += count
    case "lseek": description.offset = count
    default:
      let all = call.name.contains("v") ? try call.vector(1) : try call.bytes(1)
      guard all.count >= count else {
        throw CrashStatesError("the trace has only a part of what was written (line \(call.end))")
      }
      let isPositioned = call.name.hasPrefix("p")
      var offset = isPositioned ? try call.number(3) : description.offset
      if description.appends || (isPositioned && offset < 0) { offset = model.size(of: inode) }
      model.write(Array(all[..<count]), to: inode, at: offset, line: call.end, call: call.name)
      if !isPositioned { description.offset = offset + count }
    }
  }

  private mutating func resize(_ call: TracedCall, _ files: ProcessFiles) throws {
    let inode: Int?
    if call.name == "truncate" {
      let base = files.workingDirectory.place
      inode = walk.target(try call.string(0), from: base, in: model, followsLast: true)?.inode
    } else {
      inode = self.inode(try call.number(0), files)
    }
    guard let inode else { return }
    guard call.name == "fallocate" else {
      return model.resize(inode, to: try call.number(1), line: call.end, call: call.name)
    }
    switch try call.argument(1) {
    case "0":
      let size = try call.number(2) + call.number(3)
      if size > model.size(of: inode) { model.resize(inode, to: size, line: call.end, call: call.name) }
    case "FALLOC_FL_KEEP_SIZE": break
    default: throw CrashStatesError("fallocate \(try call.argument(1)) is not modelled")
    }
  }

  /// Calls that move bytes between files without showing them in the trace, and memory maps.
  private mutating func copy(_ call: TracedCall, _ files: ProcessFiles) throws {
    switch call.name {
    case "mmap":
      let number = try call.number(4)
      guard inode(number, files) != nil, files.descriptors[number]?.description.isWritable == true,
        call.flags(2).contains("PROT_WRITE"), call.flags(3).contains("MAP_SHARED")
      else { return }
      throw CrashStatesError("a file is written through a memory map, which is not modelled (line \(call.end))")
    case "ioctl":
      guard try call.argument(1).hasPrefix("FICLONE") else { return }
      let target = inode(try call.number(0), files)
      let source = try call.argument(1) == "FICLONE" ? inode(try call.number(2), files) : nil
      if target == nil { return }
      guard let target, let source else { throw CrashStatesError("this form of FICLONE is not modelled") }
      model.write(model.bytes(of: source), to: target, at: 0, line: call.end, call: call.name)
    default:
      let isRange = call.name == "copy_file_range"
      let takesFirst = call.name != "sendfile"
      let source = files.descriptors[try call.number(takesFirst ? 0 : 1)]?.description
      let target = files.descriptors[try call.number(isRange || call.name == "splice" ? 2 : 0)]?.description
      guard let target, case .inside(let inode) = target.place else {
        source?.offset += call.result!
        return
      }
      guard call.name != "splice", let source, case .inside(let original) = source.place,
        try call.argument(isRange ? 1 : 2) == "NULL", !isRange || call.arguments[3] == "NULL"
      else { throw CrashStatesError("\(call.name) from elsewhere is not modelled (line \(call.end))") }
      let bytes = model.bytes(of: original).dropFirst(source.offset).prefix(call.result!)
      model.write(Array(bytes), to: inode, at: target.offset, line: call.end, call: call.name)
      source.offset += call.result!
      target.offset += call.result!
    }
  }
}

// MARK: Entries

extension TraceReplay {
  private mutating func changeEntries(_ call: TracedCall, _ files: ProcessFiles) throws {
    func target(_ path: Int, from descriptor: Int? = nil, followsLast: Bool = false) throws -> PathWalk.Target? {
      let base = try base(call, descriptor, files)
      return walk.target(try call.string(path), from: base, in: model, followsLast: followsLast)
    }
    func set(_ target: PathWalk.Target?, to inode: Int?, call name: String? = nil) {
      guard let target else { return }
      model.setEntry(target.name, in: target.directory, to: inode, line: call.end, call: name ?? call.name)
    }
    switch call.name {
    case "rename", "renameat", "renameat2":
      let isPlain = call.name == "rename"
      let old = try target(isPlain ? 0 : 1, from: isPlain ? nil : 0)
      let new = try target(isPlain ? 1 : 3, from: isPlain ? nil : 2)
      guard (old == nil) == (new == nil) else {
        throw CrashStatesError("a file is moved out of what is recorded, or into it (line \(call.end))")
      }
      guard let old, let new, old.inode != new.inode else { return }
      let isExchange = call.flags(4).contains("RENAME_EXCHANGE")
      set(new, to: old.inode, call: isExchange ? "exchange" : nil)
      set(old, to: isExchange ? new.inode : nil, call: isExchange ? "exchange" : nil)
    case "link", "linkat":
      let isPlain = call.name == "link"
      let new = try target(isPlain ? 1 : 3, from: isPlain ? nil : 2)
      guard let new else { return }
      var inode: Int?
      if !isPlain, let text = try? call.string(1), text.isEmpty {
        inode = self.inode(try call.number(0), files)
      } else if !isPlain, let number = Int(try call.string(1).trimmingPrefix("/proc/self/fd/")) {
        inode = self.inode(number, files)
      } else {
        let follows = call.flags(4).contains("AT_SYMLINK_FOLLOW")
        inode = try target(isPlain ? 0 : 1, from: isPlain ? nil : 0, followsLast: follows)?.inode
      }
      guard let inode else { throw CrashStatesError("a link leads to what is not recorded (line \(call.end))") }
      set(new, to: inode)
    case "symlink", "symlinkat":
      guard let new = try target(call.name == "symlink" ? 1 : 2, from: call.name == "symlink" ? nil : 1) else { return }
      set(new, to: model.make(.symbolicLink(try call.string(0))))
    case "mkdir", "mkdirat":
      let isPlain = call.name == "mkdir"
      guard let new = try target(isPlain ? 0 : 1, from: isPlain ? nil : 0) else { return }
      set(new, to: model.make(.directory))
    default:
      set(try target(call.name == "unlinkat" ? 1 : 0, from: call.name == "unlinkat" ? 0 : nil), to: nil)
    }
  }
}

// What descriptors share is in objects of one thread.
@available(*, unavailable)
extension TraceReplay: Sendable {}
