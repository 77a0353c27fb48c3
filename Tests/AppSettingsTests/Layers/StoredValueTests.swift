import AppSettings
import Testing

/// What there is for a key, and how it is read as a type.
struct StoredValueTests {
  private let number = SettingsKey("a", default: 0)
  private let text = SettingsKey("a", default: "")
  private let flag = SettingsKey("a", default: false)

  @Test func `what is absent has no value`() throws {
    #expect(try StoredValue.absent.decoded(by: number) == nil)
    #expect(StoredValue.absent.value == nil && StoredValue.absent.candidates == [])
  }

  @Test func `a value is read as it is`() throws {
    let value = StoredValue.value(.integer(7))
    #expect(try value.decoded(by: number) == 7)
    #expect(value.value == .integer(7) && value.candidates == [.integer(7)])
    #expect(throws: SettingsValueError.self) { try value.decoded(by: text) }
  }

  @Test func `the text of an override is read as the type of the key`() throws {
    let value = StoredValue.text("1")
    #expect(try value.decoded(by: number) == 1)
    #expect(try value.decoded(by: text) == "1")
    #expect(try value.decoded(by: flag) == true)
    #expect(value.value == .integer(1))
    #expect(value.candidates == [.integer(1), .string("1"), .boolean(true)])
  }

  @Test func `a text that no type reads is refused for what it is most likely meant as`() throws {
    let value = StoredValue.text("[1, 2]")
    #expect(throws: SettingsValueError.self) { try value.decoded(by: number) }
    do {
      _ = try value.decoded(by: number)
    } catch {
      #expect(error.message.contains("array"), "\(error.message)")
    }
  }

  @Test(arguments: [("YES", true), ("n", false), ("true", true), ("0", false), ("t", true)])
  func `a text may be a boolean in several words`(word: String, isTrue: Bool) throws {
    #expect(try StoredValue.text(word).decoded(by: flag) == isTrue)
  }
}
