import Testing

/// What is said of the fleet in several places agrees.
struct FleetTests {
  /// The files below `/etc/credstore` that a text names.
  private static func credentials(in path: String) throws -> Set<String> {
    let text = try Repository.lines(of: path).joined(separator: "\n").replacing("\\-", with: "-")
    return Set(text.matches(of: #/\/etc\/credstore\/(settings-fleet\.[a-z-]+)/#).map { String($0.1) })
  }

  @Test func `the guide, the manual page and the help name the credentials that the unit loads`() throws {
    let unit = try Repository.lines(of: "Fleet/Packaging/settings-fleet-mirror.service")
    let loaded = Set(unit.compactMap { $0.wholeMatch(of: /LoadCredential=[a-z-]+:(.+)/).map { String($0.1) } })
    #expect(loaded.count == 3)
    #expect(try Self.credentials(in: "docs/fleet.md") == loaded)
    #expect(try Self.credentials(in: "Fleet/Packaging/settings-fleet.1") == loaded)
    #expect(try Self.credentials(in: "Fleet/Sources/settings-fleet/Verbs/KeyVerb.swift").isSubset(of: loaded))
  }
}
