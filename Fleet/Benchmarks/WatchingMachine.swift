import EtcdClient
import SettingsFleet
import SettingsFleetEtcd
import Synchronization

/// A machine of the fleet without its disk: it watches, and does with a hint what a mirror does, but for the file.
///
/// It reads the app's documents, makes the plan and answers under its lease. What a real mirror does beside that are two
/// runs of `settings-cli`, on a processor of its own.
actor WatchingMachine {
  /// When the machines were notified of a change, had read it, and had answered.
  final class Boards: Sendable {
    let told = Board("machines were not notified")
    let read = Board("machines have not read the document")
    let answered = Board("machines have not answered")
    /// How often a call had to be repeated, or a watch to be opened again.
    let repeated = Repetitions()
    /// How many there are.
    let machines = Atomic(0)

    func begin(_ count: Int) {
      machines.store(count, ordering: .relaxed)
      for board in [told, read, answered] { board.begin(count) }
    }
  }

  final class Repetitions: Sendable {
    private let count = Atomic(0)
    func note() { count.add(1, ordering: .relaxed) }
    var total: Int { count.load(ordering: .relaxed) }
  }

  private let client: EtcdClient
  private let machine: Machine
  private let app: String
  private let boards: Boards
  private var record = MirrorRecord()
  private var files: [FleetDocument: TextDigest] = [:]
  private var lease: LeaseID?
  private var answerRevision: Int64 = 0
  private var watching: Task<Void, Never>?
  private var rounds = (told: 0, read: 0, answered: 0)

  init(_ number: Int, app: String, _ configuration: EtcdConfiguration, _ boards: Boards) throws {
    client = try EtcdClient(configuration)
    machine = try Machine(id: "machine-\(number)", host: "host-\(number)")
    self.app = app
    self.boards = boards
  }

  /// Watches, reads everything and answers, as a mirror does when it starts.
  func open() async throws {
    lease = LeaseID(rawValue: try await repeating { try await client.grantLease(seconds: 86400) })
    let first = try await connect()
    watching = Task {
      var watch: EtcdWatch? = first
      while !Task.isCancelled {
        // A client drops a connection on which three calls in a row had no answer in time, and its watch with it.
        if let watch { try? await follow(watch) } else { try? await Task.sleep(for: .seconds(1)) }
        guard !Task.isCancelled else { return }
        boards.repeated.note()
        try? await Task.sleep(for: spread * Double.random(in: 0..<1))
        do {
          watch = try await connect()
        } catch {
          guard !Task.isCancelled else { return }
          print("a machine does not get a watch: \(error)")
          watch = nil
        }
      }
    }
  }

  private var spread: Duration { MirrorTimes().spread(over: boards.machines.load(ordering: .relaxed)) }

  private func connect() async throws -> EtcdWatch {
    let watch = try await repeating { try await client.watch(.prefix(FleetNames.prefix)) }
    try await catchUp(nil)
    return watch
  }

  private func follow(_ watch: EtcdWatch) async throws {
    for try await message in watch {
      guard case .events(let events, _) = message else { continue }
      boards.told.note(last: &rounds.told)
      let keys = events.compactMap { FleetKey($0.keyValue.key) }
      guard keys.contains(where: machine.isConcerned) else { continue }
      try await Task.sleep(for: spread * Double.random(in: 0..<1))
      try await catchUp(app)
    }
  }

  /// Reads, and answers if anything is new.
  private func catchUp(_ app: String?) async throws {
    let (plan, isNew) = try await read(app)
    guard isNew else { return }
    // Without a watch, this is how it learns of a change.
    boards.told.note(last: &rounds.told)
    boards.read.note(last: &rounds.read)
    try await answer(plan)
    boards.answered.note(last: &rounds.answered)
  }

  func close() async {
    watching?.cancel()
    await watching?.value
    await client.shutdown()
  }

  private func read(_ app: String?) async throws -> (MirrorPlan, isNew: Bool) {
    let prefix = app.map { FleetNames.prefix(ofApp: $0) } ?? FleetNames.prefix
    let answer = try await repeating { try await client.rangeAll(EtcdRange(.prefix(prefix))) }
    let snapshot = FleetSnapshot(
      cluster: ClusterID(rawValue: answer.header.cluster), revision: answer.header.revision, app: app,
      items: answer.keyValues.map(FleetItem.init))
    var plan = MirrorPlan.make(
      record: record, snapshot: snapshot, machine: machine, files: files, apps: [self.app: InstalledApp()])
    while let check = plan.nextCheck { plan.settle(check, .accepted) }
    record = plan.record
    let changes = plan.changes
    for change in changes { files[change.document] = change.text.map { TextDigest(of: $0) } }
    return (plan, !changes.isEmpty)
  }

  private func answer(_ plan: MirrorPlan) async throws {
    for var ack in plan.acks() {
      ack.lease = lease
      let key = ack.key.text
      while true {
        let transaction = EtcdTransaction(
          if: [.modRevision(key, .equal, answerRevision)], then: [.put(key, ack.json, lease: lease?.rawValue ?? 0)],
          else: [.range(EtcdRange(.key(key)))])
        let stored = try await repeating { try await client.transaction(transaction) }
        answerRevision = stored.header.revision
        if stored.succeeded { break }
        // A call whose answer did not come in time was carried out.
        if let found = stored.ranges.first { answerRevision = found.keyValues.first?.modRevision ?? 0 }
      }
    }
  }

  /// A mirror tries again, too, after as long a time.
  private func repeating<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
    let times = MirrorTimes()
    var delay = times.firstDelay
    while true {
      do {
        return try await body()
      } catch let error as EtcdError where error.isRetryable {
        boards.repeated.note()
        try await Task.sleep(for: delay * Double.random(in: 0.5...1))
        delay = min(delay * 2, times.longestDelay)
      }
    }
  }
}
