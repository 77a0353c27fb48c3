import SettingsFleet

/// A cluster for tables: what is put into it becomes a snapshot.
struct Fixture {
  static let document = FleetDocument("editor/all")!
  static let key = SigningKey()
  static let otherKey = SigningKey()

  var revision: Int64 = 10
  var cluster = ClusterID(rawValue: 0xc1)
  var items: [String: FleetItem] = [:]
  private var history = ItemHistory()
  var record = MirrorRecord()
  var files: [FleetDocument: TextDigest] = [:]
  var apps = ["editor": InstalledApp(version: 1, stamp: "s")]
  var machine = Fixture.machine()

  static func machine(
    id: String = "m1", host: String = "a1", groups: [String] = [], apps: Set<String>? = nil, isSigned: Bool = false
  ) -> Machine {
    try! Machine(
      id: id, host: host, groups: groups, apps: apps, trustedKeys: isSigned ? [key.verificationKey] : [])
  }

  mutating func put(_ key: String, _ value: String) { put(key, Array(value.utf8)) }

  mutating func put(_ key: String, _ value: [UInt8]) {
    revision += 1
    items[key] = FleetItem(
      key: Array(key.utf8), value: value, createRevision: items[key]?.createRevision ?? revision,
      modRevision: revision, version: 1)
    history.note(items[key], of: key, at: revision)
  }

  mutating func put(_ text: String, version: Int = 1) { put(Fixture.document, text, version: version) }

  mutating func put(_ document: FleetDocument, _ text: String, version: Int = 1) {
    put(document.key(version: version), text)
  }

  mutating func putSigned(_ text: String, version: Int = 1, serial: UInt64, key: SigningKey = Fixture.key) {
    putSigned(Fixture.document, text, version: version, serial: serial, key: key)
  }

  mutating func putSigned(
    _ document: FleetDocument, _ text: String, version: Int = 1, serial: UInt64, key: SigningKey = Fixture.key
  ) {
    put(document, text, version: version)
    let statement = Statement.document(document, version: version, text: TextDigest(of: text.utf8))
    put(document.key(version: version, .signature), key.sign(statement, serial: serial).json)
  }

  mutating func remove(_ key: String) {
    revision += 1
    items[key] = nil
    history.note(nil, of: key, at: revision)
  }

  /// Goes back to what the cluster was.
  mutating func restore(_ backup: Fixture) {
    (items, revision, history) = (backup.items, backup.revision, backup.history)
  }

  /// Forgets what was before.
  mutating func compact() { history.compact(to: revision) }

  mutating func remove(_ document: FleetDocument = Fixture.document, version: Int = 1) {
    remove(document.key(version: version))
    remove(document.key(version: version, .signature))
  }

  func modRevision(_ document: FleetDocument = Fixture.document, version: Int = 1) -> Int64 {
    items[document.key(version: version)]?.modRevision ?? 0
  }

  func rollout(
    _ text: String, id: String = "r1", version: Int = 1, base: Int64? = nil, target: Rollout.Target = .share(10_000),
    scope: DocumentScope = .all, wait: Int = 10, requiresCheck: Bool = false
  ) -> Rollout {
    Rollout(
      id: id, scope: scope, version: version, baseModRevision: base ?? modRevision(version: version), text: text,
      target: target, salt: "salt", waitSeconds: wait, requiresCheck: requiresCheck, coordinator: "ada@a1",
      created: "2026-01-01T00:00:00Z")!
  }

  mutating func put(_ rollout: Rollout) { put(FleetKey.rollout(app: "editor").text, rollout.json) }

  mutating func endRollout() { remove(FleetKey.rollout(app: "editor").text) }

  func snapshot(app: String? = nil) -> FleetSnapshot {
    FleetSnapshot(
      cluster: cluster, revision: revision, app: app,
      items: items.filter { app == nil || $0.key.hasPrefix(FleetNames.prefix(ofApp: app!)) }.map(\.value))
  }

  func plan(app: String? = nil) -> MirrorPlan {
    let snapshot = snapshot(app: app)
    let removed = record.vanished(in: snapshot, for: machine).filter { gone in
      gone.isRemoved(past: history.item(gone.key, at: gone.revision))
    }
    return MirrorPlan.make(
      record: record, snapshot: snapshot, removed: Set(removed.map(\.document)), machine: machine, files: files,
      apps: apps)
  }

  /// Makes a plan and carries it out, as a mirror does. A text that contains `bad` is refused.
  ///
  /// - Returns: What was written, `path = text`, or removed, `path -`, and the plan.
  @discardableResult
  mutating func follow(app: String? = nil) -> (changes: [String], plan: MirrorPlan) {
    var plan = plan(app: app)
    checked = []
    while let check = plan.nextCheck {
      let text = String(decoding: check.text, as: UTF8.self)
      checked.append(text)
      plan.settle(
        check, text.contains("bad") ? .refused(FleetProblem(.refused, "It is bad.", line: 7)) : .accepted)
    }
    // What is stored is what is read at the next start.
    record = try! MirrorRecord(json: plan.record.json)
    var changes: [String] = []
    for change in plan.changes {
      files[change.document] = change.text.map { TextDigest(of: $0) }
      changes.append(change.document.path + (change.text.map { " = " + String(decoding: $0, as: UTF8.self) } ?? " -"))
    }
    return (changes, plan)
  }

  /// The texts that the last plan had checked.
  private(set) var checked: [String] = []
}

extension MirrorPlan {
  /// The answer about the app of the fixture, in a short form.
  var answer: [String] {
    acks().first { $0.app == "editor" }.map { ack in
      ack.documents.map { "\($0.scope) \($0.state)\($0.problem.map { " " + $0.kind.rawValue } ?? "")" }
        + (ack.rollout.map { ["\($0.id) \($0.state.rawValue)\($0.problem.map { " " + $0.kind.rawValue } ?? "")"] } ?? [])
        + (ack.problem.map { [$0.kind.rawValue] } ?? [])
    } ?? []
  }
}
