import Synchronization

extension SettingsStore {
  private static let chosen = AtomicLazyReference<SettingsStore>()

  /// The program's main store, for code without access to another one, such as the property wrapper `@Setting`.
  ///
  /// Set it once, at the start of the program. Reading it earlier, or setting another store later, is a programming
  /// error and traps: the store of a value must not depend on what ran first.
  ///
  /// ```swift
  /// SettingsStore.default = try SettingsStore(app: "org.example.editor")
  /// ```
  ///
  /// Any thread may read it.
  public static var `default`: SettingsStore {
    get {
      guard let store = chosen.load() else {
        preconditionFailure("There is no default settings store. Set 'SettingsStore.default' as the program starts.")
      }
      return store
    }
    set {
      precondition(
        chosen.storeIfNil(newValue) === newValue,
        "The default settings store is set already. Set 'SettingsStore.default' once, as the program starts.")
    }
  }
}

extension SettingsStore: CustomStringConvertible {
  /// The path of its file, or that it has none.
  public var description: String { location.map { PathText.shown($0.file) } ?? "settings in memory" }
}
