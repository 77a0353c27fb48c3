// A key that nobody declared, as an element and as a property.
import AppSettings
import AppSettingsObserve

func unknownKeys(_ settings: SettingsStore) throws {
  // error: type 'SettingsKey<Int>' has no member 'noSuch'
  settings[.noSuch] = 1
  // error: type 'SettingsKey<Any>' has no member 'noSuch'
  print(settings[.noSuch])
  // error: type 'SettingsKey<Int>' has no member 'noSuch'
  take(settings[.noSuch])
  // error: type 'SettingsKey<Int>' has no member 'noSuch'
  let first: Int = settings[.noSuch]
  // error: type 'SettingsKey<Value>' has no member 'noSuch'
  let second = settings[.noSuch]
  print(first, second)

  // error: 'subscript(dynamicMember:)' is unavailable: no extension of 'SettingsKeys' declares a key of this name
  settings.noSuch = 1
  // error: 'subscript(dynamicMember:)' is unavailable: no extension of 'SettingsKeys' declares a key of this name
  print(settings.noSuch)
  // error: 'subscript(dynamicMember:)' is unavailable: no extension of 'SettingsKeys' declares a key of this name
  take(settings.noSuch)
  // error: 'subscript(dynamicMember:)' is unavailable: no extension of 'SettingsKeys' declares a key of this name
  let third: Int = settings.noSuch
  // error: 'subscript(dynamicMember:)' is unavailable: no extension of 'SettingsKeys' declares a key of this name
  let fourth = settings.noSuch
  // error: 'subscript(dynamicMember:)' is unavailable: no extension of 'SettingsKeys' declares a key of this name
  if settings.noSuch {}
  print(third, fourth)

  // error: type 'SettingsKey<Int>' has no member 'noSuch'
  try settings.set(1, for: .noSuch)
  // error: type 'AnySettingsKey' has no member 'noSuch'
  settings.reset(.noSuch)
  // error: type 'SettingsKeys' (aka 'AnySettingsKey') has no member 'noSuch'
  let keys: [SettingsKeys] = [.size, .noSuch]
  print(keys)
  try settings.update { transaction in
    // error: type 'SettingsKey<Int>' has no member 'noSuch'
    transaction[.noSuch] = 1
  }
}
