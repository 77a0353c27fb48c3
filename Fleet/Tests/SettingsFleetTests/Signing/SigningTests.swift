import SettingsFleet
import Testing

struct SigningTests {
  static let document = FleetDocument("editor/group/web")!
  static let digest = TextDigest(of: "a = 1".utf8)

  @Test func `a key's files are read back`() throws {
    let key = SigningKey()
    let read = try #require(SigningKey(fileText: "# mine\n\n" + key.fileText))
    #expect(read.verificationKey == key.verificationKey)
    #expect(VerificationKey(fileText: key.verificationKey.fileText) == key.verificationKey)
    #expect(VerificationKey(fileText: key.fileText) == nil && SigningKey(fileText: key.verificationKey.fileText) == nil)
    #expect(SigningKey(fileText: key.fileText + key.fileText) == nil && SigningKey(fileText: "") == nil)
    #expect(key.verificationKey.id.count == 16)
  }

  @Test func `a signature is of one text, document, version, serial and key`() throws {
    let key = SigningKey()
    let statement = Statement.document(Self.document, version: 3, text: Self.digest)
    let signature = key.sign(statement, serial: 7)
    #expect(key.verificationKey.verifies(signature, of: statement))
    #expect(key.verificationKey.verifies(try #require(DocumentSignature(json: signature.json)), of: statement))
    for other in [
      Statement.document(Self.document, version: 2, text: Self.digest),
      .document(FleetDocument("editor/all")!, version: 3, text: Self.digest),
      .document(FleetDocument("player/group/web")!, version: 3, text: Self.digest),
      .document(Self.document, version: 3, text: TextDigest(of: "a = 2".utf8)),
    ] {
      #expect(!key.verificationKey.verifies(signature, of: other))
    }
    let later = try #require(DocumentSignature(key: signature.key, serial: 8, signature: signature.signature))
    #expect(!key.verificationKey.verifies(later, of: statement))
    #expect(!SigningKey().verificationKey.verifies(signature, of: statement))
  }

  @Test func `the signed bytes are as documented`() {
    let statement = Statement.document(Self.document, version: 3, text: Self.digest)
    #expect(
      String(decoding: statement.bytes(serial: 7), as: UTF8.self) == """
        app-settings fleet document 1
        /app-settings/1/editor/group/web/v3
        7
        \(Self.digest.hex)

        """)
  }

  @Test func `a rollout's signature covers whom it is for, and is none of the document`() {
    let fixture = Fixture()
    let rollout = fixture.rollout("a = 1", target: .share(500)).signed(by: Fixture.key, serial: 7, app: "editor")
    let key = Fixture.key.verificationKey
    #expect(key.verifies(rollout.signature!, of: .rollout(app: "editor", rollout)))
    #expect(!key.verifies(rollout.signature!, of: .rollout(app: "player", rollout)))
    for other in [
      fixture.rollout("a = 1", target: .share(501)), fixture.rollout("a = 1", target: .group("web")),
      fixture.rollout("a = 1", id: "r2", target: .share(500)), fixture.rollout("a = 1", base: 5, target: .share(500)),
      fixture.rollout("a = 2", target: .share(500)), fixture.rollout("a = 1", version: 2, base: 0, target: .share(500)),
    ] {
      #expect(!key.verifies(rollout.signature!, of: .rollout(app: "editor", other)))
    }
    #expect(!key.verifies(rollout.signature!, of: .document(Fixture.document, version: 1, text: rollout.digest)))
  }

  @Test func `a serial is above all others and at least the time`() {
    #expect(DocumentSignature.nextSerial(after: [], millisecondsSince1970: 100) == 100)
    #expect(DocumentSignature.nextSerial(after: [5, 200], millisecondsSince1970: 100) == 201)
    #expect(DocumentSignature.nextSerial(after: [5], millisecondsSince1970: -1) == 6)
    #expect(DocumentSignature.nextSerial(after: [DocumentSignature.mostSerial], millisecondsSince1970: 0) == nil)
    let day: UInt64 = 86_400_000
    func next(_ unverified: [UInt64]) -> UInt64? {
      DocumentSignature.nextSerial(after: [5], millisecondsSince1970: 100, unverified: unverified)
    }
    #expect(next([7]) == 100)
    #expect(next([7, day + 100, day + 101, DocumentSignature.mostSerial]) == day + 101)
    #expect(next([day + 101]) == 100)
  }
}
