import NIOSSL

extension EtcdTLS {
  /// The common name in the client's certificate, which etcd takes for the user where no credentials are given; `nil`
  /// without a certificate or a common name, or if the file cannot be read.
  public var commonName: String? {
    guard let bytes = try? certificate?.toDERBytes() else { return nil }
    return Self.commonName(inCertificate: bytes)
  }

  /// The last one of the subject, as Go's `pkix.Name` has it. NIOSSL keeps the name to itself.
  ///
  /// Source: RFC 5280, 4.1.
  static func commonName(inCertificate bytes: [UInt8]) -> String? {
    guard let whole = DERElement.all(in: bytes[...])?.first, let parts = DERElement.all(in: whole.content)?.first,
      var fields = DERElement.all(in: parts.content)
    else { return nil }
    // The version is there unless it is the first one.
    if fields.first?.tag == 0xa0 { fields.removeFirst() }
    // The serial number, the algorithm, the issuer and the validity are before it.
    guard fields.count > 4, let sets = DERElement.all(in: fields[4].content) else { return nil }
    var name: String?
    for attribute in sets.flatMap({ DERElement.all(in: $0.content) ?? [] }) {
      guard let pair = DERElement.all(in: attribute.content), pair.count == 2,
        pair[0].content.elementsEqual([0x55, 4, 3])
      else { continue }
      name = String(validating: pair[1].content, as: UTF8.self)
    }
    return name
  }
}

/// A value with its tag and its length. Source: X.690, 8.1.
private struct DERElement {
  var tag: UInt8
  var content: ArraySlice<UInt8>

  /// The values that follow each other; `nil` if one is cut off.
  static func all(in bytes: ArraySlice<UInt8>) -> [DERElement]? {
    var (rest, elements) = (bytes, [DERElement]())
    while let tag = rest.popFirst() {
      guard var count = rest.popFirst().map(Int.init) else { return nil }
      if count > 0x7f {
        let digits = count - 0x80
        guard (1...3).contains(digits), rest.count >= digits else { return nil }
        count = rest.prefix(digits).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(digits)
      }
      guard rest.count >= count else { return nil }
      elements.append(DERElement(tag: tag, content: rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return elements
  }
}
