import AppSettings
import Testing
import TestSupport

/// Many edits in one update go in together, and leave the text that they leave one by one.
struct ManyEditsTests {
  let home = ScratchHome()

  private func text(_ value: (Int) -> String) -> String {
    (0..<2_500).map { number in
      switch number % 4 {
      case 0: "[t.\"k \(number)\"] # table \(number)\n  a =  \(value(number))   # comment \(number)\n"
      case 1: "[t.k\(number)]\r\na.b = \(value(number)) # dotted\r\n"
      case 2: "[t.k\(number)]\na = { b = \(value(number)), c = 'c' } # inline\n"
      default: "# above\n[t.k\(number)]\na = [\n  1, # one\n]\nb = \(value(number))\n"
      }
    }.joined(separator: "\n")
  }

  private func key(_ number: Int) -> SettingsKey<Int> {
    switch number % 4 {
    case 0: SettingsKey("t.\"k \(number)\".a", default: 0)
    case 3: SettingsKey("t.k\(number).b", default: 0)
    default: SettingsKey("t.k\(number).a.b", default: 0)
    }
  }

  @Test func `many values set in one update change their own bytes only`() throws {
    try home.write(text { "\($0)" })
    let settings = try home.store()
    try settings.update { for number in 0..<2_500 { $0[key(number)] = number * 7 } }
    #expect(home.text() == text { "\($0 * 7)" })
    #expect(settings[key(2_498)] == 2_498 * 7)
  }

  @Test func `new values among many are where they are if set one by one`() throws {
    let both = [ScratchHome(), ScratchHome()]
    for (index, home) in both.enumerated() {
      try home.write(text { "\($0)" })
      let settings = try home.store()
      func set(_ number: Int, _ transaction: inout SettingsTransaction) {
        transaction[key(number)] = 0
        transaction[SettingsKey("t.k\(number).z", default: 0)] = number
      }
      if index == 0 {
        try settings.update { for number in 0..<2_500 { set(number, &$0) } }
      } else {
        for start in stride(from: 0, to: 2_500, by: 500) {
          try settings.update { for number in start..<start + 500 { set(number, &$0) } }
        }
      }
    }
    #expect(both[0].text() == both[1].text())
  }
}
