import Testing

@testable import SettingsFleet

struct ApplyPlanTests {
  private static let document = Fixture.document
  private static let group = FleetDocument("editor/group/web")!

  private let cluster = ModelCluster()

  private func plan(
    _ tree: [FleetDocument: [Int: String]], prunes: Bool = false, take: ApplyPlan.Take? = nil, source: String = "main",
    key: SigningKey? = nil, newest: Int? = nil
  ) -> ApplyPlan {
    var options = ApplyPlan.Options(source: source)
    (options.prunes, options.take) = (prunes, take)
    options.signing = key.map { DocumentWriter.Signing(key: $0, millisecondsSince1970: 1000) }
    options.trust = Trust([key?.verificationKey].compactMap(\.self))
    options.appVersions["editor"] = newest
    return ApplyPlan(of: tree.mapValues { $0.mapValues { Array($0.utf8) } }, in: cluster.snapshot(), options)
  }

  @discardableResult
  private func apply(_ plan: ApplyPlan) throws -> Bool {
    try plan.batches(mostOperations: 128).allSatisfy { cluster.commit(try .joined($0.map(\.transaction))) }
  }

  private func text(_ document: FleetDocument = document, version: Int = 1) -> String? {
    cluster.items[document.key(version: version)].map { String(decoding: $0.value, as: UTF8.self) }
  }

  private func actions(_ plan: ApplyPlan) -> [String] { plan.steps.map { "\($0.action) \($0.document)" } }

