// What people type who come from other libraries.
import AppSettings
import AppSettingsObserve

// MARK: UserDefaults

func userDefaults(_ settings: SettingsStore) {
  // error: 'string(forKey:)' is unavailable: declare a key in an extension of 'SettingsKeys', and read 'settings[.name]'
  print(settings.string(forKey: "name") as Any)
  // error: 'bool(forKey:)' is unavailable: declare a key in an extension of 'SettingsKeys', and read 'settings[.name]'
  if settings.bool(forKey: "wrap") {}
  // error: 'integer(forKey:)' is unavailable: declare a key in an extension of 'SettingsKeys', and read 'settings[.name]'
  take(settings.integer(forKey: "size"))
  // error: 'value(forKey:)' is unavailable: declare a key in an extension of 'SettingsKeys', and read 'settings[.name]'
  print(settings.value(forKey: "name") as Any)
  // error: 'set(_:forKey:)' is unavailable: declare a key in an extension of 'SettingsKeys', and write 'settings[.name] = value'
  settings.set("a", forKey: "name")
  // error: 'removeObject(forKey:)' is unavailable: declare a key in an extension of 'SettingsKeys', and write 'settings.reset(.name)'
  settings.removeObject(forKey: "name")
  // error: 'register(defaults:)' is unavailable: a key's declaration has its default: 'SettingsKey("name", default: 12)'
  settings.register(defaults: ["size": 12])
  // error: 'synchronize()' is unavailable: values are written without it; 'try settings.flush()' waits until they are on disk
  settings.synchronize()
  // error: 'dictionaryRepresentation()' is unavailable: read 'settings.snapshot.root'
  print(settings.dictionaryRepresentation())
  // error: 'subscript(_:)' is unavailable: declare a key in an extension of 'SettingsKeys', and write 'settings[.name]'
  settings["size"] = 12
}

// MARK: SwiftyUserDefaults

func swiftyUserDefaults(_ settings: SettingsStore) {
  // error: 'remove' is unavailable: write 'settings.reset(.name)'
  settings.remove(\.size)
  // error: 'hasKey' is unavailable: write 'settings.isSet(.name)'
  if settings.hasKey(\.size) {}
  // error: 'removeAll()' has been renamed to 'resetAll()'
  settings.removeAll()
  // error: 'observe' is unavailable: write '.name' instead of '\.name'
  print(settings.observe(\.size) { size in print(size) })
  // error: 'reset' is unavailable: write '.name' instead of '\.name'
  settings.reset(\.size)
  // error: 'isSet' is unavailable: write '.name' instead of '\.name'
  if settings.isSet(\.size) {}
  // error: cannot find 'Defaults' in scope
  // error: cannot infer key path type from context; consider explicitly specifying a root type
  print(Defaults[\.size])
}

// MARK: Defaults

func defaults(_ settings: SettingsStore) async {
  // The second error is the compiler's way with any unknown name before a '.member'.
  // error: cannot find 'Defaults' in scope
  // error: cannot infer contextual base in reference to member 'size'
  print(Defaults[.size])
  // error: 'publisher' is unavailable: import 'AppSettingsObserve', and write 'for await value in settings.updates(.name)'
  print(settings.publisher(.size))
  // error: 'updates' is unavailable: write '.name' instead of '\.name'
  for await size in settings.updates(\.size) { print(size) }
}
