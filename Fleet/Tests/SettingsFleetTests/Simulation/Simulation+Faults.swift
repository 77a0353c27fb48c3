import SettingsFleet

extension Simulation {
  /// Does something at random: work of people, or a fault.
  func disturb() {
    let machine = random.pick(machines)
    switch random.number(0...99) {
    case ..<34: write()
    case ..<46: rollOut()
    case ..<54:
      machine.crash()
      after(random.number(100...3000)) { [self] in
        if random.chance(20), machine.mirror == nil { machine.regroup() }
        machine.start()
      }
    case ..<60:
      machine.isPartitioned = true
      if random.chance(50) { machine.endStream() }
      after(random.number(100...6000)) { machine.isPartitioned = false }
    case ..<65:
      machine.isDiskFull = true
      after(random.number(100...3000)) { machine.isDiskFull = false }
    case ..<69: machine.clockAhead += random.chance(20) ? -random.number(0...1000) : random.number(0...20_000)
    case ..<75: machine.upgrade()
    case ..<80:
      // Compacted, or a leader that went: all streams end.
      for machine in machines where random.chance(70) { machine.endStream() }
    case ..<84:
      isClusterDown = true
      for machine in machines { machine.endStream() }
      after(random.number(100...4000)) { [self] in isClusterDown = false }
    case ..<88: machine.edit()
    case ..<92: coordinators.randomElement(using: &random)?.die()
    case ..<95: coordinators.randomElement(using: &random)?.isPartitioned = true
    case ..<97: restoreLater()
    default: if isSigned { attack() } else { write() }
    }
  }

  private func restoreLater() {
    let backup = cluster.backup()
    after(random.number(500...5000)) { [self] in
      guard hasFaults else { return }
      let id = random.chance(50) ? ClusterID(rawValue: cluster.id.rawValue + 1) : cluster.id
      cluster.restore(backup, as: id, now: now)
      needsAcceptance = true
      for machine in machines { machine.endStream() }
      guard random.chance(60) else { return }
      after(random.number(100...3000)) { [self] in accept() }
    }
  }

  /// Somebody with etcd's password and without the key.
  private func attack() {
    let document = random.pick(Self.documents)
    let other = random.pick(Self.documents)
    let snapshot = cluster.snapshot()
    let writer = DocumentWriter(document, in: snapshot, appVersion: nil)
    var puts: [(String, [UInt8])] = []
    let version = random.number(1...2)
    switch random.number(0...5) {
    case 0: puts = [(document.key(version: version), newText([.good]).bytes)]
    case 1:
      // Another document's text with its signature.
      let others = DocumentWriter(other, in: snapshot, appVersion: nil).versions
      for (version, stored) in others.sorted(by: { $0.key < $1.key }) where other != document {
        puts = [(document.key(version: version), stored.text)]
        if case .present(let signature) = stored.signature {
          puts.append((document.key(version: version, .signature), signature.json))
        }
      }
    case 2:
      // The rollout's text as the document, with the rollout's signature.
      guard let rollout = writer.rollout, let signature = rollout.signature else { return }
      let target = FleetDocument(app: document.app, scope: rollout.scope)!
      puts = [
        (target.key(version: rollout.version), Array(rollout.text.utf8)),
        (target.key(version: rollout.version, .signature), signature.json),
      ]
    case 3:
      // The rollout for more machines.
      guard let rollout = writer.rollout else { return }
      let wider = Rollout(
        id: rollout.id, scope: rollout.scope, version: rollout.version, baseModRevision: rollout.baseModRevision,
        text: rollout.text, signature: rollout.signature, target: .share(10_000), salt: rollout.salt, waitSeconds: 1,
        coordinator: "c", created: "now")!
      puts = [(FleetKey.rollout(app: document.app).text, wider.json)]
    case 4:
      // What was once there, which includes its signature.
      guard let former = formerItems.randomElement(using: &random) else { return }
      for item in former { cluster.put(String(decoding: item.key, as: UTF8.self), item.value) }
      return
    default: cluster.delete(cluster.items.keys.filter { $0.hasPrefix(document.keyPrefix) })
    }
    formerItems.append(snapshot.items.filter { FleetKey($0.key).map { $0 != .accept } ?? false })
    for (key, value) in puts { cluster.put(key, value) }
  }
}

extension ModelMachine {
  /// The mirror starts with other groups.
  func regroup() {
    let groups = simulation.random.pick([["web"], ["db"], ["web", "db"], []])
    machine = try! Machine(
      id: machine.id, host: simulation.random.chance(20) ? "h1" : "h" + machine.id.dropFirst(), groups: groups,
      trustedKeys: machine.trust.keys)
  }

  /// An app comes in another release.
  func upgrade() {
    let isNew = simulation.random.chance(70)
    apps[simulation.random.pick(Simulation.apps)] = InstalledApp(
      version: isNew ? 2 : 1, stamp: isNew ? "s1" : "s0", release: isNew ? "2.0" : "1.0")
    recheck()
  }

  /// Somebody edits or removes a file.
  func edit() {
    guard let name = disk.current.keys.filter({ $0 != "record" }).sorted().randomElement(using: &simulation.random)
    else { return }
    disk.write(name, simulation.random.chance(50) ? nil : Array("edited".utf8))
    disk.sync(name)
    recheck()
  }
}
