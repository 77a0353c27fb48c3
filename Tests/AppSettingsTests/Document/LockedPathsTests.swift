import Testing

@testable import AppSettings

/// The tree of locked paths by itself. How layers use it is in `LockRuleTests`.
struct LockedPathsTests {
  private func locks(_ entries: (TOMLPath, Int)...) -> LockedPaths {
    var locks = LockedPaths()
    for (path, layer) in entries { locks.insert(path, layer: layer) }
    return locks
  }

  @Test func `an empty tree locks nothing`() {
    let locks = locks()
    #expect(locks.isEmpty && locks.parts == [])
    #expect(locks.lock(around: ["a"]) == nil && locks[["a"]] == nil)
  }

  @Test(
    arguments: [
      (["a"], nil), (["a", "b"], ["a", "b"]), (["a", "b", "c"], ["a", "b"]), (["a", "c"], nil), (["ab"], nil),
    ] as [(TOMLPath, TOMLPath?)])
  func `a lock is around its path and what is below it, and nothing else`(path: TOMLPath, lock: TOMLPath?) {
    #expect(locks((["a", "b"], 0)).lock(around: path)?.path == lock)
  }

  @Test func `of several locks around a path, that of the lowest layer counts`() {
    let outerIsLower = locks((["a", "b"], 2), (["a"], 1))
    #expect(outerIsLower.lock(around: ["a", "b"])?.path == ["a"])
    #expect(outerIsLower.lock(around: ["a", "b"])?.layer == 1)
    let innerIsLower = locks((["a"], 2), (["a", "b"], 1))
    #expect(innerIsLower.lock(around: ["a", "b"])?.path == ["a", "b"])
    #expect(innerIsLower.lock(around: ["a", "c"])?.layer == 2)
  }

  @Test func `a lock at or below what the same or a lower layer has locked adds nothing`() {
    let locks = locks((["a"], 1), (["a"], 2), (["a", "b"], 1), (["a", "c"], 3))
    #expect(locks.parts == [["a"]])
    #expect(locks[["a"]]?.parts == [])
    #expect(locks[["a"]]?.hasLockedPart(for: .max) == false)
  }

  @Test func `a layer is locked by those below it, not by itself`() throws {
    let at = try #require(locks((["a"], 1))["a"])
    #expect(!at.isLocked(for: 1) && at.isLocked(for: 2))
    let above = try #require(locks((["a", "b"], 1))["a"])
    #expect(!above.hasLockedPart(for: 1) && above.hasLockedPart(for: 2) && !above.isLocked(for: 2))
  }

  @Test func `parts are the outermost paths, of lower layers first`() {
    let locks = locks((["b", "x"], 2), (["a"], 3), (["c"], 1), (["c", "d"], 4), (["b", "w"], 2))
    #expect(locks.parts == [["c"], ["b", "w"], ["b", "x"], ["a"]])
    #expect(locks[["b"]]?.parts == [["w"], ["x"]])
  }

  @Test func `a union has the locks of both, each of the lower layer`() {
    var union = locks((["a"], 2), (["b", "c"], 1))
    union.formUnion(locks((["a"], 1), (["b", "d"], 3)))
    #expect(union.parts == [["a"], ["b", "c"], ["b", "d"]])
    #expect(union.lock(around: ["a"])?.layer == 1)
    #expect(union["b"]?.hasLockedPart(for: 2) == true)
  }

  @Test func `names are compared byte by byte`() {
    #expect(locks((["\u{E9}"], 0)).lock(around: ["e\u{301}"]) == nil)
  }

  // MARK: Values under locks

  private func counted(_ value: TOMLValue, _ entries: (TOMLPath, Int)...) -> TOMLValue? {
    var locks = LockedPaths()
    for (path, layer) in entries { locks.insert(path, layer: layer) }
    return value.counted(for: 1, under: locks)
  }

  @Test func `what a lower layer has locked is left out, and a table without anything else`() {
    #expect(counted(["a": 2, "b": 2, "c": 2], (["a"], 0)) == ["b": 2, "c": 2])
    #expect(counted(["t": ["a": 2, "b": 2]], (["t", "a"], 0)) == ["t": ["b": 2]])
    #expect(counted(["t": ["a": 2]], (["t", "a"], 0)) == nil)
    #expect(counted(["t": ["a": 2], "u": [:]], (["t", "a"], 0), (["u", "a"], 0)) == ["u": [:]])
  }

  @Test func `a value that is no table does not count in place of a table with a locked part`() {
    #expect(counted(["t": 5], (["t", "a"], 0)) == nil)
    #expect(counted(["t": 5], (["t", "a"], 1)) == ["t": 5])
  }
}
