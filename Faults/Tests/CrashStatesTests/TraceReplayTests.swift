import Glibc
import Testing

@testable import CrashStates

struct TraceReplayTests {
  /// Carries out lines as strace writes them, with plain strings for readers.
  static func replay(_ lines: String, on tree: DiskTree = DiskTree()) throws -> TraceReplay {
    var replay = TraceReplay(tree, root: "/r")
    try replay.run(try TraceParser.parse(hexadecimal(lines)), workingDirectory: "/r")
    return replay
  }

  static func hexadecimal(_ lines: String) -> String {
    var isQuoted = false
    var result = ""
    for character in lines {
      if character == "\"" {
        isQuoted.toggle()
        result.append(character)
      } else if isQuoted {
        for byte in character.utf8 {
          result += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
      } else {
        result.append(character)
      }
    }
    return result
  }

  @Test func `a written and renamed file is where it was renamed to`() throws {
    let replay = try Self.replay(
      """
      1 openat(AT_FDCWD, "/r/d/.new", O_WRONLY|O_CREAT|O_EXCL|O_CLOEXEC, 0600) = 3
      1 write(3, "new", 3) = 3
      1 close(3) = 0
      1 renameat(AT_FDCWD, "d/.new", AT_FDCWD, "d/f") = 0
      """, on: DiskTree(["d": .directory, "d/f": .file(Array("old".utf8))]))
    #expect(replay.model.tree == DiskTree(["d": .directory, "d/f": .file(Array("new".utf8))]))
    #expect(replay.model.events.count == 4)
  }

  @Test func `an exchange leaves each file under the name of the other`() throws {
    let replay = try Self.replay(
      #"1 renameat2(AT_FDCWD, "a", AT_FDCWD, "/r/b", RENAME_EXCHANGE) = 0"#,
      on: DiskTree(["a": .file([1]), "b": .file([2])]))
    #expect(replay.model.tree == DiskTree(["a": .file([2]), "b": .file([1])]))
  }

  @Test func `duplicates of a descriptor share its position`() throws {
    let replay = try Self.replay(
      """
      1 open("/r/f", O_WRONLY|O_CREAT, 0600) = 3
      1 dup2(3, 1) = 1
      1 write(1, "ab", 2) = 2
      1 vfork( <unfinished ...>
      2 write(1, "cd", 2) = 2
      1 <... vfork resumed>) = 2
      1 write(3, "ef", 2) = 2
      """)
    #expect(replay.model.tree.bytes(at: "f") == Array("abcdef".utf8))
    #expect(replay.outputs == [])
  }

  @Test func `what closes on exec is closed by exec`() throws {
    let replay = try Self.replay(
      """
      1 open("/r/f", O_WRONLY|O_CREAT|O_CLOEXEC, 0600) = 3
      1 execve("/bin/x", ["x"], 0x7ffe /* 3 vars */) = 0
      1 write(3, "ab", 2) = 2
      """)
    #expect(replay.model.tree.bytes(at: "f") == [])
  }

  @Test func `links and dots in paths are followed`() throws {
    let tree = DiskTree(["real": .directory, "link": .symbolicLink("real"), "f": .symbolicLink("link/./../real/g")])
    let replay = try Self.replay(
      """
      1 open("/r/f", O_WRONLY|O_CREAT, 0600) = 3
      1 write(3, "ab", 2) = 2
      1 open("link", O_RDONLY|O_DIRECTORY) = 4
      1 unlinkat(4, "../f", 0) = 0
      1 mkdirat(4, "sub", 0700) = 0
      """, on: tree)
    #expect(
      replay.model.tree
        == DiskTree([
          "real": .directory, "real/g": .file(Array("ab".utf8)), "real/sub": .directory, "link": .symbolicLink("real"),
        ]))
  }

  @Test(arguments: ["/r/a/..", "/r/a/b/../..", "/r/.", "a/.."])
  func `a path that ends with dots leads to a directory`(path: String) throws {
    let replay = try Self.replay(
      """
      1 openat(AT_FDCWD, "\(path)", O_RDONLY|O_DIRECTORY) = 3
      1 unlinkat(3, "f", 0) = 0
      """, on: DiskTree(["a": .directory, "a/b": .directory, "f": .file([1])]))
    #expect(replay.model.tree == DiskTree(["a": .directory, "a/b": .directory]))
  }

  @Test func `a second name of a file is a hard link`() throws {
    let replay = try Self.replay(
      #"1 link("/r/a", "/r/b") = 0"#, on: DiskTree(["a": .file([1])]))
    #expect(replay.model.tree == DiskTree(["a": .file([1]), "b": .hardLink("a")]))
  }

  @Test func `writes to the standard output are noted with what came before them`() throws {
    let replay = try Self.replay(
      """
      1 mkdir("/r/d", 0700) = 0
      1 write(1, "x", 1) = 1
      1 mkdir("/r/e", 0700) = 0
      """)
    #expect(replay.outputs == [1])
  }

  @Test func `what failed changes nothing`() throws {
    let replay = try Self.replay(
      """
      1 mkdir("/r/d", 0700) = -1 EEXIST (File exists)
      1 rename("/r/d", "/r/e") = ?
      """, on: DiskTree(["d": .directory]))
    #expect(replay.model.events.isEmpty)
  }

  @Test func `a shared writable memory map is refused`() {
    #expect(throws: CrashStatesError.self) {
      try Self.replay(
        """
        1 open("/r/f", O_RDWR) = 3
        1 mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 3, 0) = 0x7f0000000000
        """, on: DiskTree(["f": .file([1])]))
    }
  }

  @Test func `a tree is written and read again`() throws {
    let tree = DiskTree([
      "d": .directory, "d/a": .file([1, 2]), "d/b": .hardLink("d/a"), "l": .symbolicLink("d/a"), "e": .directory,
    ])
    var template = Array("/tmp/crash-states-XXXXXX".utf8CString)
    let path = try #require(mkdtemp(&template).map { String(cString: $0) })
    defer {
      for name in ["d/a", "d/b", "l"] { unlink(path + "/" + name) }
      for name in ["/d", "/e", ""] { rmdir(path + name) }
    }
    try tree.write(to: path)
    #expect(try DiskTree(readingFrom: path) == tree)
    #expect(tree.bytes(at: "l") == [1, 2])
  }
}
