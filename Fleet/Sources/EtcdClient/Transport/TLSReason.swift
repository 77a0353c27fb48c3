import NIOSSL

/// Why a TLS connection failed, in plain words.
enum TLSReason {
  static func text(of error: any Error, host: String) -> String {
    if (error as? NIOSSLExtraError) == .failedToValidateHostname {
      return "The member's certificate is not for '\(host)': its 'subjectAltName' has to list that name or address."
    }
    let name = name(in: "\(error)")
    switch name {
    case "CERTIFICATE_VERIFY_FAILED":
      return "The member's certificate is not valid: it has expired, or none of the trusted authorities has signed it."
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
