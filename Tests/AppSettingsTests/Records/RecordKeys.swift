import AppSettings
import Foundation
import Synchronization

/// A record with its id among its properties, some of them new in this release.
struct Server: Codable, Identifiable, Sendable, Equatable {
  var id: String
  var region = "eu"
  var port: Int?
}

struct Slot: Codable, Identifiable, Sendable, Equatable {
  var id: Int
  var label: String
}

struct Device: Codable, Identifiable, Sendable, Equatable {
  var id: UUID
  var name: String
}

/// An id of a type of one's own, that is not stored as a setting anywhere else.
struct ReleaseNumber: Hashable, Sendable, LosslessStringConvertible {
  var major: Int
  var minor: Int

  init(_ major: Int, _ minor: Int) { (self.major, self.minor) = (major, minor) }

  init?(_ description: String) {
    let parts = description.split(separator: ".").map { Int($0) }
    guard parts.count == 2, let major = parts[0], let minor = parts[1] else { return nil }
    self.init(major, minor)
  }

  var description: String { "\(major).\(minor)" }
}

/// A record whose fields say nothing of its id.
struct Release: Codable, Identifiable, Sendable, Equatable {
  var version = ReleaseNumber(0, 0)
  var notes: String
  var id: ReleaseNumber { version }

  enum CodingKeys: String, CodingKey { case notes, id }

  init(_ version: ReleaseNumber, _ notes: String) { (self.version, self.notes) = (version, notes) }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    notes = try fields.decode(String.self, forKey: .notes)
    let text = try fields.decode(String.self, forKey: .id)
    guard let version = ReleaseNumber(text) else { throw SettingsValueError(expected: "a version", foundText: text) }
    self.version = version
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(notes, forKey: .notes)
  }
}

/// A record whose id is one of its other properties.
struct Host: Codable, Identifiable, Sendable, Equatable {
  var host: String
  var port = 22
  var id: String { host }
}

/// A record of which there is one for each case at most.
struct Side: Codable, Identifiable, Sendable, Equatable {
  enum Name: String, Codable, SettingsSerializable { case left, right }
  var id: Name
  var width: Int
}

/// A record that makes itself an id where it is given none, as many types do.
struct Note: Codable, Identifiable, Sendable, Equatable {
  var id: UUID
  var text: String

  init(id: UUID, text: String) { (self.id, self.text) = (id, text) }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    id = try fields.decodeIfPresent(UUID.self, forKey: .id) ?? UUID()
    text = try fields.decode(String.self, forKey: .text)
  }
}

/// A record that counts how often one is decoded.
struct Counted: Codable, Identifiable, Sendable, Equatable {
  static let decodings = Atomic<Int>(0)
  var id: String
  var value: Int

  init(id: String, value: Int) { (self.id, self.value) = (id, value) }

  init(from decoder: any Decoder) throws {
    Self.decodings.wrappingAdd(1, ordering: .relaxed)
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    id = try fields.decode(String.self, forKey: .id)
    value = try fields.decode(Int.self, forKey: .value)
  }
}

extension SettingsKeys {
  static let servers = SettingsRecordKey<Server>("servers", "Where to connect to.")
  static let slots = SettingsRecordKey<Slot>("slots")
  static let devices = SettingsRecordKey<Device>("devices")
  static let releases = SettingsRecordKey<Release>("history.releases")
  static let hosts = SettingsRecordKey<Host>("hosts", over: Host(host: "", port: 22))
  static let sides = SettingsRecordKey<Side>("sides")
  static let notes = SettingsRecordKey<Note>("notes")
  static let secretServers = SettingsRecordKey<Server>("secret-servers", .secret)
}
