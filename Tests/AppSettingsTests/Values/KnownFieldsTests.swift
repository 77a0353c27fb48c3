import Testing

@testable import AppSettings

/// What stays of the value in the file when a new one is written.
struct KnownFieldsTests {
  /// A record that knows `a`, and a record `r` in it that knows `b`.
  private static let record = KnownFields.record(["a": .whole, "r": .record(["b": .whole])])

  @Test(
    arguments: [
      // A field that is known is replaced, and one that is not stays.
      (["a": 2], ["a": 1, "own": 3], ["a": 2, "own": 3]),
      // A known field that is not written goes.
      ([:], ["a": 1, "own": 3], ["own": 3]),
      // So it is within a record.
      (["r": ["b": 2]], ["r": ["b": 1, "own": 3]], ["r": ["b": 2, "own": 3]]),
      ([:], ["r": ["b": 1, "own": 3]], [:]),
      // What is no record now is replaced.
      (["r": 1], ["r": ["b": 1, "own": 3]], ["r": 1]), (["r": ["b": 1]], ["r": 7], ["r": ["b": 1]]),
      (1, ["own": 3], 1), (["a": 1], 7, ["a": 1]),
    ] as [(TOMLValue, TOMLValue, TOMLValue)])
  func `a record keeps the fields that its type does not know`(
    written: TOMLValue, stored: TOMLValue, merged: TOMLValue
  ) {
    #expect(Self.record.merge(written, over: stored) == merged)
  }

  @Test func `a whole value keeps nothing`() {
    #expect(KnownFields.whole.merge(["a": 1], over: ["own": 3]) == ["a": 1])
  }

  @Test func `a dictionary has the entries that were written, with what they do not know`() {
    let known = KnownFields.entries(["x": Self.record, "new": Self.record])
    let merged = known.merge(
      ["x": ["a": 2], "new": ["a": 1]], over: ["x": ["a": 1, "own": 3], "gone": ["a": 1, "own": 3]])
    #expect(merged == ["x": ["a": 2, "own": 3], "new": ["a": 1]])
  }

  @Test(
    arguments: [
      // Changed in place.
      ([["a": 1], ["a": 9]], [["a": 1, "own": 1], ["a": 9, "own": 2]]),
      // One before, one behind, one in the middle.
      ([["a": 0], ["a": 1], ["a": 2]], [["a": 0], ["a": 1, "own": 1], ["a": 2, "own": 2]]),
      ([["a": 1], ["a": 2], ["a": 3]], [["a": 1, "own": 1], ["a": 2, "own": 2], ["a": 3]]),
      ([["a": 1], ["a": 7], ["a": 2]], [["a": 1, "own": 1], ["a": 7], ["a": 2, "own": 2]]),
      // Removed, and moved with another added.
      ([["a": 2]], [["a": 2, "own": 2]]), ([], []),
      ([["a": 2], ["a": 7], ["a": 1]], [["a": 2, "own": 2], ["a": 7], ["a": 1, "own": 1]]),
      // Moved among as many: what it had at its place does not become another one's.
      ([["a": 2], ["a": 1]], [["a": 2, "own": 2], ["a": 1, "own": 1]]),
      ([["a": 2], ["a": 9]], [["a": 2, "own": 2], ["a": 9]]),
    ] as [(TOMLValue, TOMLValue)])
  func `an element of an array keeps what its type does not know, wherever it goes`(
    written: TOMLValue, merged: TOMLValue
  ) throws {
    guard case .array(let elements) = written else { return }
    let known = KnownFields.elements(elements.map { _ in Self.record })
    #expect(known.merge(written, over: [["a": 1, "own": 1], ["a": 2, "own": 2]]) == merged)
  }

  @Test func `a set keeps the order of the file, with what is new behind it`() {
    let known = KnownFields.set([.whole, .whole, .whole]) { $0.map { _ in nil } }
    #expect(known.merge(["new", "b", "a"], over: ["a", "gone", "b"]) == ["a", "b", "new"])
  }

  @Test func `an element of a set keeps what its type does not know`() {
    let known = KnownFields.set([Self.record, Self.record]) { $0.map { _ in nil } }
    #expect(
      known.merge([["a": 3], ["a": 1]], over: [["a": 1, "own": 1], ["a": 2, "own": 2]])
        == [["a": 1, "own": 1], ["a": 3]])
  }

  @Test(
    arguments: [
      (["a": 1, "own": 3], ["own": 3]), (["a": 1], [:]), (["r": ["b": 1]], [:]),
      (["a": 1, "r": ["b": 1, "own": 3]], ["r": ["own": 3]]), (["r": 7], [:]), (7, [:]),
    ] as [(TOMLValue, TOMLValue)])
  func `taking out a record takes the fields that its type knows`(stored: TOMLValue, rest: TOMLValue) {
    #expect(Self.record.remove(from: stored) == rest)
  }

  @Test func `taking out another value takes all of it`() {
    #expect(KnownFields.whole.remove(from: ["own": 3]) == [:])
    #expect(KnownFields.entries(["own": .whole]).remove(from: ["own": 3, "other": 1]) == [:])
  }
}
