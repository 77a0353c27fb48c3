package import AppSettings

extension SettingsSchema {
  /// Every name that a secret has or had: its names, and those from which migrations have moved it.
  package var secretNames: [TOMLPath] { migrations.sources(of: keys.filter(\.isSecret).flatMap(\.paths)) }

  /// What the history of the app's files has to know of the keys, so that no secret gets into it.
  package var historyKeys: [KnownKeys.Entry] {
    secretNames.map { KnownKeys.Entry(path: $0, isSecret: true) }
      + keys.filter { !$0.isSecret }.flatMap(\.paths).map { KnownKeys.Entry(path: $0, isSecret: false) }
  }
}
