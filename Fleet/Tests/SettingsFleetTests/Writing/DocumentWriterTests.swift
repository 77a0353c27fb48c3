import SettingsFleet
import Testing

struct DocumentWriterTests {
  private static let document = Fixture.document
  private static let signing = DocumentWriter.Signing(key: Fixture.key, millisecondsSince1970: 1000)

  /// A model of etcd that starts as the fixture.
  private static func cluster(_ fixture: Fixture) -> ModelCluster {
    let cluster = ModelCluster()
    for item in fixture.items.values.sorted(by: { $0.modRevision < $1.modRevision }) {
      cluster.put(String(decoding: item.key, as: UTF8.self), item.value)
    }
    return cluster
  }

  private static func writer(_ cluster: ModelCluster, appVersion: Int? = 1) -> DocumentWriter {
    DocumentWriter(document, in: cluster.snapshot(), appVersion: appVersion)
  }

  private static func text(_ cluster: ModelCluster, version: Int = 1) -> String? {
    cluster.items[document.key(version: version)].map { String(decoding: $0.value, as: UTF8.self) }
  }

  @Test func `of two writers one loses, and nothing is lost`() throws {
    let cluster = ModelCluster()
    let first = try Self.writer(cluster).write(Array("a = 1".utf8), version: 1)
    let second = try Self.writer(cluster).write(Array("b = 1".utf8), version: 1)
    #expect(cluster.commit(first) && !cluster.commit(second))
    #expect(Self.text(cluster) == "a = 1")
    let again = Self.writer(cluster)
    #expect(try again.current()?.text == Array("a = 1".utf8))
    #expect(try again.write(Array("a = 1".utf8), version: 1).isEmpty)
    let third = try again.write(Array("a = 1\nb = 1".utf8), version: 1)
    cluster.delete([Self.document.key(version: 1)])
    #expect(!cluster.commit(third))
  }

  @Test func `of many upgrades one succeeds, and old releases write no more`() throws {
    var fixture = Fixture()
    fixture.put("a = 1")
    let cluster = Self.cluster(fixture)
    let upgrades = try (0..<5).map { try Self.writer(cluster, appVersion: 4).write(Array("v\($0)".utf8), version: 4) }
    #expect(upgrades.map(cluster.commit) == [true, false, false, false, false])
    #expect(Self.text(cluster) == "a = 1" && Self.text(cluster, version: 4) == "v0")
    let old = Self.writer(cluster, appVersion: 1)
    #expect(old.readable?.version == 1)
    #expect(throws: WriterError.upgraded(from: 1, to: 4)) { try old.current() }
    #expect(throws: WriterError.upgraded(from: 1, to: 4)) { try old.write([], version: 1) }
    #expect(throws: WriterError.upgraded(from: 1, to: 4)) { try old.remove() }
    let new = Self.writer(cluster, appVersion: 5)
    #expect(try new.current()?.version == 4)
    #expect(throws: WriterError.olderText(1, than: 4)) { try new.write([], version: 1) }
    #expect(throws: WriterError.newerVersion(6)) { try new.write([], version: 6) }
    cluster.put(Self.document.key(version: 4, .change), [])
    #expect(cluster.commit(try Self.writer(cluster, appVersion: 5).remove()))
    // The name of who removed it goes into the note of the last change.
    #expect(Array(cluster.items.keys) == [Self.document.key(version: 4, .change)])
  }

  @Test func `a newer version without a marker is not written around`() throws {
    var fixture = Fixture()
    fixture.put("a = 1", version: 1)
    fixture.put("a = 3", version: 3)
    let cluster = Self.cluster(fixture)
    #expect(throws: WriterError.newerVersion(3)) { try Self.writer(cluster).write([], version: 1) }
  }

