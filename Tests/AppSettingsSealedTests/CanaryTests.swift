import AppSettingsGarage
#if SealedRecords
  import AppSettings
  import AppSettingsSealed
  import Crypto
  import Foundation
  import Logging
  import TestSupport
  import Testing

  private struct Safe: Codable, Identifiable, GarageNamed {
    static let recordName = "Safe"
    var id: String
    var body: String
    var more: [String: String] = [:]
    var list: [String] = []
  }

  private struct Chest: Codable, Identifiable, GarageNamed {
    static let recordName = "Chest"
    var id: String
    var body: String
    var more: [String: String] = [:]
    var list: [String] = []
  }

  private struct Paper: Codable, Hashable, GarageNamed {
    static let recordName = "Paper"
    var body: String
    var more: [String: String] = [:]
  }

  /// Types that cannot read what is there, each for a reason of its own.
  private struct Numbers: Codable, Identifiable, GarageNamed {
    static let recordName = "Safe"
    var id: String
    var body: Int
  }

  private struct Keyed: Codable, Identifiable, GarageNamed {
    static let recordName = "Safe"
    var id: String
    var more: [String: Int]
  }

  private struct Thrower: Codable, Identifiable, GarageNamed {
    static let recordName = "Safe"
    struct Words: Error { var words: String }
    var id: String
    var body: String
    init(id: String, body: String) { (self.id, self.body) = (id, body) }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(String.self, forKey: .id)
      body = try container.decode(String.self, forKey: .body)
      throw DecodingError.dataCorruptedError(forKey: .body, in: container, debugDescription: body)
    }
    func encode(to encoder: any Encoder) throws { throw Words(words: body) }
    enum CodingKeys: String, CodingKey { case id, body }
  }

  private struct OtherID: Codable, Identifiable, GarageNamed {
    static let recordName = "Safe"
    var body: String
    var id: String { body }
  }

  private struct Pointing: Codable, Identifiable, GarageNamed {
    static let recordName = "Safe"
    struct CodingKeysOfBody {}
    var id: String
    @Reference var body: Pointing
  }

  /// What was said, and found.
  private final class Texts: Sendable {
    private let texts = Lock<[String]>([])
    func withLock<R>(_ body: (inout [String]) -> R) -> R { texts.withLock { body(&$0) } }
  }

  private final class Number: Sendable {
    private let number = Lock(0)
    func withLock<R>(_ body: (inout Int) -> R) -> R { number.withLock { body(&$0) } }
  }

  /// Plain texts that are known, through every door, and then looked for everywhere.
  ///
  /// `SETTINGS_MODELS=full` uses 10,000 of them.
  struct CanaryTests {
    private let home = ScratchHome()
    private let key = SymmetricKey(size: .bits256)
    private static let isFull = ProcessInfo.processInfo.environment["SETTINGS_MODELS"] == "full"
    private let count = Self.isFull ? 500 : 8
    private let texts = Texts()
    private let number = Number()

    /// Each is another one, so that it can be said where it was.
    private func canary() -> String {
      number.withLock { number in
        number += 1
        return "canary\(number)ñ"
      }
    }

    private var file: String { home.path + "/garage.toml" }

    private struct Handler: LogHandler {
      let texts: Texts
      var metadata: Logger.Metadata = [:]
      var logLevel = Logger.Level.trace
      init(_ texts: Texts) { self.texts = texts }
      subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
      }
      func log(event: LogEvent) { texts.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") } }
    }

    /// A garage whose every call of the system is preceded by a look at all files.
    private func garage(
      _ cipher: GarageCipher?, sealsPlainRecords: Bool = false, looks: Bool = false
    ) throws -> Garage {
      let (directory, texts) = (home.path, texts)
      let system =
        looks
        ? Syscalls { (call, _) throws(Errno) -> Int? in
          if [.rename, .unlink, .fsync].contains(call) { Self.look(at: directory, texts) }
          return nil
        } : Syscalls()
      return Garage(
        at: try SettingsLocation(file: file, environment: home.environment), cipher: cipher,
        sealsPlainRecords: sealsPlainRecords,
        logger: Logger(label: "test") { [texts] _ in Handler(texts) }, system: system)
    }

    private static func look(at directory: String, _ texts: Texts) {
      for name in FileManager.default.enumerator(atPath: directory)?.compactMap({ $0 as? String }) ?? [] {
        guard let data = FileManager.default.contents(atPath: directory + "/" + name) else { continue }
        let text = String(decoding: data, as: UTF8.self)
        if text.contains("canary") { texts.withLock { $0.append("in \(name): \(text)") } }
      }
    }

    /// What a call says, be it thrown or reported.
    private func note(_ garage: Garage, _ body: () throws -> Any?) {
      do {
        // What comes back may hold one: that is not a message.
        _ = try body()
      } catch {
        let settings = error as? SettingsError
        texts.withLock {
          $0.append("\(error) \(String(reflecting: error)) \(settings?.cause ?? "") \(settings?.message ?? "")")
        }
      }
      texts.withLock { $0 += garage.currentProblems.map { "\($0)" } }
    }

    private func expectNoCanary(_ phase: String) {
      Self.look(at: home.path, texts)
      let found = texts.withLock { $0.filter { $0.contains("canary") } }
      #expect(found.isEmpty, "\(phase): \(found.count), \(found.first?.prefix(600) ?? "")")
      texts.withLock { $0 = [] }
    }

    private func rows(_ number: Int, data: String) throws -> String {
      let row: [String: Any] = ["gs_type": "Imported", "gs_identifier": "i\(number)", "gs_data": data]
      return String(decoding: try JSONSerialization.data(withJSONObject: [row]), as: UTF8.self)
    }

    @Test func `no plain text of a sealed record is anywhere, at any time`() throws {
      let garage = try garage(.chaChaPoly(key: key), looks: !Self.isFull)
      func safe(_ number: Int) -> Safe {
        Safe(id: "s\(number)", body: canary(), more: [canary(): canary()], list: [canary(), canary()])
      }
      // Park, change, status, batch, objects without an id.
      try garage.park((0..<count).map(safe))
      for number in 0..<min(count, 40) {
        note(garage) { try garage.park(safe(number)) }
        note(garage) { try garage.setSyncStatus(.notSynced, for: safe(number)) }
        note(garage) { try garage.parkValue(Paper(body: canary(), more: [canary(): canary()])) }
        note(garage) {
          try garage.update { garage in
            try garage.park(safe(number))
            try garage.park(Thrower(id: "t", body: canary()))
          }
          return nil
        }
      }
      try garage.parkValues((0..<count).map { _ in Paper(body: canary(), more: [canary(): canary()]) })
      try garage.park((0..<count).map { Chest(id: "c\($0)", body: canary()) })
      expectNoCanary("writing")

      // Reading by types that cannot, and migrating by them.
      func other(_ cipher: GarageCipher? = nil) throws -> Garage { try self.garage(cipher ?? .chaChaPoly(key: key)) }
      for id in (0..<min(count, 40)).map({ "s\($0)" }) {
        let (a, b, c, d, e) = (try other(), try other(), try other(), try other(), try other())
        note(a) { try a.retrieve(Numbers.self, id: id) }
        note(b) { try b.retrieve(Keyed.self, id: id) }
        note(c) { try c.retrieve(Thrower.self, id: id) }
        note(d) { try d.retrieve(OtherID.self, id: id) }
        note(e) { try e.retrieve(Pointing.self, id: id) }
        note(e) { try e.retrieveAll(Pointing.self) { throw $0 } }
      }
      for (index, type) in [0, 1, 2, 3].enumerated() {
        let garage = try other()
        note(garage) {
          switch index {
          case 0: return try garage.migrateAll(recordName: "Chest", to: Numbers.self)
          case 1: return try garage.migrateAll(recordName: "Chest", to: Thrower.self)
          case 2:
            return try garage.migrateValues(from: Chest.self, to: Paper.self) { throw Thrower.Words(words: $0.body) }
          default:
            return try garage.migrateAll(from: Chest.self, to: Safe.self) {
              throw SettingsValueError(expected: $0.body, foundText: "\(type) \($0.body)", reason: $0.body)
            }
          }
        }
      }
      note(garage) { try garage.migrateAll(from: Chest.self, to: Safe.self) }
      note(garage) { try garage.migrateValues(recordName: "Paper", to: Paper.self) }
      expectNoCanary("reading and migrating")

      // Import, good and bad.
      for number in 0..<min(count, 40) {
        for data in [
          "{\"body\": \"\(canary())\", \"x\": [null, {\"\(canary())\": null}]}", "{\"\(canary())\": \(canary())}",
          "\"\(canary())\"",
          "{\"a\": {\"gs_type\": \"gs_transformableType\", \"\(canary())\": 1}}",
          "{\"n\": 0.12345678901234567890123, \"\(canary())\": 1}",
        ] {
          let rows = try rows(number, data: data)
          note(garage) {
            let report = try garage.importGarageStorage(rows: rows, onConflict: .replace)
            texts.withLock { $0 += report.notes }
            return nil
          }
          note(garage) {
            try garage.importGarageStorage(rows: rows) { throw Thrower.Words(words: $0) }
          }
        }
        note(garage) { try garage.importGarageStorage(rows: "[{\"\(canary())\": \(canary())") }
      }
      expectNoCanary("importing")

      // The wrong key, no key, another algorithm, damage, forgeries, syntax errors.
      let good = try #require(home.text(of: file))
      for cipher in [nil, .aesGCM(key: key), .chaChaPoly(key: SymmetricKey(size: .bits256))] as [GarageCipher?] {
        let wrong = try self.garage(cipher)
        note(wrong) { try wrong.retrieveAll(Safe.self) }
        note(wrong) { try wrong.park(safe(1)) }
        note(wrong) { try wrong.deleteAll(Safe.self) }
        note(wrong) { try wrong.migrateAll(from: Safe.self, to: Chest.self) }
        note(wrong) { try wrong.changeCipher(to: .aesGCM(key: key)) }
      }
      expectNoCanary("wrong keys")
      for number in 0..<min(count, 40) {
        let (text, name) = (canary(), "s\(number)")
        let forged = [
          "[Safe.\(name)]\nbody = \"\(text)\"\n", "[Safe.\(name)]\nbody = \"\(text)\n",
          "[Safe]\n\(name) = \"\(text)\"\n",
          "\(text)\n", "\"\(text)\" = 1\n", "[[Paper]]\nbody = \"\(text)\"\n",
          "[Safe.\(name)]\nsettings-sealed = \"\(text)\"\n",
          "[Safe.\(name)]\nsettings-sealed = \"\(text):AAAA\"\n", "Safe = \"\(text)\"\n", "a = 1\na = \"\(text)\"\n",
        ]
        for text in forged {
          try home.write(text, to: file)
          let garage = try other()
          note(garage) { try garage.retrieveAll(Safe.self) }
          note(garage) { try garage.retrieve(Safe.self, id: name) }
          note(garage) { try garage.retrieveValues(Paper.self) }
          note(garage) { try garage.parkValue(Paper(body: canary())) }
          note(garage) { try garage.migrateAll(from: Safe.self, to: Chest.self) }
          note(garage) {
            garage.reload()
            return nil
          }
        }
      }
      try home.write(good, to: file)
      expectNoCanary("damage")

      // Another key, backups, restores.
      let new = GarageCipher.aesGCM(key: SymmetricKey(size: .bits256))
      try garage.changeCipher(to: new)
      for backup in try garage.backups() {
        note(garage) { try garage.restore(backup) }
        note(garage) { try garage.restore(backup, sealedWith: .chaChaPoly(key: key)) }
      }
      try garage.park(safe(0))
      #expect(try self.garage(new).retrieveAll(Safe.self).contains { $0.body.hasPrefix("canary") })
      expectNoCanary("another key")
      #expect(number.withLock { $0 } >= (Self.isFull ? 10_000 : 300))
    }

    @Test func `no plain text is left after the changeover of a plain garage`() throws {
      let plain = try garage(nil)
      try plain.park((0..<count).map { Safe(id: "s\($0)", body: canary(), more: [canary(): canary()]) })
      try plain.parkValues((0..<count).map { _ in Paper(body: canary()) })
      try plain.park((0..<count).map { Chest(id: "c\($0)", body: canary()) })
      try plain.migrateAll(recordName: "Chest", to: Safe.self)
      try plain.restore(try #require(try plain.backups().first))
      try home.write(
        try #require(home.text(of: file)).replacingOccurrences(
          of: "[Safe.s1]\n", with: "# \(canary())\n[Safe.s1] # \(canary())\n# \(canary())\n"),
        to: file)
      texts.withLock { $0 = [] }
      let sealing = try garage(.chaChaPoly(key: key), sealsPlainRecords: true)
      note(sealing) { try sealing.retrieveAll(Safe.self) }
      note(sealing) { try sealing.retrieve(Numbers.self, id: "s0") }
      try sealing.update { _ in }
      for backup in try sealing.backups() { try sealing.restore(backup) }
      expectNoCanary("changeover")
      #expect(try garage(.chaChaPoly(key: key)).retrieveAll(Safe.self).count == count)
      #expect(try garage(.chaChaPoly(key: key)).retrieveValues(Paper.self).count == count)
    }

    // MARK: Damage

    /// Every byte of a small file, changed in one of its bits or to another that TOML has; all bits in the long form.
    @Test func `no changed byte makes a record another one`() throws {
      let cipher = GarageCipher.chaChaPoly(key: key)
      let garage = try garage(cipher)
      try garage.park([Safe(id: "a", body: "A"), Safe(id: "b", body: "B")])
      try garage.parkValue(Paper(body: "P"))
      try garage.setSyncStatus(.synced, for: Safe(id: "a", body: ""))
      let good = Array(try #require(home.text(of: file)).utf8)
      // What a change is noticed by: reading, or opening all.
      func isNoticedOrHarmless(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        let damaged = Garage(inMemory: text, cipher: cipher)
        do {
          let safes = try damaged.retrieveAll(Safe.self)
          let papers = try damaged.retrieveValues(Paper.self)
          guard safes.allSatisfy({ ["a": "A", "b": "B"][$0.id] == $0.body }), papers.allSatisfy({ $0.body == "P" })
          else {
            return false
          }
          if safes.count == 2, papers.count == 1 { return true }
          // One is gone from its place: then something cannot be opened where it is now.
          try damaged.changeCipher(to: .chaChaPoly(key: SymmetricKey(size: .bits256)))
          return false
        } catch {
          return true
        }
      }
      var missed: [Int] = []
      let bits: [UInt8] = Self.isFull ? (0..<8).map { 1 << $0 } : [1]
      for index in good.indices where Self.isFull || index % 3 == 0 || good[index] < 0x40 {
        for bit in bits {
          var bytes = good
          bytes[index] ^= bit
          if !isNoticedOrHarmless(bytes) { missed.append(index) }
        }
      }
      let place = missed.first.map { String(decoding: good[max(0, $0 - 20)...$0], as: UTF8.self) } ?? ""
      #expect(missed.isEmpty, "\(missed): \(place)")
    }
  }
#endif
