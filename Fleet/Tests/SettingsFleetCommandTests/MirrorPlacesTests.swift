import Foundation
import Testing

@testable import settings_fleet

struct MirrorPlacesTests {
  /// What apps read, and nothing else, is in the directory that they read.
  @Test(
    arguments: [
      (["APP_SETTINGS_FLEET_DIR": "/srv/fleet/"], "/srv/fleet"), (["APP_SETTINGS_FLEET_DIR": ""], nil), ([:], nil),
    ] as [([String: String], String?)])
  func `the mirror's own files are beside those that apps read`(_ environment: [String: String], _ files: String?)
    throws
  {
    let places = try MirrorPlaces(environment: environment)
    let files = files ?? "/var/lib/app-settings/fleet"
    #expect([places.files, places.own, places.secrets] == [files, files + "-mirror", files + "-secrets"])
  }

  /// Such as root, who tries it by hand: the service could not read its record any more, and would not start.
  @Test func `another user than the owner of the directory is refused`() throws {
    let root = FileManager.default.temporaryDirectory.path + "/settings-fleet-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: root) }
    let places = try MirrorPlaces(environment: ["APP_SETTINGS_FLEET_DIR": root + "/fleet"])
    try places.checkOwner(as: geteuid() + 1)
    try FileManager.default.createDirectory(atPath: places.own, withIntermediateDirectories: true)
    try places.checkOwner()
    let failure = #expect(throws: Failure.self) { try places.checkOwner(as: geteuid() + 1) }
    #expect(failure?.status == 7, "\(failure as Any)")
    #expect(failure?.message?.hasPrefix("'\(places.own)' belongs to the user '") == true, "\(failure as Any)")
  }

  /// Apps ignore it, so that the mirror would write where nobody reads, or, with the default, where nobody expects it.
  @Test func `a relative directory is refused`() throws {
    let failure = #expect(throws: Failure.self) { try MirrorPlaces(environment: ["APP_SETTINGS_FLEET_DIR": "./srv"]) }
    #expect(failure?.status == 4, "\(failure as Any)")
    #expect(failure?.message?.hasPrefix("Cannot mirror to './srv': $APP_SETTINGS_FLEET_DIR is not an absolute") == true)
  }
}
