import AppSettings
import EtcdClient
import Glibc
import Logging
import SettingsFleet
import SettingsTools

extension SettingsKeys {
  static let endpoints = SettingsKey(
    "endpoints", default: ["https://127.0.0.1:2379"], .count(1...16),
    "Addresses of the cluster's members: https://HOST:PORT. Commands begin with the first, mirrors with any.")
  static let plaintext = SettingsKey(
    "plaintext", default: false, "Allow http:// endpoints. Whoever is on the network can then read and change all.")
  // Members hash passwords with bcrypt, which takes them tenths of a second of processor time on purpose.
  static let timeout = SettingsKey(
    "timeout", default: Duration.seconds(5), .in(.milliseconds(100) ... .seconds(600)),
    "How long a call to the cluster waits while nothing comes. One that reads gives each member in turn its share of it."
  )
  static let authority = SettingsKey<String?>(
    "tls.authority", .refers(to: .path), "A PEM file with the certificates that sign those of the members.")
  static let certificate = SettingsKey<String?>(
    "tls.certificate", .refers(to: .path), "A PEM file with this machine's or person's certificate.")
  static let certificateKey = SettingsKey<String?>(
    "tls.key", .refers(to: .path),
    "A PEM file with the key of that certificate; by default the credential 'tls-key' of systemd.")
  static let user = SettingsKey<String?>("user", "The user of etcd.")
  static let password = SettingsKey<String?>("password", .secret, "The password of that user.")
  static let passwordFile = SettingsKey<String?>(
    "password-file", .refers(to: .path),
    "A file with the password of that user, in place of 'password'. It is read again when the cluster refuses it.")
  static let expected = SettingsKey(
    "expected", default: [String](), .count(0...10_000),
    "The hosts whose mirrors have to be there: 'settings-fleet status' names those that are missing.")
  static let signingKey = SettingsKey<String?>(
    "signing-key", .refers(to: .path),
    "A file with the Ed25519 key that signs what you write. See 'settings-fleet key'.")
  static let trustedKeys = SettingsKey(
    "trusted-keys", default: [String](), .count(0...64),
    "Public keys. If there is one, mirrors apply and commands edit only documents that one of them signed.")
  static let sealingKeys = SettingsKey(
    "sealing-keys", default: [String](), .count(0...64),
    "Public keys for which 'settings-fleet seal' seals secrets, each with a comment after it if you like.")
  static let unsealingKeys = SettingsKey(
    "unsealing-keys", default: [String](), .count(0...64), .refers(to: .path),
    "Files with the keys that open sealed secrets on this machine. See 'settings-fleet key --sealing'.")
  static let machine = SettingsKey<String?>(
    "machine", .matching(#"[A-Za-z0-9_][A-Za-z0-9._\-]{0,252}"#),
    "The id of this machine, unlike any other; by default that of /etc/machine-id.")
  static let host = SettingsKey<String?>(
    "host", .matching(#"[A-Za-z0-9_][A-Za-z0-9._\-]{0,252}"#),
    "The name of this machine; by default that of 'uname -n'.")
  static let groups = SettingsKey(
    "groups", default: [String](), .count(0...64), "The groups that this machine is in.")
  static let apps = SettingsKey<[String]?>("apps", "The apps whose documents are mirrored; by default all.")
  static let healthCheck = SettingsKey(
    "check", default: [String](),
    "A command and its arguments, which the mirror runs with APP at its end. A rollout can require that it exits 0.",
    .refers(to: .command))
}

/// How this machine or person reaches the fleet: the settings of the app `settings-fleet`.
///
/// They come from files of the machine and the person. What is in the fleet's directory is ignored here.
struct FleetSettings {
  static let app = FleetNames.ownApp

  let store: SettingsStore
  private let environment: [String: String]

  init(environment: [String: String]) throws {
    do {
      // Nothing can be below a device.
      let machines = environment.merging(["APP_SETTINGS_FLEET_DIR": "/dev/null"]) { $1 }
      store = SettingsStore(
        at: try SettingsLocation(app: Self.app, environment: machines),
        logger: Logger(label: Self.app) { _ in SwiftLogNoOpLogHandler() })
    } catch {
      throw Failure(.invalidValue, error.description)
    }
    self.environment = environment
    try check()
  }

  /// Throws if a file or a value cannot be used: a default in the place of the keys to trust would trust everybody.
  private func check() throws {
    func failure(_ reason: String) -> Failure {
      Failure(.invalidValue, "Cannot use the settings of '\(Self.app)': \(reason)")
    }
    let snapshot = store.snapshot
    if let problem = store.currentProblems.first { throw failure(problem.message) }
    for key in Self.keys {
      guard let value = snapshot.stored(for: key) else { continue }
      do throws(SettingsValueError) {
        try key.check(value)
      } catch {
        let file = store.origin(of: key).layer.file.map { " in '\($0)'" } ?? ""
        throw failure("'\(key.path)'\(file) is not what is needed. \(key.isSecret ? error.redacted : error)")
      }
    }
    for text in store[.trustedKeys] { _ = try Self.verificationKey(text) }
  }

  /// All keys, for the schema.
  static let keys: [AnySettingsKey] = [
    .endpoints, .plaintext, .timeout, .authority, .certificate, .certificateKey, .user, .password, .passwordFile,
    .signingKey, .trustedKeys, .sealingKeys, .unsealingKeys, .machine, .host, .groups, .apps, .expected, .healthCheck,
  ]

  /// Where the cluster is, and what proves who this is.
  ///
  /// - Throws: ``Failure`` if an endpoint is not encrypted and ``SettingsKeys/plaintext`` does not allow that.
  func cluster() throws -> EtcdConfiguration {
    let endpoints = store[.endpoints]
    for endpoint in endpoints where !endpoint.hasPrefix("https://") {
      guard endpoint.hasPrefix("http://") else {
        throw Failure(
          .invalidValue,
          "Invalid endpoint '\(endpoint)': an address such as https://etcd1.example:2379 is needed. "
            + "Set 'endpoints' of '\(Self.app)'.")
      }
      guard store[.plaintext] else {
        throw Failure(
          .invalidValue,
          "The endpoint '\(endpoint)' is not encrypted: whoever is on the network could read and change every setting. "
            + "Use https://, or allow it with 'settings-cli set \(Self.app) plaintext true'.")
      }
    }
    var configuration = EtcdConfiguration(
      endpoints: endpoints, tls: try tls(), credentials: try credentials(), deadline: store[.timeout])
    configuration.renewedCredentials = {
      store.core.look()
      store.core.lookAround()
      return try? credentials()
    }
    return configuration
  }

  /// The user and the password; `nil` if no user is set.
  private func credentials() throws -> EtcdCredentials? {
    guard let user = store[.user] else { return nil }
    if let path = store[.passwordFile] {
      var password = try Self.secret(in: path, of: "password-file")
      if password.last == UInt8(ascii: "\n") { password.removeLast() }
      guard !password.isEmpty else {
        throw Failure(.invalidValue, "'\(path)', the 'password-file' of '\(Self.app)', is empty.")
      }
      return EtcdCredentials(user: user, password: String(decoding: password, as: UTF8.self))
    }
    guard let password = store[.password] else {
      throw Failure(
        .invalidValue,
        "The user '\(user)' has no password. Give it in the credential 'password' of systemd, or set 'password' or "
          + "'password-file' of '\(Self.app)'.")
    }
    return EtcdCredentials(user: user, password: password)
  }

  /// The certificates; `nil` if no endpoint needs them.
  ///
  /// - Throws: ``Failure`` for a certificate without its key, or a key without its certificate.
  private func tls() throws -> EtcdTLS? {
    guard store[.endpoints].contains(where: { $0.hasPrefix("https://") }) else { return nil }
    let certificate: String? = store[.certificate]
    var key: String? = store[.certificateKey]
    if key == nil, certificate != nil, let directory = environment["CREDENTIALS_DIRECTORY"],
      access(directory + "/tls-key", R_OK) == 0
    {
      key = directory + "/tls-key"
    }
    guard (certificate == nil) == (key == nil) else {
      throw Failure(
        .invalidValue,
        certificate == nil
          ? "'tls.key' of '\(Self.app)' is set, and 'tls.certificate' is not. Set both, or none of them."
          : "'tls.certificate' of '\(Self.app)' is set, and there is no key: set 'tls.key', or give it in the "
            + "credential 'tls-key' of systemd.")
    }
    return EtcdTLS(authorityFile: store[.authority], certificateFile: certificate, keyFile: key)
  }

  /// This machine, as documents see it.
  func machineFacts() throws -> Machine {
    do {
      return try Machine(
        id: try store[.machine] ?? Self.machineID(), host: store[.host] ?? MachineFacts.names.host,
        groups: store[.groups], apps: store[.apps].map(Set.init),
        trustedKeys: try store[.trustedKeys].map(Self.verificationKey))
    } catch let problem as FleetProblem {
      throw Failure(.invalidValue, problem.message)
    }
  }

  /// The key that signs what this person writes; `nil` if none is set.
  func signer() throws -> SigningKey? {
    guard let path = store[.signingKey] else { return nil }
    return try Self.signingKey(try Self.secret(in: path, of: "signing-key"), path)
  }

  /// - Parameter path: That of the file which has the bytes.
  static func signingKey(_ bytes: [UInt8], _ path: String) throws -> SigningKey {
    if let key = SigningKey(fileText: String(decoding: bytes, as: UTF8.self)) { return key }
    throw Failure(.invalidValue, "'\(path)' is not a signing key. 'settings-fleet key FILE' makes one.")
  }

  /// Whose signatures count for this person: the trusted keys, and their own.
  func trust() throws -> Trust {
    Trust(try store[.trustedKeys].map(Self.verificationKey) + [try signer()?.verificationKey].compactMap(\.self))
  }

  /// The user of etcd, who is set or whose certificate this is.
  var user: String? { (store[.user] ?? (try? tls())?.commonName).flatMap { $0.isEmpty ? nil : $0 } }

  /// What is said of the trusted keys in the settings, by their ids.
  func namesOfTrustedKeys() -> [String: String] {
    let names = store[.trustedKeys].compactMap { text in
      VerificationKey(fileText: text).map { ($0.id, text.split(separator: " ").dropFirst(3).joined(separator: " ")) }
    }
    return Dictionary(names.filter { !$0.1.isEmpty }) { first, _ in first }
  }

  /// Whom this person seals secrets for.
  func sealingKeys() throws -> [SealingKey] {
    try store[.sealingKeys].map { text in
      if let key = SealingKey(fileText: text) { return key }
      throw Failure(
        .invalidValue,
        "Cannot use '\(text)' in 'sealing-keys' of '\(Self.app)': use the line that 'settings-fleet key --sealing' "
          + "prints.")
    }
  }

  /// What opens sealed secrets on this machine: the keys in the files that are set, and in the credential
  /// `unsealing-key` of systemd.
  func unsealingKeys() throws -> [UnsealingKey] {
    let directory = environment["CREDENTIALS_DIRECTORY"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    var keys: [UnsealingKey] = []
    if let path = directory.map({ $0 + "/unsealing-key" }), let bytes = try File.readIfThere(path) {
      keys += try Self.unsealingKeys(bytes, path)
    }
    for path in store[.unsealingKeys] {
      keys += try Self.unsealingKeys(try Self.secret(in: path, of: "unsealing-keys"), path)
    }
    return keys
  }

  /// The bytes of a file that a setting names, and that nobody else may read.
  private static func secret(in path: String, of setting: String) throws -> [UInt8] {
    let status: FileStatus?
    do throws(File.Failed) {
      // What is no file is said before whose it is: nothing makes it one.
      let bytes = try File.read(path)
      status = try File.status(path)
      if let status, status.permissions & 0o007 == 0 { return bytes }
    } catch {
      throw Failure(.io, "\(error) The setting '\(setting)' of '\(app)' names that file.")
    }
    let isOwn = [status?.owner, 0].contains(geteuid())
    throw Failure(
      .invalidValue,
      "Others can read '\(path)', which holds a secret. "
        + (isOwn ? "Run: chmod 600 '\(path)'" : "It is not yours: name a file that only you can read."))
  }

  /// - Parameters:
  ///   - path: That of the file which has the bytes.
  ///   - least: How many keys it has to have.
  static func unsealingKeys(_ bytes: [UInt8], _ path: String, atLeast least: Int = 0) throws -> [UnsealingKey] {
    if let keys = UnsealingKey.all(fileText: String(decoding: bytes, as: UTF8.self)), keys.count >= least {
      return keys
    }
    throw Failure(
      .invalidValue, "'\(path)' is not a key that opens secrets. 'settings-fleet key --sealing FILE' makes one.")
  }

  private static func verificationKey(_ text: String) throws -> VerificationKey {
    if let key = VerificationKey(fileText: text) { return key }
    throw Failure(
      .invalidValue,
      "Cannot use '\(text)' in 'trusted-keys' of '\(app)': use the line that 'settings-fleet key' prints.")
  }

  /// The machine's id. Source: machine-id(5).
  private static func machineID() throws -> String {
    let text = (try? File.read("/etc/machine-id")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let id = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    guard isHex(id, count: 32) else {
      throw Failure(
        .invalidValue,
        "This machine has no id: '/etc/machine-id' is missing or empty. Run 'systemd-machine-id-setup', or set 'machine' "
          + "of '\(app)'.")
    }
    return id
  }
}
