import AppSettings
import Testing

/// Expects that a value is stored as `stored`, and comes back from it as it was.
func expectRoundTrip<Value: SettingsSerializable & Equatable>(
  _ value: Value, _ stored: TOMLValue, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  #expect(try Value.settingsBridge.write(value) == stored, sourceLocation: sourceLocation)
  #expect(try Value.settingsBridge.read(stored) == value, sourceLocation: sourceLocation)
}

/// Expects that a type refuses a stored value, with a message.
func expectRefusal<Value: SettingsSerializable>(
  _ type: Value.Type, _ stored: TOMLValue, _ message: String, sourceLocation: SourceLocation = #_sourceLocation
) {
  expectError(message, sourceLocation: sourceLocation) { try type.settingsBridge.read(stored) }
}

/// Expects that something throws a `SettingsValueError` with a message.
func expectError<Result>(
  _ message: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
) {
  do {
    let result = try body()
    Issue.record("There was no error, but \(result)", sourceLocation: sourceLocation)
  } catch let error as SettingsValueError {
    #expect(error.message == message, sourceLocation: sourceLocation)
  } catch {
    Issue.record("The error is \(error)", sourceLocation: sourceLocation)
  }
}

/// What a message about a `nil` in an array or a dictionary says of the way out.
let nullReason =
  " (TOML has no null: leave it out, or give the type a bridge that stores another value in its place)"
