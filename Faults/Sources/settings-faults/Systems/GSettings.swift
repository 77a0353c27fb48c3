import Glibc

/// GSettings through its command, with a schema of this suite's own.
class GSettings {
  let home: Home
  required init(home: Home) { self.home = home }

  fileprivate var backend: String { "memory" }
  fileprivate var schemas: String { home.aside + "/schemas" }

  class var unavailable: String? {
    for command in ["gsettings", "glib-compile-schemas"] where !isInstalled(command) {
      return "\(command) is not installed"
    }
    return nil
  }

  var environment: [String: String] {
    home.environment.merging([
      "GSETTINGS_BACKEND": backend, "GSETTINGS_SCHEMA_DIR": schemas,
      // Without a bus, GLib would look for one.
      "DBUS_SESSION_BUS_ADDRESS": "disabled:",
    ]) { $1 }
  }

  func writeSchema() throws {
    Files.makeDirectory(schemas)
    let names =
      Fixture.bystanderKeys + ["n"] + (0..<16).map { "w\($0)" }
      + (0..<16).flatMap { process in (0..<100).map { "p\(process)-k\($0)" } }
    let keys = names.map { "<key name=\"\($0)\" type=\"i\"><default>0</default></key>\n" }.joined()
    Files.write(
      "<schemalist><schema id=\"org.example.faults\" path=\"/org/example/faults/\">\n\(keys)</schema></schemalist>\n",
      to: schemas + "/org.example.faults.gschema.xml")
    let end = Child.run(["glib-compile-schemas", schemas], environment: home.environment)
    guard end.code == 0 else { throw Failure("glib-compile-schemas ended with \(end.code)") }
  }

  func set(_ key: String, _ value: Int) -> Bool {
    Child.run(
      ["gsettings", "set", "org.example.faults", key, String(value)], environment: environment, leadsGroup: false
    ).code == 0
  }

  func get(_ key: String) -> Int? {
    let end = Child.run(["gsettings", "get", "org.example.faults", key], environment: environment, leadsGroup: false)
    return end.text.split(separator: "\n").first.flatMap { Int($0) }
  }
}

/// GSettings in a keyfile, as in a sandbox.
final class GSettingsKeyfile: GSettings, System {
  static let title = "gsettings (keyfile)"
  static let id = "keyfile"
  static let isInProcess = false

  fileprivate override var backend: String { "keyfile" }
  var file: String { home.path + "/config/glib-2.0/settings/keyfile" }

  func prepare() throws {
    try writeSchema()
    Files.makeDirectory(Files.directory(of: file))
    let lines = Fixture.bystanderKeys.map { "\($0)=\(Fixture.bystanders[$0]!)\n" }
    Files.write("[org/example/faults]\n" + lines.joined(), to: file)
  }

  func values(in bytes: [UInt8]) -> [String: Int]? { valuesOfLines(bytes, section: "[org/example/faults]") }
}

/// GSettings in dconf: one service writes for all.
final class GSettingsDconf: GSettings, System {
  static let title = "gsettings (dconf)"
  static let id = "dconf"
  static let isInProcess = false

  override static var unavailable: String? {
    if let reason = super.unavailable { return reason }
    guard isInstalled("dbus-run-session") else { return "dbus-run-session is not installed" }
    let services = ["/usr/share", "/usr/local/share"].map { "\($0)/dbus-1/services/ca.desrt.dconf.service" }
    return services.contains { access($0, R_OK) == 0 } ? nil : "dconf is not installed"
  }

  fileprivate override var backend: String { "dconf" }
  var file: String { home.path + "/config/dconf/user" }
  private var addressFile: String { home.aside + "/bus" }

  private var session: Child?
  private var sessionInput: CInt = -1

  override var environment: [String: String] {
    let address = Files.text(addressFile) ?? "disabled:"
    return super.environment.merging(["DBUS_SESSION_BUS_ADDRESS": address]) { $1 }
  }

  /// Starts a session bus of this home's own, which ends with this process, and lets dconf itself write what is there
  /// from the start.
  func prepare() throws {
    try writeSchema()
    let ends = try Files.pipe()
    defer { Glibc.close(ends.reading) }
    sessionInput = ends.writing
    session = try Child(
      ["dbus-run-session", "--", "sh", "-c", "echo \"$DBUS_SESSION_BUS_ADDRESS\"; exec cat"],
      environment: super.environment, keepsInput: ends.reading)
    guard let address = session?.nextLine(limit: Fixture.patience), !address.isEmpty else {
      throw Failure("dbus-run-session gave no session bus")
    }
    Files.write(address, to: addressFile)
    for key in Fixture.bystanderKeys {
      guard set(key, Fixture.bystanders[key]!) else { throw Failure("gsettings cannot write to dconf here") }
    }
    guard contents != nil else { throw Failure("dconf did not write \(file)") }
  }

  func close() {
    // A worker's: the bus and its service are the driver's.
    guard sessionInput >= 0 else { return }
    Glibc.close(sessionInput)
    sessionInput = -1
    _ = session?.finish(limit: 2000)
    session = nil
    killHelpers()
  }

  deinit { close() }

  /// Kills the service of this home's bus; the next write starts it again.
  func killHelpers() {
    let mark = Array("XDG_RUNTIME_DIR=\(home.aside)".utf8)
    for name in Files.names("/proc") {
      guard let pid = pid_t(name), Files.text("/proc/\(name)/comm") == "dconf-service\n",
        let variables = Files.bytes("/proc/\(name)/environ"),
        variables.split(separator: 0).contains(where: { $0.elementsEqual(mark) })
      else { continue }
      kill(pid, SIGKILL)
    }
  }

  /// The database is binary: whole if its root lies within it. The values are what dconf says.
  func values(in bytes: [UInt8]) -> [String: Int]? {
    guard bytes.starts(with: "GVariant".utf8), bytes.count >= 24 else { return nil }
    func word(_ offset: Int) -> Int {
      bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    guard word(16) <= word(20), word(20) <= bytes.count else { return nil }
    return [:]
  }

  func isWhole(_ bytes: [UInt8]) -> Bool { values(in: bytes) != nil }

  var contents: [String: Int]? {
    guard let bytes = Files.bytes(file), isWhole(bytes) else { return nil }
    let end = Child.run(["gsettings", "list-recursively", "org.example.faults"], environment: environment)
    guard end.code == 0 else { return nil }
    var values: [String: Int] = [:]
    for line in end.text.split(separator: "\n") {
      let words = line.split(separator: " ")
      // The schema has every key, with 0 where nothing is stored.
      if words.count == 3, let value = Int(words[2]), value != 0 { values[String(words[1])] = value }
    }
    for (key, value) in Fixture.bystanders where values[key] != value { return nil }
    return values
  }
}
