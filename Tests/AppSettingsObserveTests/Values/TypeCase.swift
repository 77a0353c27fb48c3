import AppSettings
import AppSettingsObserve
import Foundation
import Testing
import TestSupport

/// A bad text for a type, and what the problem says of it.
struct BadText: Sendable {
  let text: String
  let found: String
  let expected: String

  init(_ text: String, _ found: String, _ expected: String) {
    (self.text, self.found, self.expected) = (text, found, expected)
  }

  /// The column of what is found, in a line that begins with `key = `.
  fileprivate var column: Int {
    let words = found.split(separator: " ", maxSplits: 2)
    guard words.first == "the", let part = words.last.map(String.init) else { return 7 }
    // A key need not have the quotes.
    let place = text.range(of: part) ?? text.range(of: part.replacing("\"", with: ""))
    return 7 + (place.map { text.distance(from: text.startIndex, to: $0.lowerBound) } ?? 0)
  }
}

/// A type with two values as the file has them, and texts that it refuses.
struct TypeCase: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let bad: [BadText]
  let absent: @Sendable () throws -> Void
  let stored: @Sendable () throws -> Void
  let roundTrip: @Sendable () throws -> Void
  let optional: @Sendable () throws -> Void
  let observed: @Sendable () async throws -> Void
  let refuses: @Sendable (BadText) throws -> Void

  /// Makes a case.
  ///
  /// - Parameters:
  ///   - fallback: The key's default.
  ///   - first: A value with its text in the file.
  ///   - second: Another one.
  ///   - bad: Texts that are refused.
  ///   - hasOneForm: Whether a value is always written alike; archives are not.
  init<Value: SettingsSerializable & Equatable & Sendable>(
    _ type: Value.Type, default fallback: Value, _ first: (value: Value, text: String),
    _ second: (value: Value, text: String), bad: BadText..., hasOneForm: Bool = true
  ) {
    testDescription = "\(type)"
    self.bad = bad
    let key = SettingsKey<Value>("key", default: fallback)
    let optionalKey = SettingsKey<Value?>("key")
    let values = [first, second]

    absent = {
      let settings = try ScratchHome().store()
      #expect(settings[key] == fallback)
      #expect(settings[optionalKey] == nil)
      #expect(!settings.isSet(key))
      #expect(settings.isDefault(key))
      #expect(try settings.value(for: key) == fallback)
    }
    stored = {
      for (value, text) in values {
        let home = ScratchHome()
        try home.write("key = \(text)\n")
        let settings = try home.store()
        #expect(settings[key] == value)
        #expect(try settings.value(for: key) == value)
        #expect(settings.isSet(key))
        #expect(settings.isDefault(key) == (value == fallback))
        #expect(settings.currentProblems.isEmpty)
      }
    }
    roundTrip = {
      let home = ScratchHome()
      let settings = try home.store()
      for (value, text) in values {
        try settings.set(value, for: key)
        #expect(settings[key] == value)
        // As a value: a table may be written as a section.
        let written = try TOMLDocument(parsing: Array((home.text() ?? "").utf8))[["key"]]
        if hasOneForm {
          #expect(try written == TOMLValue(parsing: text))
          #expect(try !settings.set(value, for: key))
        }
        #expect(try home.store()[key] == value)
      }
    }
    optional = {
      let home = ScratchHome()
      let settings = SettingsStore(inMemory: "key = \(first.text)\n", logger: .silent)
      #expect(settings[optionalKey] == .some(first.value))
      settings[optionalKey] = second.value
      #expect(settings[optionalKey] == .some(second.value))
      settings[optionalKey] = nil
      #expect(settings[optionalKey] == nil)
      #expect(!settings.isSet(optionalKey))
      _ = home
    }
    observed = {
      let home = ScratchHome()
      let settings = try home.store()
      var values = settings.updates(key).makeAsyncIterator()
      #expect(await values.next() == fallback)
      settings[key] = first.value
      #expect(await values.next() == first.value)
      try await settings.flush()
      try home.replace("key = \(second.text)\n")
      #expect(await values.next() == second.value)
      guard second.value != fallback else { return }
      settings.reset(key)
      #expect(await values.next() == fallback)
    }
    refuses = { bad in
      let home = ScratchHome()
      let text = "# mine\nkey = \(bad.text)  # so\n"
      try home.write(text)
      let settings = try home.store()
      #expect(settings[key] == fallback)
      let problem = try #require(settings.currentProblems.first)
      let place = "line 2, column \(bad.column)"
      #expect(problem.message.hasPrefix("Cannot read 'key': settings.toml has \(bad.found) at \(place)"))
      #expect(problem.message.contains("but the key needs \(bad.expected)"), "\(problem.message)")
      #expect(problem.position?.line == 2 && problem.position?.column == bad.column)
      #expect(throws: SettingsError.self) { try settings.value(for: key) }
      // The text stays until the key is written, and is in a backup then.
      let other = SettingsKey("other", default: 0)
      try settings.set(1, for: other)
      #expect(home.text() == text + "other = 1\n")
      let before = home.text()
      try settings.set(first.value, for: key)
      #expect(settings[key] == first.value)
      let backups = home.backups
      #expect(home.names(in: backups).map { home.text(of: backups + "/" + $0) } == [before])
    }
  }
}
