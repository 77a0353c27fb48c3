import Foundation
import Testing
import TestSupport

@testable import AppSettings

/// Replacing a file by a new one, in a directory that is open.
struct AtomicWriteTests {
  let home = ScratchHome()
  private struct Refusal: Error {}
  private var names: [String] { home.names(in: home.path) }
  private var file: String { home.path + "/f" }

  /// Replaces the file as a writer with the directory's lock does.
  @discardableResult
  private func replace(
    with text: String, newMode: UInt32 = 0o600, keepsDisplaced: Bool = false, system: Syscalls = Syscalls(),
    beforeRename: () throws -> Void = {}
  ) throws -> (write: AtomicWrite, displaced: String?) {
    let directory = try system.open(home.path, flags: O_RDONLY | O_DIRECTORY)
    defer { system.close(directory) }
    let source = try? Syscalls().open(file, flags: O_RDONLY)
    defer { if let source { system.close(source) } }
    var write = AtomicWrite(
      name: "f", directory: directory, directoryPath: home.path, system: system, newMode: newMode)
    let result = try write.replace(
      with: Array(text.utf8), keeping: try source.map { try Syscalls().status(of: $0, path: "f") }, of: source ?? -1,
      keepsDisplaced: keepsDisplaced, beforeRename: beforeRename)
    return (write, result.displaced)
  }

  @Test(arguments: [0o600, 0o640] as [UInt32]) func `a first file has the mode that is asked for`(mode: UInt32) throws {
    #expect(try replace(with: "new", newMode: mode).displaced == nil)
    #expect(home.text(of: file) == "new" && names == ["f"])
    #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == Int(mode))
  }

  @Test func `a file is replaced and keeps its mode`() throws {
    try home.write("old", to: file)
    chmod(file, 0o444)
    #expect(try replace(with: "new").displaced == nil)
    #expect(home.text(of: file) == "new" && names == ["f"])
    #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o444)
  }

  @Test func `what is replaced is set aside where that is asked for`() throws {
    try home.write("old", to: file)
    let displaced = try replace(with: "new", keepsDisplaced: true).displaced
    #expect(home.text(of: file) == "new")
    if let displaced {
      #expect(home.text(of: home.path + "/" + displaced) == "old" && names == [displaced, "f"])
    } else {
      #expect(names == ["f"], "the file system cannot exchange")
    }
  }

  @Test func `a first file replaces none that has come meanwhile`() throws {
    let file = file
    #expect(throws: Errno(EEXIST)) {
      try replace(with: "new") { try Data("theirs".utf8).write(to: URL(fileURLWithPath: file)) }
    }
    #expect(home.text(of: file) == "theirs" && names == ["f"])
  }

  @Test func `a refusal at the last moment leaves the old file and nothing else`() throws {
    try home.write("old", to: file)
    #expect(throws: Refusal.self) { try replace(with: "new") { throw Refusal() } }
    #expect(home.text(of: file) == "old" && names == ["f"])
  }

  @Test(arguments: [Syscalls.Call.open, .write, .fsync, .rename], [ENOSPC, EIO])
  func `a call that fails leaves the old file and nothing else`(call: Syscalls.Call, errno: CInt) throws {
    try home.write("old", to: file)
    #expect(throws: Errno(errno)) { try replace(with: "new", system: .failing(call, with: errno)) }
    #expect(home.text(of: file) == "old" && names == ["f"])
  }

  @Test func `what a killed writer left is taken away`() throws {
    try home.write("stray", to: home.path + "/" + BesideName.temporary(for: "f"))
    try replace(with: "new")
    #expect(home.text(of: file) == "new" && names == ["f"])
  }

  @Test func `a directory that has the temporary name is gone around, and what was left around it taken away`() throws {
    let taken = BesideName.temporary(for: "f")
    try home.write("", to: home.path + "/" + taken + "/inside")
    try home.write("stray", to: home.path + "/" + BesideName.substitute(for: taken))
    let write = try replace(with: "new").write
    #expect(write.temporary != taken && write.temporary.hasPrefix(taken))
    #expect(home.text(of: file) == "new" && names == [taken, "f"].sorted())
  }

  @Test func `what cannot be kept of the old file is named`() throws {
    try home.write("old", to: file)
    #expect(try replace(with: "new").write.lost == [])
    guard geteuid() == 0, chown(file, 65_534, 65_533) == 0 else { return }
    let write = try replace(with: "newer", system: .failing(.chown, with: EPERM)).write
    #expect(
      write.lost == ["the group 65533 (it is \(getegid()) now)", "the owner 65534 (it is \(geteuid()) now)"])
  }
}
