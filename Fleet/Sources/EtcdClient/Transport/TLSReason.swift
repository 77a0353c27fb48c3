import Glibc
import NIOCore
import NIOSSL

/// Why a TLS connection failed, in plain words.
enum TLSReason {
  /// A member's certificate that is not valid, and why.
  struct Untrusted: Error {
    let reason: String
  }

  static func isVerification(_ error: any Error) -> Bool { name(in: "\(error)") == "CERTIFICATE_VERIFY_FAILED" }

  /// Asks a member again for its certificates, only to say what is wrong with them: BoringSSL does not. Nothing else is
  /// received, and nothing sent that says who this is.
  ///
  /// - Parameters:
  ///   - authority: Where the trusted authorities are, in words.
  ///   - error: What the verification failed with.
  /// - Returns: A future that fails.
  static func explaining(
    _ error: any Error, at address: Address, authority: String, on loop: any EventLoop, by resolver: NameResolver
  ) -> EventLoopFuture<Connection> {
    let certificates = loop.makePromise(of: [NIOSSLCertificate].self)
    let limit = TimeAmount.seconds(3)
    let late = loop.scheduleTask(in: limit) { certificates.fail(error) }
    let channel = address.connect(on: loop, by: resolver, within: limit) { channel in
      channel.eventLoop.makeCompletedFuture {
        let handler = try NIOSSLClientHandler(
          context: NIOSSLContext(configuration: .makeClientConfiguration()), serverHostname: address.serverName,
          customVerificationCallback: { found, verified in
            certificates.succeed(found)
            verified.succeed(.failed)
          })
        try channel.pipeline.syncOperations.addHandler(handler)
      }
    }
    channel.whenFailure { _ in certificates.fail(error) }
    channel.whenSuccess { channel in certificates.futureResult.whenComplete { _ in channel.close(promise: nil) } }
    return certificates.futureResult.flatMapThrowing { found in
      late.cancel()
      throw Untrusted(reason: reason(found, authority: authority, at: time(nil)))
    }
  }

  private static func reason(_ certificates: [NIOSSLCertificate], authority: String, at now: Int) -> String {
    for (index, certificate) in certificates.enumerated() {
      let whose = index == 0 ? "The member's certificate" : "A certificate that the member's depends on"
      let (start, end) = (Int(certificate.notValidBefore), Int(certificate.notValidAfter))
      if end <= now { return "\(whose) expired on \(date(end))." }
      if start > now { return "\(whose) is not valid before \(date(start)). Is this machine's clock right?" }
    }
    return "None of the trusted authorities has signed the member's certificate: those \(authority)."
  }

  /// A time as people read it.
  static func date(_ seconds: Int) -> String {
    var (time, parts) = (time_t(seconds), tm())
    gmtime_r(&time, &parts)
    var text = [CChar](repeating: 0, count: 32)
    strftime(&text, text.count, "%Y-%m-%d %H:%M UTC", &parts)
    return text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  static func text(of error: any Error, host: String) -> String {
    if let error = error as? Untrusted { return error.reason }
    if (error as? NIOSSLExtraError) == .failedToValidateHostname {
      return "The member's certificate is not for '\(host)': its 'subjectAltName' has to list that name or address."
    }
    let name = name(in: "\(error)")
    switch name {
    case "CERTIFICATE_VERIFY_FAILED": return "The member's certificate is not valid."
    case let alert? where alert.contains("ALERT") && (alert.contains("CERTIFICATE") || alert.contains("UNKNOWN_CA")):
      return
        "The member does not accept the client's certificate: it is missing, has expired, or an authority has signed it "
        + "that the member does not trust (\(alert))."
    case let name?: return "The TLS connection failed: \(name)"
    case nil: return "The TLS connection failed: \(error)"
    }
  }

  /// BoringSSL's name for the reason, without the place in its sources, which is that of the machine that built it.
  private static func name(in description: String) -> String? {
    guard let start = description.firstRange(of: "OPENSSL_internal:")?.upperBound else { return nil }
    let name = description[start...].prefix { $0 == "_" || $0.isLetter || $0.isNumber }
    return name.isEmpty ? nil : String(name)
  }
}
