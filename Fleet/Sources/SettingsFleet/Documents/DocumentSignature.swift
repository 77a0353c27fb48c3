/// A signature as it is stored beside a document or in a rollout.
///
/// In JSON: `{"key": "…", "serial": 7, "signature": "…"}`, with the signature's 64 bytes in Base64.
public struct DocumentSignature: Hashable, Sendable {
  /// The id of the key that signed: ``VerificationKey/id``.
  public let key: String
  /// Grows with each text of a document, over all its versions and rollouts. At most ``mostSerial``.
  public let serial: UInt64
  /// The Ed25519 signature: 64 bytes.
  public let signature: [UInt8]

  /// The largest serial: what a number of JSON holds in every reader.
  public static let mostSerial: UInt64 = 1 << 53 - 1

  /// Takes a signature; `nil` if a part has an impossible form.
  public init?(key: String, serial: UInt64, signature: [UInt8]) {
    guard FleetNames.isName(key), serial <= Self.mostSerial, signature.count == 64 else { return nil }
    self.key = key
    self.serial = serial
    self.signature = signature
  }

  /// Reads the value of a signature's key in etcd; `nil` if it is not a signature or larger than 4 KiB.
  public init?(json: [UInt8]) {
    guard let read = FleetJSON.decode(Self.self, from: json) else { return nil }
    self = read
  }

  /// The value for a signature's key in etcd.
  public var json: [UInt8] { FleetJSON.encode(self) }

  /// The highest serial that is taken into account without a proof.
  public static func mostUnverified(at millisecondsSince1970: Int64) -> UInt64 {
    UInt64(max(0, millisecondsSince1970)).addingReportingOverflow(86_400_000).partialValue
  }

  /// The serial for a document's next text.
  ///
  /// It is above all that there are, and at least the time in milliseconds: a document that was removed, or a restored
  /// backup, has lost the last serials, and texts that are signed then still get a higher one than any machine has had.
  ///
  /// - Parameters:
  ///   - serials: The serials of all versions of the document and of its rollout that a trusted key has signed.
  ///   - millisecondsSince1970: The time.
  ///   - unverified: Serials of other signatures. The next one is also above those of at most a day from now: a signer's
  ///     clock may be ahead, and the text overwritten by somebody else. Who has no key uses up no more than that day.
  /// - Returns: `nil` if there is no higher one.
  public static func nextSerial(
    after serials: some Sequence<UInt64>, millisecondsSince1970: Int64, unverified: [UInt64] = []
  ) -> UInt64? {
    let now = UInt64(max(0, millisecondsSince1970))
    let most = mostUnverified(at: millisecondsSince1970)
    let last = max(serials.max() ?? 0, unverified.filter { $0 <= most }.max() ?? 0)
    let next = max(last + 1, now)
    return next <= mostSerial ? next : nil
  }
}

extension DocumentSignature: Codable {
  private enum CodingKeys: CodingKey { case key, serial, signature }

  /// Reads a signature.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let base64 = try container.decode(String.self, forKey: .signature)
    guard let bytes = FleetJSON.bytes(base64: base64),
      let signature = DocumentSignature(
        key: try container.decode(String.self, forKey: .key),
        serial: try container.decode(UInt64.self, forKey: .serial),
        signature: bytes)
    else { throw decoder.corrupted("This is not a signature.") }
    self = signature
  }

  /// Writes the signature.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(key, forKey: .key)
    try container.encode(serial, forKey: .serial)
    try container.encode(FleetJSON.base64(signature), forKey: .signature)
  }
}
