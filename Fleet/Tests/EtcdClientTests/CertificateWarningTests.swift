import Testing

@testable import EtcdClient

struct CertificateWarningTests {
  @Test func `a certificate that ends within two weeks is named with its last day`() {
    func warning(_ now: Int) -> String? { TLSContexts.warning(about: "/a.pem", validUntil: 1_800_000_000, at: now) }
    #expect(warning(1_800_000_000 - 14 * 86400) == nil)
    #expect(
      warning(1_800_000_000 - 13 * 86400)
        == "The certificate in '/a.pem' expires on 2027-01-15 08:00 UTC. Replace it by a new one.")
    #expect(warning(1_800_000_000)?.contains("expired on") == true)
  }
}
