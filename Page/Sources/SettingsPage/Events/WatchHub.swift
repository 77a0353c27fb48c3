import HTTPTypes
import SettingsTools
import Synchronization

/// Tells pages what happens to the apps that they show.
final class WatchHub: Sendable {
  private typealias Stream = AsyncStream<PageEvent>.Continuation

  private struct State {
    var machine: WatchStateMachine
    var streams: [Int: Stream] = [:]
    var processes: [Int: ChildProcess] = [:]
    var nextListener = 0
  }

  private let commands: Commands
  private let limits: Limits
  // Protects who listens to what. Processes are started, and events sent, after it is released; a stream takes events
  // without waiting.
  private let state: Mutex<State>

  init(_ commands: Commands, _ limits: Limits) {
    (self.commands, self.limits) = (commands, limits)
    state = Mutex(State(machine: WatchStateMachine(upTo: limits.watches)))
  }

  /// The events of an app from now on; the first says how it is now.
  ///
  /// - Throws: ``Refusal`` if no more apps are watched, or if it cannot be watched.
  func subscribe(to app: String) throws -> (id: Int, events: AsyncStream<PageEvent>) {
    let (events, stream) = AsyncStream.makeStream(
      of: PageEvent.self, bufferingPolicy: .bufferingOldest(limits.pendingEvents))
    let (id, subscription) = state.withLock { state in
      state.nextListener += 1
      let subscription = state.machine.subscribe(state.nextListener, to: app)
      if subscription != .refuse { state.streams[state.nextListener] = stream }
      return (state.nextListener, subscription)
    }
    switch subscription {
    case .refuse: throw Refusal(.serviceUnavailable, "The server watches as many apps as it can. Close some tabs.")
    case .join(let last): if let last { stream.yield(PageEvent(name: "state", data: last)) }
    case .start(let process): try start(process, for: app)
    }
    return (id, events)
  }

  func unsubscribe(_ id: Int, from app: String) {
    let (process, stream) = state.withLock { state in
      let process = state.machine.unsubscribe(id, from: app).flatMap { state.processes.removeValue(forKey: $0) }
      return (process, state.streams.removeValue(forKey: id))
    }
    stream?.finish()
    process?.stop()
  }

  /// Tells all pages of an app.
  func tell(_ event: PageEvent, to app: String) {
    send(event, to: state.withLock { state in state.machine.listeners(of: app).compactMap { state.streams[$0] } })
  }

  /// Ends all streams and processes.
  func shutDown() {
    let (processes, streams) = state.withLock { state in
      let processes = state.machine.shutDown().compactMap { state.processes.removeValue(forKey: $0) }
      defer { state.streams = [:] }
      return (processes, Array(state.streams.values))
    }
    for stream in streams { stream.finish() }
    for process in processes { process.stop() }
  }

  private func start(_ process: Int, for app: String) throws {
    do {
      let watch = try ChildProcess.watch(
        [commands.program, "watch", app, "--document"], environment: commands.environment,
        line: { [weak self] line in self?.hear(line, from: process) },
        end: { [weak self] message in self?.end(process, message) })
      let isLate = state.withLock { state -> Bool in
        // Its last listener may have gone meanwhile.
        let isLate = state.machine.listeners(of: app).isEmpty
        if !isLate { state.processes[process] = watch }
        return isLate
      }
      if isLate { watch.stop() }
    } catch {
      end(process, "")
      throw error
    }
  }

  private func hear(_ line: [UInt8], from process: Int) {
    let (streams, isFirst) = state.withLock { state in
      let (listeners, isFirst) = state.machine.line(line, from: process)
      return (listeners.compactMap { state.streams[$0] }, isFirst)
    }
    send(PageEvent(name: isFirst ? "state" : "change", data: line), to: streams)
  }

  private func end(_ process: Int, _ message: String) {
    let streams = state.withLock { state in
      state.processes[process] = nil
      return state.machine.ended(process).compactMap { state.streams.removeValue(forKey: $0) }
    }
    let data = (["message": .text(message)] as JSONObject).bytes
    for stream in streams {
      if !message.isEmpty { stream.yield(PageEvent(name: "problem", data: data)) }
      stream.finish()
    }
  }

  /// A page that does not read its events loses its stream, asks for a new one, and then reads everything again.
  private func send(_ event: PageEvent, to streams: [Stream]) {
    for stream in streams {
      if case .dropped = stream.yield(event) { stream.finish() }
    }
  }
}
