import Testing

@testable import settings_fleet

struct MirrorPlacesTests {
  /// What apps read, and nothing else, is in the directory that they read.
  @Test(
    arguments: [
      (["APP_SETTINGS_FLEET_DIR": "/srv/fleet/"], "/srv/fleet"), (["APP_SETTINGS_FLEET_DIR": "srv"], nil), ([:], nil),
    ] as [([String: String], String?)])
  func `the mirror's own files are beside those that apps read`(_ environment: [String: String], _ files: String?) {
    let places = MirrorPlaces(environment: environment)
    let files = files ?? "/var/lib/app-settings/fleet"
    #expect([places.files, places.own, places.secrets] == [files, files + "-mirror", files + "-secrets"])
  }
}