  @Test func `what a machine could not read is not written`() {
    let writer = Self.writer(ModelCluster())
    #expect(throws: WriterError.invalidText) { try writer.write([0], version: 1) }
    #expect(throws: WriterError.invalidText) { try writer.write([0xff], version: 1) }
    #expect(throws: WriterError.tooLarge(bytes: 1 << 20 + 1)) {
      try writer.write([UInt8](repeating: 0x20, count: 1 << 20 + 1), version: 1)
    }
  }

  @Test func `several documents are one transaction, up to what etcd takes`() throws {
    let cluster = ModelCluster()
    let documents = ["editor/all", "editor/group/web", "player/all"].map { FleetDocument($0)! }
    let parts = try documents.map {
      try DocumentWriter($0, in: cluster.snapshot(), appVersion: 1).write(Array("x".utf8), version: 1)
    }
    #expect(cluster.commit(try .joined(parts)) && cluster.items.count == 3 && cluster.revision == 2)
    #expect(!cluster.commit(try .joined(parts)))
    let large = try documents.map {
      try DocumentWriter($0, in: cluster.snapshot(), appVersion: 1).write(
        [UInt8](repeating: 0x20, count: 600_000), version: 1)
    }
    #expect(throws: WriterError.self) { try FleetTransaction.joined(large) }
  }

  @Test func `a signed document stays signed, with a growing serial`() throws {
    let cluster = ModelCluster()
    #expect(cluster.commit(try Self.writer(cluster).write(Array("a = 1".utf8), version: 1, signing: Self.signing)))
    let writer = Self.writer(cluster)
    guard case .present(let first)? = writer.versions[1]?.signature else {
      Issue.record("not signed")
      return
    }
    #expect(first.serial == 1000)
    #expect(throws: WriterError.needsKey) { try writer.write(Array("a = 2".utf8), version: 1) }
    #expect(cluster.commit(try writer.write(Array("a = 2".utf8), version: 1, signing: Self.signing)))
    guard case .present(let second)? = Self.writer(cluster).versions[1]?.signature else {
      Issue.record("not signed")
      return
    }
    #expect(second.serial == 1001)
    #expect(
      Fixture.key.verificationKey.verifies(
        second, of: .document(Self.document, version: 1, text: TextDigest(of: "a = 2".utf8))))
  }

  @Test func `a serial that no trusted key has signed does not count`() throws {
    var fixture = Fixture()
    // Somebody without a key: beside an earlier version, beside the newest one, and in a rollout.
    for version in 1...2 { fixture.putSigned("a = 1", version: version, serial: 1 << 53 - 1, key: Fixture.otherKey) }
    fixture.put(
      fixture.rollout("a = 3", scope: DocumentScope("host/none")!).signed(
        by: Fixture.otherKey, serial: 1 << 53 - 1, app: "editor"))
    func serial(_ signing: DocumentWriter.Signing) throws -> UInt64? {
      let cluster = Self.cluster(fixture)
      #expect(cluster.commit(try Self.writer(cluster, appVersion: 2).write([], version: 2, signing: signing)))
      guard case .present(let signature)? = Self.writer(cluster).versions[2]?.signature else { return nil }
      return signature.serial
    }
    #expect(try serial(Self.signing) == 1000)
    fixture.putSigned("a = 1", version: 2, serial: 2000, key: Fixture.otherKey)
    let both = DocumentWriter.Signing(
      key: Fixture.key, millisecondsSince1970: 1000, trust: Trust([Fixture.otherKey.verificationKey]))
    #expect(throws: WriterError.noSerial) { try serial(both) }
    fixture.endRollout()
    fixture.remove(version: 1)
    #expect(try serial(both) == 2001)
  }

  @Test func `the next serial is above that of a signer whose clock is ahead, also if the text was overwritten`() throws
  {
    var fixture = Fixture()
    fixture.putSigned("a = 1", version: 1, serial: 3_600_000)
    fixture.put("a = 2", version: 1)
    let cluster = Self.cluster(fixture)
    #expect(cluster.commit(try Self.writer(cluster).write(Array("a = 3".utf8), version: 1, signing: Self.signing)))
    guard case .present(let signature)? = Self.writer(cluster).versions[1]?.signature else {
      Issue.record("not signed")
      return
    }
    #expect(signature.serial == 3_600_001)
  }

  @Test(arguments: ["9", "1"])
  func `a successor that does not exist or is no higher version blocks no edit`(_ successor: String) throws {
    var fixture = Fixture()
    fixture.put("a = 1")
    fixture.put(Fixture.document.key(version: 1, .successor), successor)
    let cluster = Self.cluster(fixture)
    #expect(cluster.commit(try Self.writer(cluster).write(Array("a = 2".utf8), version: 1)))
    #expect(Self.text(cluster) == "a = 2")
    guard successor == "9" else { return }
    cluster.put(Fixture.document.key(version: 9), [])
    #expect(throws: WriterError.upgraded(from: 1, to: 9)) { try Self.writer(cluster).current() }
  }

  @Test func `a rollout begins once, is published once and leaves nothing`() throws {
    var fixture = Fixture()
    fixture.put("a = 1")
    let cluster = Self.cluster(fixture)
    let base = Self.writer(cluster).versions[1]!.modRevision
    let rollout = fixture.rollout("a = 2", base: base)
    let lease = cluster.grant(seconds: 10, now: 0)
    #expect(throws: WriterError.rolloutVoid) {
      try Self.writer(cluster).begin(fixture.rollout("a = 2", base: base + 1), lease: lease)
    }
    let begins = try (0..<2).map { _ in try Self.writer(cluster).begin(rollout, lease: lease) }
    #expect(begins.map(cluster.commit) == [true, false])
    #expect(throws: WriterError.rolloutUnderWay("r1")) { try Self.writer(cluster).begin(rollout, lease: lease) }
    let publish = try Self.writer(cluster).publish(rollout)
    cluster.put(FleetKey.rollout(app: "editor").text, rollout.json, lease: lease)
    #expect(!cluster.commit(publish))
    #expect(cluster.commit(try Self.writer(cluster).publish(rollout)))
    #expect(Self.text(cluster) == "a = 2" && cluster.items.count == 1)
    #expect(throws: WriterError.rolloutVoid) { try Self.writer(cluster).publish(rollout) }
  }

  @Test func `a rollout of a signed document begins with a key alone`() throws {
    let cluster = ModelCluster()
    #expect(cluster.commit(try Self.writer(cluster).write(Array("a = 1".utf8), version: 1, signing: Self.signing)))
    let (writer, lease) = (Self.writer(cluster), cluster.grant(seconds: 10, now: 0))
    let rollout = Fixture().rollout("a = 2", base: writer.versions[1]!.modRevision)
    #expect(throws: WriterError.needsKey) { try writer.begin(rollout, lease: lease) }
    let signed = try writer.signed(rollout, by: Self.signing)
    #expect(cluster.commit(try writer.begin(signed, lease: lease)))
  }

  @Test func `a rollout whose document has changed is not published`() throws {
    var fixture = Fixture()
    fixture.put("a = 1")
    let cluster = Self.cluster(fixture)
    let rollout = fixture.rollout("a = 2", base: Self.writer(cluster).versions[1]!.modRevision)
    let lease = cluster.grant(seconds: 10, now: 0)
    #expect(cluster.commit(try Self.writer(cluster).begin(rollout, lease: lease)))
    let publish = try Self.writer(cluster).publish(rollout)
    #expect(cluster.commit(try Self.writer(cluster).write(Array("a = 3".utf8), version: 1)))
    #expect(!cluster.commit(publish))
    #expect(throws: WriterError.rolloutVoid) { try Self.writer(cluster).publish(rollout) }
    #expect(cluster.commit(Self.writer(cluster).cancel()) && Self.text(cluster) == "a = 3")
    // When the coordinator dies, its rollout goes with its lease.
    let next = fixture.rollout("a = 4", id: "r2", base: Self.writer(cluster).versions[1]!.modRevision)
    #expect(cluster.commit(try Self.writer(cluster).begin(next, lease: lease)))
    cluster.expire(now: 10_000)
    #expect(cluster.items.count == 1)
  }

  @Test func `a rollout whose document has changed hinders no other one`() throws {
    var fixture = Fixture()
    fixture.put("a = 1")
    let cluster = Self.cluster(fixture)
    func base() -> Int64 { Self.writer(cluster).versions[1]!.modRevision }
    let (first, second) = (cluster.grant(seconds: 3600, now: 0), cluster.grant(seconds: 10, now: 0))
    let rollout = fixture.rollout("a = 2", base: base())
    #expect(cluster.commit(try Self.writer(cluster).begin(rollout, lease: first)))
    let other = fixture.rollout("a = 4", id: "r2", base: base())
    #expect(throws: WriterError.rolloutUnderWay("r1")) { try Self.writer(cluster).begin(other, lease: second) }
    #expect(!Self.writer(cluster).isVoid(rollout))
    #expect(cluster.commit(try Self.writer(cluster).write(Array("a = 3".utf8), version: 1)))
    #expect(Self.writer(cluster).isVoid(rollout))
    let next = fixture.rollout("a = 4", id: "r2", base: base())
    #expect(cluster.commit(try Self.writer(cluster).begin(next, lease: second)))
    #expect(Self.writer(cluster).rollout == next)
    #expect(cluster.commit(try Self.writer(cluster).publish(next)) && Self.text(cluster) == "a = 4")
    // Of another document of the app, which has not changed.
    let group = FleetDocument(app: "editor", scope: DocumentScope("group/web")!)!
    let last = fixture.rollout("a = 5", id: "r3", base: base())
    #expect(cluster.commit(try Self.writer(cluster).begin(last, lease: second)))
    let writer = DocumentWriter(group, in: cluster.snapshot(), appVersion: 1)
    let inGroup = fixture.rollout("b = 1", id: "r4", base: 0, scope: group.scope)
    #expect(throws: WriterError.rolloutUnderWay("r3")) { try writer.begin(inGroup, lease: second) }
  }

  @Test func `a rollout that somebody has replaced is not published, and so not signed`() throws {
    var fixture = Fixture()
    fixture.put("a = 1")
    let cluster = Self.cluster(fixture)
    let base = Self.writer(cluster).versions[1]!.modRevision
    let rollout = fixture.rollout("a = 2", base: base)
    let lease = cluster.grant(seconds: 10, now: 0)
    #expect(cluster.commit(try Self.writer(cluster).begin(rollout, lease: lease)))
    cluster.put(FleetKey.rollout(app: "editor").text, fixture.rollout("a = 666", base: base).json, lease: lease)
    #expect(throws: WriterError.rolloutVoid) { try Self.writer(cluster).publish(rollout) }
  }

  @Test func `writers that race lose nothing`() throws {
    for seed in Seeds.list(short: 30, full: 2000) {
      var random = Numbers(seed: seed)
      let cluster = ModelCluster()
      var open: [(line: String, transaction: FleetTransaction)] = []
      var written: [String] = []
      for number in 0..<60 {
        if random.chance(50) {
          let writer = Self.writer(cluster, appVersion: nil)
          let current = try writer.current()
          let text = current?.text ?? []
          let line = "\(number)\n"
          let version = (current?.version ?? 1) + (random.chance(5) ? 1 : 0)
          open.append((line, try writer.write(text + Array(line.utf8), version: version)))
        } else if !open.isEmpty {
          let (line, transaction) = open.remove(at: random.number(0...(open.count - 1)))
          if cluster.commit(transaction) { written.append(line) }
        }
      }
      let text = try Self.writer(cluster, appVersion: nil).current()?.text ?? []
      #expect(String(decoding: text, as: UTF8.self) == written.joined(), "SETTINGS_FLEET_SEED=\(seed)")
    }
  }
}
