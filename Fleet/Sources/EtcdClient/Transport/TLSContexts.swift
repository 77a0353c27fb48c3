import AppSettings
import Glibc
import NIOSSL
import Synchronization

/// What TLS connections are made with, as the files have it at that time: a renewed certificate is used by the next
/// connection.
final class TLSContexts: Sendable {
  private struct State {
    var context: NIOSSLContext
    /// What tells the files from those that were there before.
    var stamp: [FileStatus?]
  }

  private let tls: EtcdTLS
  /// Protects the context that was made last.
  private let state: Mutex<State>

  /// - Throws: ``EtcdError`` with code `certificate` if a file cannot be used.
  init(_ tls: EtcdTLS) throws(EtcdError) {
    self.tls = tls
    let stamp = Self.stamp(of: tls)
    state = Mutex(State(context: try tls.context(), stamp: stamp))
  }

  /// The context for a new connection. As long as changed files cannot be used, such as a new certificate whose key has not
  /// been replaced yet, it is the earlier one.
  var current: NIOSSLContext {
    state.withLock { state in
      let stamp = Self.stamp(of: tls)
      if stamp != state.stamp, let context = try? tls.context() {
        state = State(context: context, stamp: stamp)
      }
      return state.context
    }
  }

  /// That the client's certificate has expired, or will within two weeks; `nil` if it is good for longer.
  ///
  /// - Parameter now: The time, in seconds since 1970.
  func warning(at now: Int) -> String? {
    guard let file = tls.certificateFile, let certificate = tls.certificate else { return nil }
    return Self.warning(about: file, validUntil: certificate.notValidAfter, at: now)
  }

  static func warning(about file: String, validUntil end: Int, at now: Int) -> String? {
    guard end < now + 14 * 86400 else { return nil }
    let word = end <= now ? "expired" : "expires"
    return "The certificate in '\(file)' \(word) on \(TLSReason.date(end)). Replace it by a new one."
  }

  /// What the members' certificates are verified with, in words.
  var authority: String { tls.authorityFile.map { "in '\($0)'" } ?? "of the system" }

  private static func stamp(of tls: EtcdTLS) -> [FileStatus?] {
    [tls.authorityFile, tls.certificateFile, tls.keyFile].map { $0.flatMap { try? Syscalls().status(at: $0) } }
  }
}

extension EtcdTLS {
  /// The client's certificate; `nil` without one, or if it cannot be read.
  var certificate: NIOSSLCertificate? {
    guard let file = certificateFile, !Self.isNoFile(file) else { return nil }
    return try? NIOSSLCertificate.fromPEMFile(file).first
  }

  /// Whether something other than a file is in its place, such as a pipe: opening that may block forever.
  private static func isNoFile(_ path: String) -> Bool {
    (try? Syscalls().status(at: path)).map { !$0.isRegular } ?? false
  }

  fileprivate func context() throws(EtcdError) -> NIOSSLContext {
    var settings = TLSConfiguration.makeClientConfiguration()
    settings.minimumTLSVersion = .tlsv12
    settings.applicationProtocols = ["h2"]
    settings.trustRoots =
      try Self.read(authorityFile, "certificates") { .certificates(try NIOSSLCertificate.fromPEMFile($0)) } ?? .default
    settings.certificateChain =
      try Self.read(certificateFile, "a certificate") { try NIOSSLCertificate.fromPEMFile($0).map { .certificate($0) } }
      ?? []
    settings.privateKey = try Self.read(keyFile, "a key") { .privateKey(try NIOSSLPrivateKey(file: $0, format: .pem)) }
    do {
      return try NIOSSLContext(configuration: settings)
    } catch {
      let files = [certificateFile, keyFile].compactMap { $0 }.joined(separator: "' and '")
      throw EtcdError(.certificate, "The key and the certificate in '\(files)' do not belong together.")
    }
  }

  private static func read<Value>(
    _ file: String?, _ what: String, _ body: (String) throws -> Value
  ) throws(EtcdError) -> Value? {
    guard let file else { return nil }
    guard !isNoFile(file) else { throw EtcdError(.certificate, "'\(file)' cannot be read: it is not a regular file") }
    guard faccessat(AT_FDCWD, file, R_OK, AT_EACCESS) == 0 else {
      throw EtcdError(.certificate, "'\(file)' cannot be read: \(String(cString: strerror(errno)))")
    }
    do {
      return try body(file)
    } catch {
      throw EtcdError(.certificate, "'\(file)' does not have \(what) in PEM form.")
    }
  }
}
