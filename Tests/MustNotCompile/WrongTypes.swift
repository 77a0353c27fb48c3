// A value of another type than the key's.
import AppSettings

func wrongTypes(_ settings: SettingsStore) throws {
  // error: 'subscript(_:)' is unavailable: a value of the key's type does not allow this
  settings[.size] = "a"
  // error: 'subscript(_:)' is unavailable: a value of the key's type does not allow this
  settings[.size] = 1.5
  // error: 'subscript(_:)' is unavailable: a value of the key's type does not allow this
  settings[.token] = 5
  // error: 'nil' cannot be assigned to subscript of type 'Int'
  settings[.size] = nil
  // error: cannot infer contextual base in reference to member 'drak'
  settings[.theme] = .drak
  // error: 'subscript(_:)' is unavailable: a value of the key's type does not allow this
  settings[.size] += "a"
  // error: 'subscript(_:)' is unavailable: a value of the key's type does not allow this
  settings[.servers] = []

  // error: 'subscript(_:)' is unavailable: a value of the key's type does not allow this
  let text: String = settings[.size]
  // error: 'subscript(_:)' is unavailable: a value of the key's type does not allow this
  take(settings[.name])
  // error: 'subscript(_:)' is unavailable: a value of the key's type does not allow this
  if settings[.size] {}
  // error: cannot infer contextual base in reference to member 'drak'
  if settings[.theme] == .drak {}
  print(text)

  // error: cannot assign value of type 'String' to type 'Int'
  settings.size = "a"
  // error: type 'Theme' has no member 'drak'
  settings.theme = .drak
  // error: cannot convert value of type 'Int' to specified type 'String'
  let other: String = settings.size
  // error: cannot assign value of type 'String' to subscript of type 'Int'
  settings[\.size] = "a"
  print(other)

  // error: member 'size' in 'SettingsKey<String>' produces result of type 'SettingsKey<Int>', but context expects 'SettingsKey<String>'
  try settings.set("a", for: .size)
  try settings.update { transaction in
    // error: 'subscript(_:)' is unavailable: a value of the key's type does not allow this
    transaction[.size] = "a"
  }
}
