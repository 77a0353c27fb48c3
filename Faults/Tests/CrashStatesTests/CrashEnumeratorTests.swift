import Testing

@testable import CrashStates

struct CrashEnumeratorTests {
  private let old = DiskTree(["f": .file(Array("old".utf8))])

  /// The contents that `f` may have, `nil` for no file; those after the acknowledgement at the end, or all.
  private func contents(
    _ lines: String, on tree: DiskTree, _ promise: CrashEnumerator.Promise, acknowledged: Bool = true
  ) throws -> Set<String?> {
    let model = try TraceReplayTests.replay(lines, on: tree).model
    var random = SystemRandomNumberGenerator()
    let result = CrashEnumerator(model, promise: promise).states(marks: [model.events.count], random: &random)
    #expect(result.isExhaustive)
    return Set(
      result.states.filter { !acknowledged || $0.value == 1 }.map { state, _ in
        state.bytes(at: "f").map { String(decoding: $0, as: UTF8.self).replacing("\0", with: "0") }
      })
  }

  private let durable = """
    1 open("/r", O_RDONLY|O_DIRECTORY) = 3
    1 open("/r/n", O_WRONLY|O_CREAT, 0600) = 4
    1 write(4, "new", 3) = 3
    1 fsync(4) = 0
    1 rename("/r/n", "/r/f") = 0
    1 fsync(3) = 0
    """

  @Test(arguments: CrashEnumerator.Promise.allCases)
  func `a synced, renamed and synced file is there`(_ promise: CrashEnumerator.Promise) throws {
    #expect(try contents(durable, on: old, promise) == ["new"])
    #expect(try contents(durable, on: old, promise, acknowledged: false) == ["old", "new"])
  }

  private let renamed = """
    1 open("/r/n", O_WRONLY|O_CREAT, 0600) = 4
    1 write(4, "new", 3) = 3
    1 rename("/r/n", "/r/f") = 0
    """

  @Test func `a rename without a sync may leave anything in the weak model`() throws {
    #expect(try contents(renamed, on: old, .weak) == ["old", "", "000", "new"])
  }

  @Test func `a rename over a file without a sync leaves a whole file on ext4`() throws {
    #expect(try contents(renamed, on: old, .ext4) == ["old", "new"])
  }

  @Test func `a rename to a new name without a sync may leave an empty file on ext4`() throws {
    #expect(try contents(renamed, on: DiskTree(), .ext4) == [nil, "", "new"])
  }

  @Test func `a rewrite in place may leave an empty file`() throws {
    let lines = """
      1 open("/r/f", O_WRONLY|O_TRUNC) = 4
      1 write(4, "news", 4) = 4
      """
    #expect(try contents(lines, on: old, .ext4) == ["old", "", "news"])
    #expect(try contents(lines, on: old, .weak).isSuperset(of: ["old", "", "news", "000", "0000", "old0", "new"]))
  }

  @Test func `a new directory is there once its parent is synced in the weak model`() throws {
    let lines = """
      1 mkdir("/r/d", 0700) = 0
      1 open("/r/d", O_RDONLY|O_DIRECTORY) = 3
      1 openat(3, "x", O_WRONLY|O_CREAT, 0600) = 4
      1 fsync(4) = 0
      1 fsync(3) = 0
      """
    func trees(_ lines: String, _ promise: CrashEnumerator.Promise) throws -> Set<[String]> {
      let model = try TraceReplayTests.replay(lines).model
      var random = SystemRandomNumberGenerator()
      let states = CrashEnumerator(model, promise: promise).states(marks: [model.events.count], random: &random).states
      return Set(states.filter { $0.value == 1 }.map { $0.key.nodes.keys.sorted() })
    }
    #expect(try trees(lines, .weak) == [[], ["d", "d/x"]])
    #expect(try trees(lines, .ext4) == [["d", "d/x"]])
    let parent = """

      1 open("/r", O_RDONLY|O_DIRECTORY) = 5
      1 fsync(5) = 0
      """
    #expect(try trees(lines + parent, .weak) == [["d", "d/x"]])
  }

  @Test func `a rename between directories may lose both names in the weak model alone`() throws {
    let tree = DiskTree(["a": .directory, "b": .directory, "a/f": .file([1])])
    let model = try TraceReplayTests.replay(#"1 rename("/r/a/f", "/r/b/f") = 0"#, on: tree).model
    func names(_ promise: CrashEnumerator.Promise) -> Set<[String]> {
      var random = SystemRandomNumberGenerator()
      return Set(
        CrashEnumerator(model, promise: promise).states(marks: [], random: &random).states.keys.map {
          $0.nodes.keys.filter { $0.hasSuffix("/f") }.sorted()
        })
    }
    #expect(names(.weak) == [[], ["a/f"], ["b/f"], ["a/f", "b/f"]])
    #expect(names(.ext4) == [["a/f"], ["b/f"]])
  }

  @Test func `an exchange is one step on ext4 and two in the weak model`() throws {
    let tree = DiskTree(["a": .file([1]), "f": .file([2])])
    let line = #"1 renameat2(AT_FDCWD, "a", AT_FDCWD, "f", RENAME_EXCHANGE) = 0"#
    let model = try TraceReplayTests.replay(line, on: tree).model
    var random = SystemRandomNumberGenerator()
    #expect(CrashEnumerator(model, promise: .ext4).states(marks: [], random: &random).states.count == 2)
    #expect(CrashEnumerator(model, promise: .weak).states(marks: [], random: &random).states.count == 4)
  }

  @Test func `a sync that began before a write ended does not cover it`() throws {
    let lines = """
      1 open("/r/f", O_WRONLY) = 3
      1 fsync(3 <unfinished ...>
      2 write(3, "new", 3) = 3
      1 <... fsync resumed>) = 0
      """
    let start = "1 clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_THREAD) = 2\n"
    #expect(try contents(start + lines, on: old, .weak) == ["old", "new"])
  }

  @Test func `blocks reach the disk each on its own, in order only on ext4`() throws {
    let data = String(repeating: "x", count: 4096 * 3)
    let lines = """
      1 open("/r", O_RDONLY|O_DIRECTORY) = 3
      1 open("/r/f", O_WRONLY|O_CREAT, 0600) = 4
      1 fsync(3) = 0
      1 write(4, "\(data)", \(data.utf8.count)) = \(data.utf8.count)
      """
    // Sizes of 0 to 3 blocks, of which each is there or zero.
    #expect(try contents(lines, on: DiskTree(), .weak).count == 1 + 2 + 4 + 8)
    #expect(try contents(lines, on: DiskTree(), .ext4).count == 1 + 3)
  }

  @Test func `more states than the limit are drawn at random`() throws {
    let lines = (0..<12).map { "1 mkdir(\"/r/d\($0)\", 0700) = 0" }.joined(separator: "\n")
    let model = try TraceReplayTests.replay(lines).model
    var random = SystemRandomNumberGenerator()
    let few = CrashEnumerator(model, promise: .weak, limit: 100).states(marks: [], random: &random)
    #expect(!few.isExhaustive)
    #expect(few.states.count > 100)
    let all = CrashEnumerator(model, promise: .weak).states(marks: [], random: &random)
    #expect(all.isExhaustive)
    #expect(all.states.count == 4096)
  }
}
