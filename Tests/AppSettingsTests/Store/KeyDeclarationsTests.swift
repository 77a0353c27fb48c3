import AppSettings
import Testing

/// Declarations of one name, that agree or not.
struct KeyDeclarationsTests {
  private let declarations = KeyDeclarations()
  private let problems = ProblemLog(logger: .silent)

  @Test func `keys of one name and type agree, and are listed once`() {
    let first = SettingsKey("size", default: 1)
    for key in [first, first, SettingsKey("size", default: 2), SettingsKey("other", default: 0)] {
      declarations.note(key, problems)
    }
    #expect(problems.current == [])
    #expect(Set(declarations.keys.map(\.path)) == [["other"], ["size"]])
    #expect(declarations.keys.contains { $0 === first })
  }

  @Test func `keys of one name and two types are one problem, whichever is used first and however often`() {
    let (number, text) = (SettingsKey("size", default: 1), SettingsKey("size", default: ""))
    for _ in 0..<3 {
      declarations.note(text, problems)
      declarations.note(number, problems)
    }
    #expect(problems.current.count == 1)
    #expect(problems.current.first?.code == .invalidKey && problems.current.first?.path == ["size"])
    #expect(
      problems.current.first?.message.hasPrefix(
        "The key 'size' is declared twice, with the types Int and String. Each uses its own type, so one may") == true)
    #expect(declarations.keys.count == 1)

    let otherLog = ProblemLog(logger: .silent)
    let others = KeyDeclarations()
    others.note(number, otherLog)
    others.note(text, otherLog)
    #expect(otherLog.current == problems.current)
  }

  @Test func `a key that agrees in one store is checked in another`() {
    let (number, text) = (SettingsKey("size", default: 1), SettingsKey("size", default: ""))
    declarations.note(number, problems)
    let others = KeyDeclarations()
    others.note(text, problems)
    #expect(problems.current == [])
    others.note(number, problems)
    #expect(problems.current.count == 1)
  }

  @Test func `a key and a table of records of its name disagree`() {
    let key = SettingsKey("hosts", default: 1)
    declarations.note(key, problems)
    declarations.note(key, as: [String].self, problems)
    // It has agreed before, and is not looked at again.
    #expect(problems.current == [])
    declarations.note(SettingsKey("hosts", default: 1), as: [String].self, problems)
    #expect(problems.current.count == 1)
  }
}
