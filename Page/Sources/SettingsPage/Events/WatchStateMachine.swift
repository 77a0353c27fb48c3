/// Decides which apps are watched, and who hears of what, without processes and connections.
///
/// An app has one watching process, from its first listener to its last. What a process says that was stopped already
/// reaches nobody: each has a number of its own.
struct WatchStateMachine: Sendable {
  typealias Listener = Int
  typealias Process = Int

  enum Subscription: Equatable, Sendable {
    /// Start a process, and have it say ``line(_:from:)`` and ``ended(_:)``.
    case start(Process)
    /// The app is watched already; this was its last line, if there was one.
    case join(last: [UInt8]?)
    case refuse
  }

  private struct Watch {
    let process: Process
    var listeners: Set<Listener>
    var last: [UInt8]?
  }

  private let mostWatches: Int
  private var watches: [String: Watch] = [:]
  private var nextProcess = 0
  private var isOver = false

  init(upTo mostWatches: Int) { self.mostWatches = mostWatches }

  mutating func subscribe(_ listener: Listener, to app: String) -> Subscription {
    guard !isOver else { return .refuse }
    if watches[app] != nil {
      watches[app]?.listeners.insert(listener)
      return .join(last: watches[app]?.last)
    }
    guard watches.count < mostWatches else { return .refuse }
    nextProcess += 1
    watches[app] = Watch(process: nextProcess, listeners: [listener], last: nil)
    return .start(nextProcess)
  }

  /// - Returns: The process to stop, if nobody listens any more.
  mutating func unsubscribe(_ listener: Listener, from app: String) -> Process? {
    guard watches[app]?.listeners.remove(listener) != nil, watches[app]?.listeners.isEmpty == true else { return nil }
    return watches.removeValue(forKey: app)?.process
  }

  /// - Returns: Who hears of the line, and whether it is the first: the state at the start.
  mutating func line(_ line: [UInt8], from process: Process) -> (listeners: Set<Listener>, isFirst: Bool) {
    guard let (app, watch) = watches.first(where: { $0.value.process == process }) else { return ([], false) }
    watches[app]?.last = line
    return (watch.listeners, watch.last == nil)
  }

  /// - Returns: Those whose streams end. They ask again, and so start another process.
  mutating func ended(_ process: Process) -> Set<Listener> {
    guard let app = watches.first(where: { $0.value.process == process })?.key else { return [] }
    return watches.removeValue(forKey: app)?.listeners ?? []
  }

  /// The listeners of an app.
  func listeners(of app: String) -> Set<Listener> { watches[app]?.listeners ?? [] }

  /// - Returns: The processes to stop. No other is started.
  mutating func shutDown() -> [Process] {
    isOver = true
    defer { watches = [:] }
    return watches.values.map(\.process).sorted()
  }
}
