package import AppSettings

extension SettingsSchema {
  /// What the history of the app's files has to know of the keys, so that no secret gets into it: each key with its
  /// former names, and the names from which migrations have moved secrets.
  package var historyKeys: [KnownKeys.Entry] {
    keys.flatMap { key in
      (key.isSecret ? migrations.sources(of: key.paths) : key.paths).map {
        KnownKeys.Entry(path: $0, isSecret: key.isSecret)
      }
    }
  }
}
