public import EtcdClient

/// An authority with a certificate for the members and one for clients, made by openssl.
public struct TestCertificates: Sendable {
  let directory: String

  /// What a client needs.
  public var tls: EtcdTLS {
    EtcdTLS(
      authorityFile: authority, certificateFile: "\(directory)/client.crt", keyFile: "\(directory)/client.key")
  }

  var authority: String { "\(directory)/authority.crt" }
  var memberCertificate: String { "\(directory)/member.crt" }
  var memberKey: String { "\(directory)/member.key" }

  /// Makes new certificates in a directory that exists.
  ///
  /// - Parameter directory: The directory.
  public init(in directory: String) async throws {
    self.directory = directory
    try await Tool.run(
      "openssl",
      [
        "req", "-x509", "-days", "2", "-subj", "/CN=authority", "-keyout", "\(directory)/authority.key", "-out",
        authority,
      ] + Self.newKey, in: directory)
    try await make("member", subject: "/CN=member")
    // A common name would be the user of those who give none.
    try await make("client", subject: "/O=fleet")
  }

  private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

  private func make(_ name: String, subject: String, with program: [String] = ["openssl"]) async throws {
    try await Tool.run(
      program[0],
      program.dropFirst() + [
        "req", "-x509", "-days", "2", "-subj", subject, "-CA", authority, "-CAkey", "\(directory)/authority.key",
        "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE",
        "-addext", "extendedKeyUsage=serverAuth,clientAuth", "-keyout", "\(directory)/\(name).key", "-out",
        "\(directory)/\(name).crt",
      ] + Self.newKey, in: directory)
  }

  /// Makes a certificate that stands for a user.
  ///
  /// - Parameter user: The user's name.
  /// - Returns: What a client of this user needs.
  public func certificate(of user: String) async throws -> EtcdTLS {
    try await make("user-\(user)", subject: "/CN=\(user)")
    var tls = tls
    (tls.certificateFile, tls.keyFile) = ("\(directory)/user-\(user).crt", "\(directory)/user-\(user).key")
    return tls
  }

  /// Makes a client's certificate that was good once, with faketime(1).
  public func expired() async throws -> EtcdTLS {
    try await make("expired", subject: "/O=fleet", with: ["faketime", "-f", "-10d", "openssl"])
    var tls = tls
    (tls.certificateFile, tls.keyFile) = ("\(directory)/expired.crt", "\(directory)/expired.key")
    return tls
  }
}
