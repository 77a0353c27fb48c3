import EtcdClient
import EtcdTesting
import Foundation
import SettingsFleet
import Synchronization

/// A fleet that things happen to: a cluster of three members, three machines with mirrors, and writers.
final class Arena: Sendable {
  let cluster: EtcdCluster
  let machines: [Machine]
  /// Between the writers and the members.
  let desk: [TCPProxy]
  let writersClient: EtcdClient
  /// A direct connection, to inspect and operate the cluster.
  let client: EtcdClient
  let counters: [CounterWriter]
  let commander: Commander
  let soles: [SoleWriter]
  /// Signs all that the writers store. One machine takes nothing else.
  let key: SigningKey
  let recorder: Recorder
  let refused: RefusedTexts
  let firewall: Firewall
  let figures: Figures
  let bell: Bell
  let root: String
  let programs: Programs
  /// The system calls at which a mirror can be killed.
  let points: Mutex<KillPoints>
  /// The largest size of the database.
  static let quotaBytes = 48 << 20
  static let shared = FleetDocument(app: Texts.app, scope: .all)!

  private init(
    _ cluster: EtcdCluster, machines: [Machine], desk: [TCPProxy], root: String, programs: Programs, key: SigningKey,
    figures: Figures, bell: Bell
  ) throws {
    (self.cluster, self.machines, self.desk, self.root) = (cluster, machines, desk, root)
    (self.programs, self.key, self.figures, self.bell) = (programs, key, figures, bell)
    client = try EtcdClient(cluster.configuration)
    let writersClient = try EtcdClient(cluster.configuration(endpoints: desk.map { cluster.endpoint(at: $0) }))
    self.writersClient = writersClient
    counters = (0..<3).map {
      CounterWriter("w\($0)", in: Self.shared, client: writersClient, key: key, figures: figures)
    }
    commander = try Commander(
      in: root, settings: cluster.settings(through: desk), programs: programs, client: client, key: key,
      figures: figures)
    let refused = RefusedTexts()
    self.refused = refused
    // One is on two machines, the other one on the third.
    soles = [DocumentScope.group("web"), .host("m3")].map { scope in
      SoleWriter(
        FleetDocument(app: Texts.app, scope: scope)!, client: writersClient, key: key, figures: figures,
        refused: refused)
    }
    recorder = Recorder(client, bell: bell)
    firewall = Firewall(in: root)
    points = Mutex(KillPoints(""))
  }

  /// Starts a fleet, and waits until its machines are right.
  static func start(_ programs: Programs, figures: Figures, hasDisks: Bool, usesTLS: Bool) async throws -> Arena {
    let root = FileManager.default.temporaryDirectory.path + "/fleet-faults-\(UUID().uuidString)"
    try Files.makeDirectory(root)
    Remains.add(root)
    var options = EtcdCluster.Options()
    options.quotaBytes = quotaBytes
    options.usesTLS = usesTLS
    let cluster = try await EtcdCluster.start(members: 3, options: options)
    let bell = Bell()
    func proxies() async throws -> [TCPProxy] {
      var proxies: [TCPProxy] = []
      for member in cluster.members { proxies.append(try await TCPProxy.start(to: member.port)) }
      return proxies
    }
    let expired = programs.fakeClock == nil ? nil : try await cluster.certificates?.expired()
    let key = SigningKey()
    var machines: [Machine] = []
    for (name, groups) in [("m1", ["web"]), ("m2", ["web"]), ("m3", [])] {
      machines.append(
        try await Machine(
          name, groups: groups, in: root, cluster: cluster, proxies: try await proxies(), programs: programs,
          expired: expired, trusted: name == "m3" ? key.verificationKey : nil, hasDisk: hasDisks, bell: bell))
    }
    let arena = try Arena(
      cluster, machines: machines, desk: try await proxies(), root: root, programs: programs, key: key,
      figures: figures, bell: bell)
    try await arena.prepare()
    return arena
  }

  /// The one whose document is on the machine that requires signatures.
  var signedSole: SoleWriter { soles[1] }

  /// All that count.
  var allCounters: [CounterWriter] { counters + commander.counters }

  /// The machines that have a document.
  func machines(with document: FleetDocument) -> [Machine] { machines.filter { $0.documents.contains(document) } }

  private func prepare() async throws {
    var random = SplitMix(state: 0)
    for counter in counters { _ = await counter.write() }
    for sole in soles { _ = await sole.write(using: &random) }
    try await recorder.begin()
    for machine in machines.dropFirst() { try machine.start() }
    try await recordCalls(of: machines[0])
    for machine in machines { try machine.start() }
    try await Check(self).waitUntilRight(after: .now, limit: .seconds(20))
    // States from before the watch began cannot be judged.
    for machine in machines { _ = machine.watch.takeSights() }
  }

  /// Finds out at which system calls a running mirror can be killed: while it takes over a few documents.
  private func recordCalls(of machine: Machine) async throws {
    guard programs.strace != nil else { return try machine.start() }
    let trace = "\(root)/calls"
    try machine.startRecording(to: trace)
    func text() -> String { (try? String(contentsOfFile: trace, encoding: .utf8)) ?? "" }
    var start = 0
    for number in 0..<4 {
      let before = machine.watch.now
      _ = await counters[0].write()
      await bell.wait(.seconds(5)) { machine.watch.now != before }
      // What it does at its start is over.
      if number == 0 { start = text().utf8.count }
    }
    machine.kill()
    let found = KillPoints(String(decoding: text().utf8.dropFirst(start), as: UTF8.self))
    points.withLock { $0 = found }
  }

  func stop() async {
    recorder.stop()
    for machine in machines { await machine.stop() }
    for proxy in desk { await proxy.stop() }
    await client.shutdown()
    await writersClient.shutdown()
    try? await firewall.clear()
    try? await firewall.clearForgotten()
    cluster.stop()
    if Sandbox.isPrivate {
      for machine in machines { _ = try? await Tool.run("umount", ["-l", "\(root)/\(machine.name)/disk"], in: "/") }
    }
    Remains.remove(root)
  }
}

/// The directories that have to go when the process exits.
enum Remains {
  /// Protects the directories.
  private static let directories = Mutex<Set<String>>([])
  private static let isRegistered: Bool =
    atexit { for directory in Remains.directories.withLock({ $0 }) { Remains.remove(directory) } } == 0

  static func add(_ directory: String) {
    precondition(isRegistered, "The process has no place for another exit handler.")
    directories.withLock { _ = $0.insert(directory) }
  }

  static func remove(_ directory: String) {
    directories.withLock { _ = $0.remove(directory) }
    try? FileManager.default.removeItem(atPath: directory)
  }
}
