import AppSettings
import Foundation
import Testing

struct SettingsValueTypedTests {
  private struct Point: Codable, Equatable, SettingsSerializable { var x, y: Int }

  @Test func `a stored value is made of any storable one, and read as any`() throws {
    var value = try SettingsValue(Point(x: 1, y: 2))
    #expect(value == ["x": 1, "y": 2])
    #expect(value.get(Point.self) == Point(x: 1, y: 2) && value.get(Int.self) == nil)
    try value.set(["a", "b"])
    #expect(value.get() == ["a", "b"])
    try value.set(URL(string: "https://example.org")!)
    #expect(value.get(URL.self)?.host() == "example.org" && value == "https://example.org")
  }

  @Test func `what TOML cannot hold is refused and changes nothing`() throws {
    var value: SettingsValue = 1
    #expect(throws: SettingsValueError.self) { try value.set(Int?.none) }
    #expect(throws: SettingsValueError.self) { try value.set([1, nil] as [Int?]) }
    #expect(throws: SettingsValueError.self) { try SettingsValue(Date.distantFuture.addingTimeInterval(1e12)) }
    #expect(value == 1)
  }
}
