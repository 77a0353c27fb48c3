import EtcdClient
import EtcdTesting
import Foundation
import Glibc
import SettingsFleet
import Synchronization

/// A machine: its directories on a disk of its own, its network, and its mirror.
final class Machine: Sendable {
  let name: String
  let groups: [String]
  let proxies: [TCPProxy]
  let watch: FileWatch
  let directory: String
  let requiresSignatures: Bool
  private let home: String
  private let programs: Programs
  private let bell: Bell
  /// The files of its certificate, and what they may hold; `nil` without TLS.
  private let certificates: (files: EtcdTLS, own: EtcdTLS, expired: EtcdTLS)?

  private struct State {
    var mirror: ChildProcess?
    var tracer: ChildProcess?
    var isPaused = false
    /// Whether a kill at a system call may have ended the mirror, in whichever way.
    var wasTraced = false
  }

  /// Protects the processes.
  private let state = Mutex(State())

  /// - Parameters:
  ///   - expired: A certificate that was good once; `nil` if there is none.
  ///   - trusted: The key with which everything has to be signed; `nil` if nothing has to be.
  ///   - hasDisk: Whether a file system of its own can be mounted.
  init(
    _ name: String, groups: [String], in root: String, cluster: EtcdCluster, proxies: [TCPProxy], programs: Programs,
    expired: EtcdTLS?, trusted: VerificationKey?, hasDisk: Bool, bell: Bell
  ) async throws {
    requiresSignatures = trusted != nil
    (self.name, self.groups, self.proxies, self.programs, self.bell) = (name, groups, proxies, programs, bell)
    home = "\(root)/\(name)"
    directory = "\(home)/disk/fleet/\(Texts.app)/settings.d"
    if let own = cluster.certificates?.tls, let expired {
      let files = EtcdTLS(
        authorityFile: own.authorityFile, certificateFile: "\(home)/tls.crt", keyFile: "\(home)/tls.key")
      certificates = (files, own, expired)
    } else {
      certificates = nil
    }
    try Files.makeDirectory("\(home)/etc/settings-fleet")
    try Files.makeDirectory("\(home)/share/app-settings")
    try Files.makeDirectory("\(home)/disk")
    if hasDisk {
      try await Tool.run("mount", ["-t", "tmpfs", "-o", "size=32m", "none", "\(home)/disk"], in: root)
    }
    try Files.makeDirectory(directory)
    try Files.write(Texts.schema, to: "\(home)/share/app-settings/\(Texts.app).toml")
    try Files.write(
      """
      \(cluster.settings(through: proxies, certificates?.files))
      machine = "\(name)"
      host = "\(name)"
      apps = ["\(Texts.app)"]
      groups = [\(groups.map { "\"\($0)\"" }.joined(separator: ", "))]
      trusted-keys = [\(trusted.map { "\"\($0.fileText.dropLast())\"" } ?? "")]

      """, to: "\(home)/etc/settings-fleet/settings.toml")
    try Files.write("+0d\n", to: "\(home)/clock")
    watch = try FileWatch(directory, bell: bell)
    _ = try setCertificate(expired: false)
  }

  var documents: [FleetDocument] {
    ([.all] + groups.map(DocumentScope.group) + [.host(name)]).compactMap { FleetDocument(app: Texts.app, scope: $0) }
  }

  var isRunning: Bool { state.withLock { $0.mirror }?.isRunning ?? false }
  /// What the mirror has said; the end of it.
  var said: String { Files.end(of: log) }
  private var log: String { "\(home)/log" }
  private var trace: String { "\(home)/trace" }

  private var environment: [String: String] {
    // Only the wall clock jumps; files keep their times.
    let clock =
      programs.fakeClock.map {
        [
          "LD_PRELOAD": $0, "FAKETIME_TIMESTAMP_FILE": "\(home)/clock", "FAKETIME_NO_CACHE": "1", "NO_FAKE_STAT": "1",
          "DONT_FAKE_MONOTONIC": "1",
        ]
      } ?? [:]
    return [
      "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home,
      "XDG_CONFIG_HOME": "\(home)/none", "XDG_CONFIG_DIRS": "\(home)/etc", "XDG_STATE_HOME": "\(home)/state",
      "XDG_DATA_HOME": "\(home)/none", "XDG_DATA_DIRS": "\(home)/share", "TMPDIR": home,
      // A crash has to end the process, and not to be explained for a minute first.
      "SWIFT_BACKTRACE": "enable=no",
      "APP_SETTINGS_FLEET_DIR": "\(home)/disk/fleet",
    ].merging(clock) { $1 }
  }

  // MARK: The mirror

  /// Starts the mirror unless it runs. What a killed one had started may still be at work.
  ///
  /// - Parameter wrapper: A command that runs the mirror.
  func start(wrapper: [String] = []) throws {
    guard !isRunning else { return }
    let wasTraced = state.withLock { $0.wasTraced }
    if let status = state.withLock({ $0.mirror })?.wait(), status != 128 + SIGKILL, !wasTraced {
      throw Failure("the mirror of \(name) ended by itself, with status \(status)\n\(said)")
    }
    let words = wrapper + [programs.mirror, "mirror"]
    let mirror = try ChildProcess(words[0], Array(words.dropFirst()), output: log, environment: environment)
    state.withLock { state in
      state.mirror = mirror
      state.isPaused = false
      state.wasTraced = state.tracer != nil
    }
  }

