import BenchmarkHarness
import EtcdClient
import EtcdTesting
import Foundation
import NIOCore
import SettingsFleet

/// From a set to every machine, beside as many bare watches in the same run.
struct FanOut: Sendable {
  let run: Run
  private let app = "org.example.editor"
  private let bareKey = "bare"

  private static let document = (1...20).map { "key-\($0) = \"value \($0)\"  # kept\n" }.joined()

  private struct Figures {
    var told: [Double] = []
    var read: [Double] = []
    var answered: [Double] = []
    var bare: [Double] = []

    mutating func add(_ machines: Figures, _ bare: [Double]) {
      told += machines.told
      read += machines.read
      answered += machines.answered
      self.bare += bare
    }
  }

  func measure() async throws {
    let boards = WatchingMachine.Boards()
    let bareBoard = Board("bare watches were not notified")
    let writer = try EtcdClient(run.patient)
    try await store(by: writer, 0)
    var machines: [WatchingMachine] = []
    report(memoryWith: 0)
    for count in run.isShort ? [1, 10, 100] : [1, 10, 100, 1_000, 10_000] {
      try await inParallel(machines.count..<count) { number in
        let machine = try WatchingMachine(number, app: app, run.patient, boards)
        try await machine.open()
        return machine
      } each: {
        machines.append($0)
      }
      if count >= 1000 {
        try await Task.sleep(for: .seconds(5))
        report(memoryWith: count)
      }
      // Enough that a few slow rounds are not the 99th percentile.
      let rounds = run.isShort ? 3 : max(4, min(500, 20_000 / count))
      // The member has no room for as many of both at once, and keeps 150 files for itself: the bare ones come after the
      // machines then.
      let isTogether = 2 * count + 400 < Limits.files
      var figures = Figures()
      var bare = isTogether ? try await open(count, noting: bareBoard) : nil
      // The first round sets up what all later ones use.
      for round in -1..<rounds {
        let answers = try await setDocument(by: writer, round + 2, count, boards)
        let noted = bare == nil ? [] : try await setBareKey(by: writer, count, bareBoard)
        if round >= 0 { figures.add(answers, noted) }
      }
      if bare == nil {
        try await close(machines)
        machines = []
        bare = try await open(count, noting: bareBoard)
        for round in -1..<rounds {
          let noted = try await setBareKey(by: writer, count, bareBoard)
          if round >= 0 { figures.bare += noted }
        }
      }
      await bare?.shutdown()
      report(figures, count)
    }
    if boards.repeated.total > 0 { print("calls that were repeated, and watches: \(boards.repeated.total)") }
    try await close(machines)
    await writer.shutdown()
  }

  private func open(_ count: Int, noting board: Board) async throws -> BareConnections {
    let connections = try BareConnections(to: run.member, of: run.cluster, threads: System.coreCount)
    try await inParallel(0..<count) { _ in
      let watch = BareWatch(bareKey, noting: board)
      _ = try await connections.open(watch)
      await watch.opened()
    } each: { _ in
    }
    return connections
  }

  private func close(_ machines: [WatchingMachine]) async throws {
    try await inParallel(0..<machines.count) {
      await machines[$0].close()
    } each: { _ in
    }
  }

  private func setDocument(
    by writer: EtcdClient, _ number: Int, _ count: Int, _ boards: WatchingMachine.Boards
  ) async throws -> Figures {
    boards.begin(count)
    try await store(by: writer, number)
    return Figures(
      told: try await boards.told.all(), read: try await boards.read.all(), answered: try await boards.answered.all())
  }

  private func setBareKey(by writer: EtcdClient, _ count: Int, _ board: Board) async throws -> [Double] {
    board.begin(count)
    try await writer.put(bareKey, Self.document)
    return try await board.all()
  }

  /// Stores the document as the command does: with a note about who did it.
  private func store(by client: EtcdClient, _ number: Int) async throws {
    let document = FleetDocument(app: app, scope: .all)!
    try await client.transaction(
      EtcdTransaction(then: [
        .put(document.key(version: 1), Self.document + "changed = \(number)\n"),
        .put(document.key(version: 1, .change), #"{"by":"ada@desk","id":"\#(number)"}"#),
      ]))
  }

  private func report(_ figures: Figures, _ count: Int) {
    let (told, read) = (Harness.Figures(figures.told), Harness.Figures(figures.read))
    let (answered, bare) = (Harness.Figures(figures.answered), Harness.Figures(figures.bare))
    let name = "set -> \(grouped(count)) machines notified"
    func ratio(_ part: Double, _ title: String, _ budget: Harness.Budget?) {
      Harness.report(
        "\(name), \(title) / bare watches", told.quantile(part) / bare.quantile(part),
        nanoseconds: [told.quantile(part), bare.quantile(part)], budget: budget)
    }
    ratio(0.5, "p50", nil)
    ratio(0.99, "p99", run.budget(.atMost(1.5)))
    ratio(1, "worst", nil)
    let most: [Int: Double] = [1_000: 100, 10_000: 2_000]
    Harness.report(
      "\(name), p99", told.quantile(0.99) / 1e6, .milliseconds, budget: most[count].flatMap { run.budget(.atMost($0)) })
    for (what, figures) in [("have read it", read), ("have answered", answered)] {
      Harness.report(
        "set -> \(grouped(count)) machines \(what), p50, p99, worst", figures.quantile(0.99) / 1e6, .milliseconds,
        nanoseconds: [figures.median, figures.quantile(0.99), figures.quantile(1)])
    }
  }

  private func report(memoryWith count: Int) {
    // Of the member that has most.
    let most = run.cluster.members.map(\.residentBytes).max() ?? 0
    Harness.report(
      "etcd's resident memory, \(grouped(count)) machines", Double(most) / 1e6, .megabytes,
      budget: count == 10_000 ? run.budget(.atMost(1200)) : nil)
  }

  private func grouped(_ count: Int) -> String {
    count < 1000 ? "\(count)" : "\(count / 1000),000"
  }
}

/// Does something for each number, 64 at a time.
func inParallel<Value: Sendable>(
  _ numbers: Range<Int>, _ body: @escaping @Sendable (Int) async throws -> Value, each: (Value) -> Void
) async throws {
  try await withThrowingTaskGroup(of: Value.self) { group in
    var rest = numbers
    func next() {
      guard let number = rest.popFirst() else { return }
      group.addTask { try await body(number) }
    }
    for _ in 0..<64 { next() }
    while let value = try await group.next() {
      each(value)
      next()
    }
  }
}
