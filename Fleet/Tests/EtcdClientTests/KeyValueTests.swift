import EtcdClient
import EtcdTesting
import Testing

extension ClusterTests.InTurn {
  struct KeyValueTests {
    @Test(arguments: [false, true])
    func `a stored value comes back with its revisions`(usesTLS: Bool) async throws {
      try await withShared(usesTLS: usesTLS) { client, _ in
        let first = try await client.put("kv/a", "one")
        let second = try await client.put("kv/a", "two")
        let answer = try await client.range(EtcdRange(.key("kv/a")))
        let item = try #require(answer.keyValues.first)
        #expect(item.text == "two")
        #expect(item.createRevision == first)
        #expect(item.modRevision == second)
        #expect(item.version == 2)
        #expect(item.lease == 0)
        #expect(answer.header.revision >= second)
        #expect(answer.header.cluster != 0)
        #expect(answer.count == 1)
        let former = try await client.range(EtcdRange(.key("kv/a"), revision: first))
        #expect(former.keyValues.first?.text == "one")
      }
    }

    @Test(arguments: [false, true])
    func `a missing key answers with nothing`(usesTLS: Bool) async throws {
      try await withShared(usesTLS: usesTLS) { client, _ in
        let answer = try await client.range(EtcdRange(.key("kv/missing")))
        #expect(answer.keyValues.isEmpty)
        #expect(answer.count == 0)
        #expect(try await client.delete(.key("kv/missing")) == 0)
      }
    }

    @Test(arguments: [false, true])
    func `keys and counts come without values`(usesTLS: Bool) async throws {
      try await withShared(usesTLS: usesTLS) { client, _ in
        for name in ["a", "b", "c"] { try await client.put("kv-some/\(name)", "value") }
        let keys = try await client.range(EtcdRange(.prefix("kv-some/"), keysOnly: true))
        #expect(keys.keyValues.map(\.value) == [[], [], []])
        let count = try await client.range(EtcdRange(.prefix("kv-some/"), countOnly: true))
        #expect(count.keyValues.isEmpty)
        #expect(count.count == 3)
        let two = try await client.range(EtcdRange(.prefix("kv-some/"), limit: 2, isSerializable: true))
        #expect(two.keyValues.count == 2)
        #expect(two.more)
        #expect(try await client.delete(.prefix("kv-some/")) == 3)
      }
    }

    @Test(arguments: [false, true])
    func `spans select keys by bytes`(usesTLS: Bool) async throws {
      try await withShared(usesTLS: usesTLS) { client, _ in
        let base = Array("kv-span/".utf8)
        func key(_ bytes: UInt8...) -> [UInt8] { base + bytes }
        let keys = [key(0), key(1), key(0xfe), key(0xff), key(0xff, 0xff)]
        let puts = keys.map { EtcdOperation.put(key: $0, value: [], lease: 0) }
        try await client.transaction(EtcdTransaction(then: puts))
        func read(_ span: EtcdSpan) async throws -> [[UInt8]] {
          try await client.range(EtcdRange(span)).keyValues.map(\.key)
        }
        #expect(try await read(.prefix(base)) == keys)
        #expect(try await read(.prefix(key(0xff))) == [keys[3], keys[4]])
        #expect(try await read(.key(key(0xff))) == [keys[3]])
        #expect(try await read(.keys(from: key(1), to: key(0xff))) == [keys[1], keys[2]])
        let open = try await read(.keys(from: key(0xff), to: nil as [UInt8]?))
        #expect(open.starts(with: [keys[3], keys[4]]))
      }
    }

    @Test(arguments: [false, true])
    func `a value of all bytes comes back as it was`(usesTLS: Bool) async throws {
      try await withShared(usesTLS: usesTLS) { client, _ in
        let value = (0...255).map { UInt8($0) }
        try await client.put("kv/bytes", value)
        #expect(try await client.range(EtcdRange(.key("kv/bytes"))).keyValues.first?.value == value)
        try await client.put("kv/bytes", [])
        #expect(try await client.range(EtcdRange(.key("kv/bytes"))).keyValues.first?.value == [])
      }
    }

    @Test(arguments: [false, true])
    func `a value of a megabyte is stored, a larger request is refused`(usesTLS: Bool) async throws {
      try await withShared(usesTLS: usesTLS) { client, _ in
        let value = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try await client.put("kv/large", value)
        #expect(try await client.range(EtcdRange(.key("kv/large"))).keyValues.first?.value == value)
        for size in [1_600_000, 3_000_000] {
          let error = await failure { try await client.put("kv/large", Array(repeating: 7, count: size)) }
          #expect(error?.code == .tooLarge)
          #expect(error?.mayHaveHappened == false)
        }
        #expect(try await client.range(EtcdRange(.key("kv/large"))).keyValues.first?.value == value)
        try await client.delete(.key("kv/large"))
      }
    }

    @Test(arguments: [false, true])
    func `pages come from one revision although keys change`(usesTLS: Bool) async throws {
      try await withShared(usesTLS: usesTLS) { client, cluster in
        for start in stride(from: 0, to: 300, by: 100) {
          let puts = (start..<(start + 100)).map { EtcdOperation.put("page/\(1000 + $0)", "old") }
          try await client.transaction(EtcdTransaction(then: puts))
        }
        let writer = Task {
          try await cluster.withClient { other in
            while !Task.isCancelled {
              try await other.put("page/\(Int.random(in: 1000..<1300))", "new")
              try await other.delete(.key("page/\(Int.random(in: 1000..<1300))"))
            }
          }
        }
        defer { writer.cancel() }
        let revision = try await client.range(EtcdRange(.key("page"))).header.revision
        let expected = try await client.range(EtcdRange(.prefix("page/"), revision: revision))
        let paged = try await client.rangeAll(EtcdRange(.prefix("page/"), revision: revision), pageSize: 7)
        #expect(paged.keyValues == expected.keyValues)
        #expect(paged.count == expected.keyValues.count)
        let newest = try await client.rangeAll(EtcdRange(.prefix("page/")), pageSize: 20)
        let same = try await client.range(EtcdRange(.prefix("page/"), revision: newest.header.revision))
        #expect(newest.keyValues == same.keyValues)
      }
    }

    @Test(arguments: [false, true])
    func `pages of large values stay small`(usesTLS: Bool) async throws {
      try await withShared(usesTLS: usesTLS) { client, _ in
        let value = Array(repeating: UInt8(ascii: "x"), count: 300_000)
        for index in 0..<40 { try await client.put("large-page/\(index + 10)", value) }
        let all = try await client.rangeAll(EtcdRange(.prefix("large-page/")))
        #expect(all.keyValues.count == 40)
        #expect(all.keyValues.allSatisfy { $0.value == value })
        try await client.delete(.prefix("large-page/"))
      }
    }

    @Test(arguments: [false, true])
    func `a compacted revision and a future one give different errors`(usesTLS: Bool) async throws {
      try await withShared(usesTLS: usesTLS) { client, _ in
        let old = try await client.put("kv/compact", "1")
        let new = try await client.put("kv/compact", "2")
        try await client.compact(revision: new, waits: true)
        let compacted = await failure { _ = try await client.range(EtcdRange(.key("kv/compact"), revision: old)) }
        #expect(compacted?.code == .compacted)
        let future = await failure { _ = try await client.range(EtcdRange(.key("kv/compact"), revision: new + 1000)) }
        #expect(future?.code == .futureRevision)
        let again = await failure { try await client.compact(revision: old) }
        #expect(again?.code == .compacted)
        #expect(again?.mayHaveHappened == false)
      }
    }
  }
}