  /// Starts a mirror again that was being killed at a system call when its tracer went, and died after that: as systemd
  /// does. One that ended in another way stays down, so that the check finds it.
  func restartIfTracerKilledIt() {
    guard !isRunning, state.withLock({ $0.wasTraced && $0.mirror != nil }) else { return }
    try? start()
  }

  /// Kills the mirror, and nothing that it started.
  func kill() {
    let mirror = state.withLock { state in
      defer { state.mirror = nil }
      return state.mirror
    }
    mirror?.kill()
  }

  func pause() {
    state.withLock { state in
      state.mirror?.send(SIGSTOP)
      state.isPaused = true
    }
  }

  func resume() {
    state.withLock { state in
      if state.isPaused { state.mirror?.send(SIGCONT) }
      state.isPaused = false
    }
  }

  /// Sets the mirror's wall clock.
  func setClock(days: Int?) throws {
    let days = days ?? 0
    try Files.write(days < 0 ? "\(days)d\n" : "+\(days)d\n", to: "\(home)/clock")
  }

  /// Puts another certificate in the place of the machine's, or its own again.
  ///
  /// - Returns: Whether there is one.
  func setCertificate(expired: Bool) throws -> Bool {
    guard let certificates else { return false }
    let source = expired ? certificates.expired : certificates.own
    for (from, to) in [
      (source.keyFile, certificates.files.keyFile), (source.certificateFile, certificates.files.certificateFile),
    ] {
      try Files.write(try String(contentsOfFile: from ?? "", encoding: .utf8), to: to ?? "")
    }
    return true
  }

  /// Starts the mirror, and records its system calls until it is killed. With -D, the process is the mirror.
  func startRecording(to file: String) throws {
    try start(wrapper: [programs.strace ?? "strace", "-D", "-f", "-qq", "-o", file])
  }

  // MARK: Killing at system calls

  /// Has the running mirror killed at a system call.
  func arm(_ point: KillPoint) throws {
    disarm()
    guard let strace = programs.strace, let pid = state.withLock({ $0.mirror?.pid }) else { return }
    unlink(trace)
    let tracer = try ChildProcess(
      strace, point.strace(output: trace) + ["-p", "\(pid)"], output: "\(home)/strace-log", environment: environment)
    state.withLock { state in
      state.tracer = tracer
      state.wasTraced = true
    }
  }

  /// Ends the tracing.
  ///
  /// - Returns: Whether something was killed.
  @discardableResult
  func disarm() -> Bool {
    let tracer = state.withLock { state in
      defer { state.tracer = nil }
      return state.tracer
    }
    guard let tracer else { return false }
    // Asked to end, it may wait for ever for a process that is being started; without it, the kernel lets all go on.
    tracer.kill()
    return KillPoint.didKill(trace)
  }

  /// Whether a process was killed since ``arm(_:)``.
  var didFire: Bool { KillPoint.didKill(trace) }

  // MARK: The disk

  /// Fills the machine's disk.
  ///
  /// - Parameter pages: How many pages of 4 KB are left.
  func fillDisk(leaving pages: Int) {
    let file = open("\(home)/disk/filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    defer { close(file) }
    var facts = statvfs()
    guard fstatvfs(file, &facts) == 0 else { return }
    let bytes = (Int(facts.f_bavail) - pages) * Int(facts.f_frsize)
    if bytes > 0 { _ = posix_fallocate(file, 0, off_t(bytes)) }
  }

  func emptyDisk() { unlink("\(home)/disk/filler") }

  // MARK: The network

  func setNetwork(_ mode: TCPProxy.Mode) async {
    for proxy in proxies { try? await proxy.set(mode) }
  }

  func cutConnections() async {
    for proxy in proxies { await proxy.cut() }
  }

  func stop() async {
    disarm()
    kill()
    watch.stop()
    for proxy in proxies { await proxy.stop() }
  }
}

extension EtcdCluster {
  /// The address of a member behind a proxy.
  func endpoint(at proxy: TCPProxy) -> String { "\(certificates == nil ? "http" : "https")://127.0.0.1:\(proxy.port)" }

  /// The settings of 'settings-fleet' that lead to the members through proxies.
  ///
  /// - Parameter tls: Other files of certificates.
  func settings(through proxies: [TCPProxy], _ tls: EtcdTLS? = nil) -> String {
    let endpoints = "endpoints = [\(proxies.map { "\"\(endpoint(at: $0))\"" }.joined(separator: ", "))]\n"
    guard let tls = tls ?? certificates?.tls else { return endpoints + "plaintext = true\n" }
    let files = [("authority", tls.authorityFile), ("certificate", tls.certificateFile), ("key", tls.keyFile)]
    return endpoints + files.map { "tls.\($0) = \"\($1 ?? "")\"\n" }.joined()
  }
}
