import Testing
import TestSupport

@testable import AppSettings

/// The last decoded value of a key, by the state it is of.
struct ValueCacheTests {
  private final class Thing: Sendable {}

  @Test func `an empty cache has no value for any state`() {
    for stamp in [0, 1, UInt64.max - 1] {
      #expect(ValueCache<Int>().value(at: stamp) == nil)
      #expect(ValueCache<String>().value(at: stamp) == nil)
    }
  }

  @Test func `a value is there for its state, and for no other`() {
    func check<Value: Sendable & Equatable>(_ first: Value, _ second: Value) {
      let cache = ValueCache<Value>()
      cache.store(first, at: 5)
      #expect(cache.value(at: 5) == first)
      #expect(cache.value(at: 4) == nil && cache.value(at: 6) == nil)
      cache.store(second, at: 6)
      #expect(cache.value(at: 6) == second && cache.value(at: 5) == nil)
    }
    check(1, -1)
    check(true, false)
    check(1.5, -.infinity)
    check(UInt8.max, 0)
    check(Int?.none, 7)
    check("short", "a text that is too long to stand in the string itself")
    check([1], [])
    check(String?.none, "x")
  }

  @Test func `a value of this thread is there for another`() {
    let cache = ValueCache<String>()
    cache.store("x", at: 5)
    let found = Lock<String?>(nil)
    let other = Aside {
      let value = cache.value(at: 5)
      found.withLock { $0 = value }
    }
    #expect(other.ends())
    #expect(found.withLock { $0 } == "x")
  }

  @Test func `a cache at the address of an old one does not have its values`() {
    for number in 0..<100 {
      let cache = ValueCache<String>()
      #expect(cache.value(at: 5) == nil)
      cache.store("\(number)", at: 5)
      #expect(cache.value(at: 5) == "\(number)")
    }
  }

  @Test func `a value that was replaced is let go`() {
    let cache = ValueCache<Thing>()
    weak var old: Thing?
    do {
      let thing = Thing()
      old = thing
      cache.store(thing, at: 1)
    }
    #expect(old != nil)
    cache.store(Thing(), at: 2)
    // The thread's own reference goes with its next read.
    #expect(cache.value(at: 2) != nil)
    #expect(old == nil)
  }

  @Test func `readers beside writers find the value of the state, or none`() {
    let (trivial, other) = (ValueCache<UInt64>(), ValueCache<String>())
    let writer = Aside {
      for stamp in 0..<20_000 as Range<UInt64> {
        trivial.store(stamp &* 7, at: stamp)
        other.store("\(stamp)", at: stamp)
      }
    }
    let readers = (0..<2).map { _ in
      Aside {
        for stamp in 0..<20_000 as Range<UInt64> {
          if let value = trivial.value(at: stamp) { #expect(value == stamp &* 7) }
          if let value = other.value(at: stamp) { #expect(value == "\(stamp)") }
        }
      }
    }
    #expect(writer.ends() && readers.allSatisfy { $0.ends() })
  }
}
