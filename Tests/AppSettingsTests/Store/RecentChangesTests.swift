import Testing

@testable import AppSettings

/// What has changed since an older state.
struct RecentChangesTests {
  @Test func `since the present state nothing has changed`() {
    var changes = RecentChanges()
    #expect(changes.since(changes.position) == [])
    changes.append([["a"]])
    #expect(changes.since(changes.position) == [])
  }

  @Test func `since an older state there are the paths of all changes after it, in order`() {
    var changes = RecentChanges()
    let start = changes.position
    changes.append([["a"]])
    let middle = changes.position
    changes.append([])
    changes.append([["b"], ["c"]])
    #expect(changes.since(middle) == [["b"], ["c"]])
    #expect(changes.since(start) == [["a"], ["b"], ["c"]])
  }

  @Test func `another store's state is unknown, and so is none`() {
    var changes = RecentChanges()
    var other = RecentChanges()
    changes.append([["a"]])
    other.append([["a"]])
    #expect(changes.since(other.position) == nil)
    #expect(changes.since(RecentChanges.Position()) == nil)
  }

  @Test func `a state of the future, as after a copy, is unknown`() {
    var changes = RecentChanges()
    let copy = changes
    changes.append([["a"]])
    #expect(copy.since(changes.position) == nil)
  }

  @Test func `of many changes the newest are known, and an older state is not`() {
    var changes = RecentChanges()
    var positions: [RecentChanges.Position] = []
    for number in 0..<2_000 {
      positions.append(changes.position)
      changes.append([["\(number)"]])
    }
    #expect(changes.since(positions[2_000 - 256]) == (1_744..<2_000).map { ["\($0)"] })
    #expect(changes.since(positions[2_000 - 513]) == nil)
    #expect(changes.since(positions[0]) == nil)
  }

  @Test func `a change of more paths than are kept is forgotten with those before it`() {
    var changes = RecentChanges()
    let start = changes.position
    changes.append((0..<1_000).map { ["\($0)"] })
    #expect(changes.since(start) == nil)
    let after = changes.position
    changes.append([["a"]])
    #expect(changes.since(after) == [["a"]])
  }
}
