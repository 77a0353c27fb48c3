import SettingsFleet
import Testing

struct SealedValueTests {
  static let document = FleetDocument("relay/group/web")!
  static let name = SecretName(["db", "password"])!
  static let key = UnsealingKey()
  static let secret = Array("hunter2 ☃".utf8)

  static func seal(_ secret: [UInt8] = secret, for keys: [UnsealingKey] = [key]) throws -> SealedValue {
    try SealedValue(sealing: secret, as: name, in: document, for: keys.map(\.sealingKey))
  }

  @Test func `keys' files are read back, several from one file, with comments`() throws {
    let keys = try #require(
      UnsealingKey.all(fileText: "# new\n" + Self.key.fileText + "\n# former\n" + UnsealingKey().fileText))
    #expect(keys.count == 2 && keys[0].sealingKey == Self.key.sealingKey)
    #expect(UnsealingKey.all(fileText: "# none\n")?.isEmpty == true)
    let line = Self.key.sealingKey.fileText
    #expect(SealingKey(fileText: line)?.id == Self.key.id && Self.key.id.count == 16)
    #expect(SealingKey(fileText: line.dropLast() + " web 1, rack 4")?.comment == "web 1, rack 4")
    #expect(SealingKey(fileText: Self.key.fileText) == nil && UnsealingKey.all(fileText: line) == nil)
    #expect(SealingKey(fileText: SigningKey().verificationKey.fileText) == nil)
    #expect(UnsealingKey.all(fileText: SigningKey().fileText) == nil)
  }

  @Test func `each of two recipients opens it, and nobody else`() throws {
    let other = UnsealingKey()
    let value = try Self.seal(for: [Self.key, other])
    #expect(value.texts.count == 2)
    for keys in [[Self.key], [other], [UnsealingKey(), other]] {
      #expect(try value.open(as: Self.name, in: Self.document, with: keys) == Self.secret)
    }
    #expect(throws: SealedValue.Failure.otherKeys) {
      try value.open(as: Self.name, in: Self.document, with: [UnsealingKey()])
    }
    #expect(throws: SealedValue.Failure.noKeys) { try value.open(as: Self.name, in: Self.document, with: []) }
  }

  @Test func `after a rotation the new key opens what is sealed again, and the earlier one what was`() throws {
    let new = UnsealingKey()
    let (old, again) = (try Self.seal(), try Self.seal(for: [new]))
    for value in [old, again] {
      #expect(try value.open(as: Self.name, in: Self.document, with: [new, Self.key]) == Self.secret)
    }
    #expect(throws: SealedValue.Failure.otherKeys) { try old.open(as: Self.name, in: Self.document, with: [new]) }
  }

  @Test func `a text that is moved to another key, app or scope does not open`() throws {
    let value = try Self.seal()
    #expect(throws: SealedValue.Failure.changed) {
      try value.open(as: SecretName(["db", "user"])!, in: Self.document, with: [Self.key])
    }
    for other in ["relay/all", "relay/group/db", "relay/host/web", "mail/group/web"] {
      #expect(throws: SealedValue.Failure.changed) {
        try value.open(as: Self.name, in: FleetDocument(other)!, with: [Self.key])
      }
    }
  }

  @Test func `truncated, altered or malformed text does not open`() throws {
    let text = try Self.seal().texts[0]
    let parts = text.split(separator: " ").map(String.init)
    for end in 0..<text.utf8.count {
      #expect(SealedValue(texts: [String(text.prefix(end))]) == nil, "cut at \(end)")
    }
    for wrong in ["", "v1", "v0 a b", "v01 \(parts[1]) \(parts[2])", "v1  \(parts[2])", text + " ", "v1 é b", "x\n"] {
      #expect(SealedValue(texts: [wrong]) == nil, "\(wrong)")
    }
    #expect(SealedValue(texts: []) == nil)
    // Each character of the Base64 has some bits of what is authenticated, but for those at the end.
    let digits = Array(parts[2])
    for index in digits.indices where digits[index] != "=" && index < digits.count - 4 {
      var changed = digits
      changed[index] = digits[index] == "A" ? "B" : "A"
      let value = try #require(SealedValue(texts: ["v1 \(parts[1]) \(String(changed))"]))
      #expect(throws: SealedValue.Failure.changed) {
        try value.open(as: Self.name, in: Self.document, with: [Self.key])
      }
    }
  }

  @Test func `a text of a newer form is not an error beside one that opens`() throws {
    let text = try Self.seal().texts[0]
    let newer = try #require(SealedValue(texts: ["v2 anything at all"]))
    #expect(throws: SealedValue.Failure.newerForm) {
      try newer.open(as: Self.name, in: Self.document, with: [Self.key])
    }
    let both = try #require(SealedValue(texts: ["v2 anything at all", text]))
    #expect(try both.open(as: Self.name, in: Self.document, with: [Self.key]) == Self.secret)
  }

  @Test func `the size says only how many blocks a secret has`() throws {
    let sizes = try [0, 1, 59, 60].map { try Self.seal([UInt8](repeating: 7, count: $0)).texts[0].utf8.count }
    #expect(Set(sizes).count == 1)
    #expect(try Self.seal([UInt8](repeating: 7, count: 61)).texts[0].utf8.count > sizes[0])
    for count in [0, 60, 61, SealedValue.longestSecret] {
      let secret = [UInt8](repeating: 0, count: count)
      #expect(try Self.seal(secret).open(as: Self.name, in: Self.document, with: [Self.key]) == secret)
    }
    #expect(throws: SealedValue.Failure.tooLong) {
      try Self.seal([UInt8](repeating: 7, count: SealedValue.longestSecret + 1))
    }
  }

  @Test func `two seals of one secret differ, and an unusable key is named`() throws {
    #expect(try Self.seal().texts != Self.seal().texts)
    #expect(throws: SealedValue.Failure.noRecipients) { try Self.seal(for: []) }
    // The point of order 1: the shared secret would be known to everybody.
    let zero = try #require(
      SealingKey(fileText: "app-settings-fleet-public-key x25519 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="))
    #expect(throws: SealedValue.Failure.unusableKey(zero.id)) {
      try SealedValue(sealing: Self.secret, as: Self.name, in: Self.document, for: [zero])
    }
  }

  @Test func `a secret's key must be a safe file name`() {
    #expect(SecretName(["db", "pass-word_2"])?.description == "db.pass-word_2")
    let parts = ["", ".", "..", "a/b", "a\0", "a b", "é", "a.b", "a\n"]
    for wrong in [[]] + parts.map({ [$0] }) + parts.map({ ["a", $0] }) {
      #expect(SecretName(wrong) == nil, "\(wrong)")
    }
    #expect(SecretName([String(repeating: "a", count: 200)]) != nil)
    #expect(SecretName([String(repeating: "a", count: 300)]) == nil)
  }
}
