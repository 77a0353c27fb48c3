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
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    try await Tool.run(
      "openssl",
      [
        "req", "-x509", "-days", "2", "-subj", "/CN=authority", "-keyout", "\(directory)/authority.key", "-out",
        authority,
      ]
        + key, in: directory)
    // The gateway of a member is a client of the member, with the member's certificate. A client's certificate must
    // have no common name.
    for (name, subject) in [("member", "/CN=member"), ("client", "/O=fleet")] {
      try await Tool.run(
        "openssl",
        [
          "req", "-x509", "-days", "2", "-subj", subject, "-CA", authority, "-CAkey", "\(directory)/authority.key",
          "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE",
          "-addext", "extendedKeyUsage=serverAuth,clientAuth", "-keyout", "\(directory)/\(name).key", "-out",
          "\(directory)/\(name).crt",
        ] + key, in: directory)
    }
  }
}