  @Test func `a directory becomes the documents, and then there is nothing to do`() throws {
    let tree = [Self.document: [1: "a = 1\n"], Self.group: [1: "a = 2\n"]]
    let first = plan(tree)
    #expect(actions(first) == ["create editor/all", "create editor/group/web"])
    #expect(try apply(first))
    #expect(text() == "a = 1\n" && text(Self.group) == "a = 2\n")
    let second = plan(tree)
    #expect(second.isEmpty && second.unchanged == 2)
    #expect(
      actions(plan([Self.document: [1: "a = 3\n"]], prunes: true)) == [
        "change editor/all", "remove editor/group/web",
      ])
  }

  @Test func `a change by hand is a conflict until it is said whose text counts`() throws {
    try apply(plan([Self.document: [1: "a = 1\n"]]))
    cluster.put(Self.document.key(version: 1), Array("a = 9\n".utf8))
    let tree = [Self.document: [1: "a = 2\n"]]
    for tree in [tree, [Self.document: [1: "a = 1\n"]]] {
      let plan = plan(tree)
      #expect(plan.isEmpty && plan.conflicts.map(\.conflict) == [.edited])
    }
    let theirs = plan(tree, take: .theirs)
    #expect(theirs.isEmpty && theirs.left == [Self.document])
    // What the directory takes over is no conflict.
    #expect(actions(plan([Self.document: [1: "a = 9\n"]])) == ["adopt editor/all"])
    try apply(plan(tree, take: .ours))
    #expect(text() == "a = 2\n" && plan(tree).isEmpty)
  }

  @Test func `what was never applied is neither replaced nor removed`() throws {
    cluster.put(Self.document.key(version: 1), Array("a = 1\n".utf8))
    #expect(plan([:], prunes: true).isEmpty)
    #expect(plan([Self.document: [1: "a = 2\n"]]).conflicts.map(\.conflict) == [.foreign])
    try apply(plan([Self.document: [1: "a = 1\n"]]))
    #expect(actions(plan([:], prunes: true)) == ["remove editor/all"])
    #expect(plan([:]).isEmpty)
    cluster.put(Self.document.key(version: 1), Array("a = 9\n".utf8))
    #expect(plan([:], prunes: true).conflicts.map(\.conflict) == [.edited])
    #expect(plan([:], prunes: true, take: .theirs).left == [Self.document])
    try apply(plan([:], prunes: true, take: .ours))
    #expect(text() == nil)
  }

  @Test func `two directories leave each other's documents alone`() throws {
    try apply(plan([Self.document: [1: "a = 1\n"]]))
    #expect(plan([:], prunes: true, source: "other").isEmpty)
    #expect(plan([Self.document: [1: "a = 2\n"]], source: "other").conflicts.map(\.conflict) == [.other("main")])
    #expect(plan([Self.document: [1: "a = 1\n"]], source: "other").isEmpty)
  }

  @Test func `an upgrade leaves the earlier version for older releases`() throws {
    try apply(plan([Self.document: [1: "a = 1\n"]]))
    try apply(plan([Self.document: [2: "settings-version = 2\n"]]))
    #expect(text() == "a = 1\n" && text(version: 2) == "settings-version = 2\n")
    let stored = FleetContents(cluster.snapshot()).versions(of: Self.document)
    #expect(stored[1]?.successor == 2 && stored[2]?.successor == nil)
    // With both beside each other, the older one can be changed.
    let both = [Self.document: [1: "a = 3\n", 2: "settings-version = 2\n"]]
    #expect(actions(plan(both)) == ["change editor/all"])
    try apply(plan(both))
    #expect(text() == "a = 3\n" && plan(both).isEmpty)
    #expect(plan([Self.document: [1: "a = 4\n"]]).refusals.map(\.error) == [.olderText(1, than: 2)])
    #expect(plan(both, newest: 1).refusals.map(\.error) == [.newerVersion(2)])
    try apply(plan([:], prunes: true))
    #expect(text() == nil && text(version: 2) == nil)
  }

  @Test func `a version below the directory's own does not make its changes a conflict`() throws {
    cluster.put(Self.document.key(version: 1), Array("a = 1\n".utf8))
    cluster.put(Self.document.key(version: 2), Array("b = 1\n".utf8))
    try apply(plan([Self.document: [2: "b = 1\n"]]))
    #expect(actions(plan([Self.document: [2: "b = 2\n"]])) == ["change editor/all"])
    #expect(plan([Self.document: [1: "a = 2\n", 2: "b = 1\n"]]).conflicts.map(\.conflict) == [.edited])
  }

  @Test func `texts are signed once, and a signed one is emptied and not removed`() throws {
    let key = Fixture.key
    let tree = [Self.document: [1: "a = 1\n"]]
    try apply(plan(tree))
    #expect(actions(plan(tree, key: key)) == ["sign editor/all"])
    try apply(plan(tree, key: key))
    #expect(plan(tree, key: key).isEmpty)
    #expect(plan([Self.document: [1: "a = 2\n"]]).refusals.map(\.error) == [.needsKey])
    try apply(plan([Self.document: [1: "a = 2\n"]], key: key))
    let stored = FleetContents(cluster.snapshot()).versions(of: Self.document)[1]
    #expect(stored.map { Trust([key.verificationKey]).problem(with: $0, of: Self.document, version: 1) } == .some(nil))
    #expect(plan([:], prunes: true).refusals.map(\.error) == [.needsKey])
    try apply(plan([:], prunes: true, key: key))
    #expect(text() == "" && plan([:], prunes: true, key: key).isEmpty)
  }

  @Test func `a mark that no trusted key has signed makes no signed document the directory's`() throws {
    let key = Fixture.key
    func put(_ mark: AppliedMark, version: Int = 1) {
      cluster.put(Self.document.key(version: version, .applied), mark.json)
    }
    let text = "a = 1\n"
    let writer = DocumentWriter(Self.document, in: cluster.snapshot(), appVersion: nil)
    let signing = DocumentWriter.Signing(key: key, millisecondsSince1970: 1)
    #expect(cluster.commit(try writer.write(Array(text.utf8), version: 1, signing: signing)))
    let mark = AppliedMark(digest: TextDigest(of: text.utf8), source: "main")
    let other = FleetDocument("editor/host/a1")!
    for foreign in [
      mark, mark.signed(by: Fixture.otherKey, of: Self.document, version: 1, serial: 1),
      mark.signed(by: key, of: other, version: 1, serial: 1),
      mark.signed(by: key, of: Self.document, version: 2, serial: 1),
    ] {
      put(foreign)
      #expect(plan([:], prunes: true, key: key).isEmpty)
      #expect(plan([Self.document: [1: "a = 2\n"]], key: key).conflicts.map(\.conflict) == [.foreign])
    }
    // Nor is one beside a version that somebody without a key has put above it.
    cluster.put(Self.document.key(version: 2), [])
    put(AppliedMark(digest: TextDigest(of: "".utf8), source: "main"), version: 2)
    #expect(plan([:], prunes: true, key: key).isEmpty)
    cluster.delete([Self.document.key(version: 2), Self.document.key(version: 2, .applied)])
    // What the directory has as it is becomes its own.
    #expect(actions(plan([Self.document: [1: text]], key: key)) == ["adopt editor/all"])
    try apply(plan([Self.document: [1: text]], key: key))
    #expect(plan([Self.document: [1: text]], key: key).isEmpty)
    #expect(actions(plan([:], prunes: true, key: key)) == ["remove editor/all"])
  }

  @Test func `a mark of an earlier time makes no signed document the directory's again`() throws {
    let (key, mark) = (Fixture.key, Self.document.key(version: 1, .applied))
    func apply(_ text: String, source: String) throws {
      try self.apply(plan([Self.document: [1: text]], take: .ours, source: source, key: key))
    }
    try apply("a = 1\n", source: "main")
    let former = try #require(cluster.items[mark]?.value)
    try apply("a = 2\n", source: "other")
    try apply("a = 1\n", source: "other")
    #expect(plan([:], prunes: true, key: key).isEmpty)
    // Somebody without a key puts it back.
    cluster.put(mark, former)
    #expect(plan([:], prunes: true, key: key).conflicts.map(\.conflict) == [.edited])
    #expect(plan([Self.document: [1: "a = 3\n"]], key: key).conflicts.map(\.conflict) == [.edited])
    // What the directory has as it is becomes its own.
    #expect(actions(plan([Self.document: [1: "a = 1\n"]], key: key)) == ["adopt editor/all"])
  }

  @Test func `a signed text that was changed by hand and back is as it was applied`() throws {
    let key = Fixture.key
    func set(_ text: String, version: Int) throws {
      let writer = DocumentWriter(Self.document, in: cluster.snapshot(), appVersion: nil)
      let signing = DocumentWriter.Signing(key: key, millisecondsSince1970: 1)
      #expect(cluster.commit(try writer.write(Array(text.utf8), version: version, signing: signing)))
    }
    let two = "settings-version = 2\n"
    try apply(plan([Self.document: [1: "a = 1\n", 2: two]], key: key))
    try set(two + "b = 1\n", version: 2)
    #expect(plan([:], prunes: true, key: key).conflicts.map(\.conflict) == [.edited])
    try set(two, version: 2)
    #expect(actions(plan([:], prunes: true, key: key)) == ["remove editor/all"])
    // The later version is signed again, and stays the directory's without being in it.
    try apply(plan([Self.document: [1: "a = 2\n", 2: two]], key: key))
    let three = "settings-version = 3\n"
    try apply(plan([Self.document: [1: "a = 2\n", 2: two, 3: three]], key: key))
    try apply(plan([Self.document: [1: "a = 3\n", 3: three]], key: key))
    #expect(actions(plan([Self.document: [1: "a = 4\n", 3: three]], key: key)) == ["change editor/all"])
    #expect(actions(plan([:], prunes: true, key: key)) == ["remove editor/all"])
  }

  @Test func `a change of an earlier version alone leaves the later one above it for machines that verify`() throws {
    let key = Fixture.key
    func tree(_ earlier: String) -> [FleetDocument: [Int: String]] {
      [Self.document: [1: earlier, 3: "settings-version = 3\n"]]
    }
    var fixture = Fixture()
    fixture.machine = Fixture.machine(isSigned: true)
    fixture.putSigned("a = 1\n", version: 1, serial: 6)
    fixture.putSigned("settings-version = 2\n", version: 2, serial: 5)
    fixture.putSigned("settings-version = 3\n", version: 3, serial: 7)
    for (name, item) in fixture.items { cluster.put(name, item.value) }
    // An earlier release left them so. One of the versions is in the cluster alone.
    #expect(actions(plan(tree("a = 1\n"), key: key)) == ["sign editor/all"])
    try apply(plan(tree("a = 1\n"), key: key))
    #expect(plan(tree("a = 1\n"), key: key).isEmpty)
    try apply(plan(tree("a = 2\n"), key: key))
    (fixture.items, fixture.revision) = (cluster.items, cluster.revision)
    for (version, text) in [(1, "a = 2\n"), (2, "settings-version = 2\n"), (3, "settings-version = 3\n")] {
      fixture.apps["editor"] = InstalledApp(version: version)
      #expect(fixture.follow().changes == ["\(MirrorPlanTests.path) = \(text)"])
    }
  }

  @Test func `a plan that does not fit is several transactions, those of an app together`() throws {
    var tree: [FleetDocument: [Int: String]] = [:]
    for app in ["a", "b", "c"] {
      for host in 1...20 { tree[FleetDocument("\(app)/host/h\(host)")!] = [1: "a = \(host)\n"] }
    }
    let batches = plan(tree).batches(mostOperations: 128)
    #expect(batches.map(\.count) == [40, 20])
    #expect(batches.map { Set($0.map(\.document.app)).sorted() } == [["a", "b"], ["c"]])
    let large = String(repeating: "#", count: 900_000)
    let others = [Self.document: [1: large], Self.group: [1: large]]
    #expect(plan(others).batches(mostOperations: 128).map(\.count) == [1, 1])
  }

  @Test func `a change in between makes the transaction fail`() throws {
    try apply(plan([Self.document: [1: "a = 1\n"]]))
    for change in [plan([Self.document: [1: "a = 2\n"]]), plan([:], prunes: true)] {
      cluster.put(Self.document.key(version: 1), Array("a = 9\n".utf8))
      #expect(try !apply(change))
      #expect(text() == "a = 9\n")
    }
  }
}
