import AppSettings
import AppSettingsGarage
import FoundationEssentials
import Glibc
import SettingsTOML
import TestModels

/// A process for the tests to run, kill and count with. Its first argument says what it does to the file of the second.
@main
enum Probe {
  static func main() {
    do {
      try run()
    } catch {
      fail("\(error)")
    }
  }

  private static func run() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else { fail("usage: settings-probe VERB FILE …") }
    let rest = Array(arguments.dropFirst(3))
    let location = try SettingsLocation(file: arguments[2])
    switch arguments[1] {
    case "get": print(store(location)[SettingsKey("counter", default: 0)])
    case "storm":
      interruptAlways()
      try count(location, times: Int(rest[0])!)
    case "count": try count(location, times: Int(rest[0])!)
    case "become": try become(location, text: try SettingsLocation(file: rest[0]))
    case "fill": try fill(location, prefix: rest[0], keys: Int(rest[1])!)
    case "loop": try loop(location)
    case "die": try die(location, at: Syscalls.Call(rawValue: rest[0])!, number: Int(rest[1])!, value: rest[2])
    case "migrate": migrate(location)
    case "migrate-and-end": migrateAndEnd(location, releasing: rest.first == "released")
    case "upgrade":
      let death = rest.count == 2 ? (Syscalls.Call(rawValue: rest[0])!, Int(rest[1])!) : nil
      upgrade(location, dyingAt: death)
    case "park-rings": try parkRings(location, count: Int(rest[0])!)
    case "park-many": try parkMany(location, first: Int(rest[0])!, count: Int(rest[1])!)
    case "park-and-die": try parkAndDie(location, at: Syscalls.Call(rawValue: rest[0])!, number: Int(rest[1])!)
    case "garage-steps":
      try applySteps(
        location, seed: UInt64(rest[0])!, count: Int(rest[1])!, key: rest.count > 2 ? UInt64(rest[2])! : nil)
    case "record-steps": try applyRecordSteps(location, seed: UInt64(rest[0])!, count: Int(rest[1])!)
    case "change-cipher":
      let garage = Garage(
        at: location, cipher: .toy(1), system: .dying(at: Syscalls.Call(rawValue: rest[0])!, number: Int(rest[1])!))
      try garage.changeCipher(to: .toy(2))
    case "fork": try forkWhileSetting(location, at: rest[0], dies: rest[1] == "die")
    case "recover", "recover-newest":
      let death = rest.count == 2 ? (Syscalls.Call(rawValue: rest[0])!, Int(rest[1])!) : nil
      let settings = store(location, system: death.map { .dying(at: $0.0, number: $0.1) } ?? Syscalls())
      if arguments[1] == "recover" { _ = try settings.recover() } else { _ = try settings.recoverNewest() }
    case "bare": readBare(location)
    case "set-and-exit": setAndExit(location, value: Int(rest[0])!)
    default: fail("unknown verb '\(arguments[1])'")
    }
  }

  private static func store(
    _ location: SettingsLocation, migrations: [Migration] = [], system: Syscalls = Syscalls()
  ) -> SettingsStore {
    SettingsStore(
      at: location, migrations: SettingsMigrations(migrations), logger: .silent, acceptsAnyVersion: false,
      system: system,
      lockTimeout: .seconds(120))
  }

  /// Adds one to `counter`, over and over, by read-modify-write.
  private static func count(_ location: SettingsLocation, times: Int) throws {
    let counter = SettingsKey("counter", default: 0)
    let settings = store(location)
    for _ in 0..<times { try settings.update { $0[counter] += 1 } }
  }

  /// Gives the settings all that another file says, and takes all else away, in one write.
  private static func become(_ location: SettingsLocation, text: SettingsLocation) throws {
    let settings = store(location)
    let old = settings.snapshot.root
    let new = store(text).snapshot.root
    try settings.update { transaction in
      for name in Set(old.keys).union(new.keys) { transaction[SettingsKey<SettingsValue?>(name)] = new[name] }
    }
  }

  /// Has a signal come in every 50 microseconds, so that calls end with `EINTR` wherever they can.
  private static func interruptAlways() {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in }
    // Without SA_RESTART.
    action.sa_flags = 0
    sigaction(SIGALRM, &action, nil)
    let interval = timeval(tv_sec: 0, tv_usec: 50)
    var timer = itimerval(it_interval: interval, it_value: interval)
    setitimer(CInt(ITIMER_REAL.rawValue), &timer, nil)
  }

  /// Sets distinct keys, one write each.
  private static func fill(_ location: SettingsLocation, prefix: String, keys: Int) throws {
    let settings = store(location)
    for number in 0..<keys { try settings.set(number, for: SettingsKey("\(prefix)-\(number)", default: -1)) }
  }

  /// Writes until it is killed; says so once it has begun.
  private static func loop(_ location: SettingsLocation) throws {
    let settings = store(location)
    let counter = SettingsKey("counter", default: 0)
    var value = settings[counter]
    while true {
      value += 1
      try settings.set(value, for: counter)
      print(value)
      fflush(nil)
    }
  }

  /// Kills itself at the n-th call of a kind while it sets `value`.
  private static func die(
    _ location: SettingsLocation, at call: Syscalls.Call, number: Int, value: String
  ) throws {
    let settings = store(location, system: .dying(at: call, number: number))
    try settings.set(value, for: SettingsKey("name", default: ""))
  }

  /// Opens an old file; the migration counts how often it took effect.
  private static func migrate(_ location: SettingsLocation) {
    let migrations = [
      Migration(2, "count runs") { document in
        guard case .integer(let runs)? = document[["runs"]] else { return }
        try document.set(.integer(runs + 1), at: ["runs"])
      }
    ]
    let settings = store(location, migrations: migrations)
    print(settings[SettingsKey("runs", default: -1)])
    for problem in settings.currentProblems { print(problem.message) }
  }

  /// Opens an old file, says what it reads, and ends at SIGUSR1: with the store, or after that was released.
  private static func migrateAndEnd(_ location: SettingsLocation, releasing: Bool) {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGUSR1)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    let migrations = [Migration(2, "rename") { try $0.move(from: ["old"], to: ["new"]) }]
    var settings: SettingsStore? = store(location, migrations: migrations)
    print(settings?[SettingsKey("new", default: -1)] ?? 0)
    if releasing { settings = nil }
    fflush(nil)
    var number: CInt = 0
    sigwait(&signals, &number)
    withExtendedLifetime(settings) { exit(0) }
  }

  /// Sets in the background and leaves `main` at once: a normal exit has to write it.
  private static func setAndExit(_ location: SettingsLocation, value: Int) {
    let settings = store(location)
    settings[SettingsKey("counter", default: 0)] = value
    exit(0)
  }

  /// Reads a name without an environment, and without a free key for a thread's variables. Says it, and whether the
  /// variable of another library is unchanged.
  private static func readBare(_ location: SettingsLocation) {
    clearenv()
    var key = pthread_key_t()
    while pthread_key_create(&key, nil) == 0 { pthread_setspecific(key, UnsafeRawPointer(bitPattern: 8)) }
    let before = pthread_getspecific(0)
    let settings = SettingsStore(
      at: location, migrations: .none, overrides: .environment(app: "org.example.test"), logger: .silent,
      acceptsAnyVersion: false, system: Syscalls(), lockTimeout: .seconds(120))
    let name = SettingsKey("name", default: "")
    for _ in 0..<3 { _ = settings[name] }
    print(settings[name], pthread_getspecific(0) == before)
  }

  private static func fail(_ message: String) -> Never {
    _ = (message + "\n").withCString { write(STDERR_FILENO, $0, strlen($0)) }
    exit(2)
  }
}
