// What people type from habit, with what it is called here. As with ``SettingsAccess``, none of it is tried for code that is
// right, and what 'AppSettingsObserve' declares comes before it.

// MARK: UserDefaults

extension SettingsStore {
  /// Unavailable: read the value of a key.
  @available(*, unavailable, message: "declare a key in an extension of 'SettingsKeys', and read 'settings[.name]'")
  public func object(forKey name: String) -> Any? { fatalError("unavailable") }

  /// Unavailable: read the value of a key.
  @available(*, unavailable, message: "declare a key in an extension of 'SettingsKeys', and read 'settings[.name]'")
  public func value(forKey name: String) -> Any? { fatalError("unavailable") }

  /// Unavailable: read the value of a key.
  @available(*, unavailable, message: "declare a key in an extension of 'SettingsKeys', and read 'settings[.name]'")
  public func string(forKey name: String) -> String? { fatalError("unavailable") }

  /// Unavailable: read the value of a key.
  @available(*, unavailable, message: "declare a key in an extension of 'SettingsKeys', and read 'settings[.name]'")
  public func bool(forKey name: String) -> Bool { fatalError("unavailable") }

  /// Unavailable: read the value of a key.
  @available(*, unavailable, message: "declare a key in an extension of 'SettingsKeys', and read 'settings[.name]'")
  public func integer(forKey name: String) -> Int { fatalError("unavailable") }

  /// Unavailable: read the value of a key.
  @available(*, unavailable, message: "declare a key in an extension of 'SettingsKeys', and read 'settings[.name]'")
  public func float(forKey name: String) -> Float { fatalError("unavailable") }

  /// Unavailable: read the value of a key.
  @available(*, unavailable, message: "declare a key in an extension of 'SettingsKeys', and read 'settings[.name]'")
  public func double(forKey name: String) -> Double { fatalError("unavailable") }

  /// Unavailable: read the value of a key.
  @available(*, unavailable, message: "declare a key in an extension of 'SettingsKeys', and read 'settings[.name]'")
  public func data(forKey name: String) -> [UInt8]? { fatalError("unavailable") }

  /// Unavailable: read the value of a key.
  @available(*, unavailable, message: "declare a key in an extension of 'SettingsKeys', and read 'settings[.name]'")
  public func url(forKey name: String) -> String? { fatalError("unavailable") }

  /// Unavailable: read the value of a key.
  @available(*, unavailable, message: "declare a key in an extension of 'SettingsKeys', and read 'settings[.name]'")
  public func array(forKey name: String) -> [Any]? { fatalError("unavailable") }

  /// Unavailable: read the value of a key.
  @available(*, unavailable, message: "declare a key in an extension of 'SettingsKeys', and read 'settings[.name]'")
  public func stringArray(forKey name: String) -> [String]? { fatalError("unavailable") }

  /// Unavailable: read the value of a key.
  @available(*, unavailable, message: "declare a key in an extension of 'SettingsKeys', and read 'settings[.name]'")
  public func dictionary(forKey name: String) -> [String: Any]? { fatalError("unavailable") }

  /// Unavailable: set the value of a key.
  @available(
    *, unavailable, message: "declare a key in an extension of 'SettingsKeys', and write 'settings[.name] = value'"
  )
  public func set(_ value: Any?, forKey name: String) { fatalError("unavailable") }

  /// Unavailable: set the value of a key.
  @available(
    *, unavailable, message: "declare a key in an extension of 'SettingsKeys', and write 'settings[.name] = value'"
  )
  public func setValue(_ value: Any?, forKey name: String) { fatalError("unavailable") }

  /// Unavailable: reset a key.
  @available(
    *, unavailable, message: "declare a key in an extension of 'SettingsKeys', and write 'settings.reset(.name)'"
  )
  public func removeObject(forKey name: String) { fatalError("unavailable") }

  /// Unavailable: a key has its default.
  @available(*, unavailable, message: "a key's declaration has its default: 'SettingsKey(\"name\", default: 12)'")
  public func register(defaults: [String: Any]) { fatalError("unavailable") }

  /// Unavailable: wait for the write.
  @available(
    *, unavailable, message: "values are written without it; 'try settings.flush()' waits until they are on disk"
  )
  @discardableResult
  public func synchronize() -> Bool { fatalError("unavailable") }

  /// Unavailable: a snapshot has everything.
  @available(*, unavailable, message: "read 'settings.snapshot.root'")
  public func dictionaryRepresentation() -> [String: Any] { fatalError("unavailable") }
}

// MARK: SwiftyUserDefaults and Defaults

extension SettingsStore {
  /// Unavailable: reset a key.
  @available(*, unavailable, message: "write 'settings.reset(.name)'")
  public func remove(_ key: SettingsKeys) { fatalError("unavailable") }

  /// Unavailable: reset a key.
  @available(*, unavailable, message: "write 'settings.reset(.name)'")
  public func remove(_ key: PartialKeyPath<SettingsKeys.Type>) { fatalError("unavailable") }

  /// Unavailable: ask whether a key is set.
  @available(*, unavailable, message: "write 'settings.isSet(.name)'")
  public func hasKey(_ key: SettingsKeys) -> Bool { fatalError("unavailable") }

  /// Unavailable: ask whether a key is set.
  @available(*, unavailable, message: "write 'settings.isSet(.name)'")
  public func hasKey(_ key: PartialKeyPath<SettingsKeys.Type>) -> Bool { fatalError("unavailable") }

  /// Unavailable: reset everything.
  @available(*, unavailable, renamed: "resetAll()")
  public func removeAll() { fatalError("unavailable") }

  /// Unavailable: an asynchronous sequence has the values.
  @available(
    *, unavailable, message: "import 'AppSettingsObserve', and write 'for await value in settings.updates(.name)'"
  )
  public func publisher<Value>(_ key: SettingsKey<Value>) -> AsyncStream<Value> { fatalError("unavailable") }
}

// MARK: Key paths, which only the subscript takes

extension SettingsStore {
  /// Unavailable: it takes a key, not a key path.
  @available(*, unavailable, message: "write '.name' instead of '\\.name'")
  public func set<Value>(_ value: Value, for key: KeyPath<SettingsKeys.Type, SettingsKey<Value>>) {
    fatalError("unavailable")
  }

  /// Unavailable: it takes a key, not a key path.
  @available(*, unavailable, message: "write '.name' instead of '\\.name'")
  public func value<Value>(for key: KeyPath<SettingsKeys.Type, SettingsKey<Value>>) -> Value {
    fatalError("unavailable")
  }

  /// Unavailable: it takes a key, not a key path.
  @available(*, unavailable, message: "write '.name' instead of '\\.name'")
  public func isSet(_ key: PartialKeyPath<SettingsKeys.Type>) -> Bool { fatalError("unavailable") }

  /// Unavailable: it takes a key, not a key path.
  @available(*, unavailable, message: "write '.name' instead of '\\.name'")
  public func isDefault(_ key: PartialKeyPath<SettingsKeys.Type>) -> Bool { fatalError("unavailable") }

  /// Unavailable: it takes a key, not a key path.
  @available(*, unavailable, message: "write '.name' instead of '\\.name'")
  public func origin(of key: PartialKeyPath<SettingsKeys.Type>) -> SettingsOrigin { fatalError("unavailable") }

  /// Unavailable: it takes a key, not a key path.
  @available(*, unavailable, message: "write '.name' instead of '\\.name'")
  public func reset(_ keys: PartialKeyPath<SettingsKeys.Type>...) { fatalError("unavailable") }

  /// Unavailable: it takes a key, not a key path.
  @available(*, unavailable, message: "write '.name' instead of '\\.name'")
  public func updates<Value>(_ key: KeyPath<SettingsKeys.Type, SettingsKey<Value>>) -> AsyncStream<Value> {
    fatalError("unavailable")
  }

  /// Unavailable: it takes a key, not a key path.
  @available(*, unavailable, message: "write '.name' instead of '\\.name'")
  public func changes<Value>(_ key: KeyPath<SettingsKeys.Type, SettingsKey<Value>>) -> AsyncStream<SettingsMistake> {
    fatalError("unavailable")
  }

  /// Unavailable: it takes a key, not a key path.
  @available(*, unavailable, message: "write '.name' instead of '\\.name'")
  public func observe<Value>(
    _ key: KeyPath<SettingsKeys.Type, SettingsKey<Value>>, _ body: (Value) -> Void
  ) -> AnyObject { fatalError("unavailable") }
}

// MARK: AppSettingsObserve, where its import is missing

extension SettingsStore {
  /// Unavailable: `AppSettingsObserve` has it.
  @available(*, unavailable, message: "add 'import AppSettingsObserve' to this file")
  public func updates<Value>(
    _ key: SettingsKey<Value>, initial: Bool = true, includingDuplicates: Bool = false
  ) -> AsyncStream<Value> { fatalError("unavailable") }

  /// Unavailable: `AppSettingsObserve` has it.
  @available(*, unavailable, message: "add 'import AppSettingsObserve' to this file")
  public func updates<each Value>(
    _ keys: repeat SettingsKey<each Value>, initial: Bool = true, includingDuplicates: Bool = false
  ) -> AsyncStream<(repeat each Value)> { fatalError("unavailable") }

  /// Unavailable: `AppSettingsObserve` has it.
  @available(*, unavailable, message: "add 'import AppSettingsObserve' to this file")
  public func updates(
    _ keys: [AnySettingsKey], initial: Bool = true, includingDuplicates: Bool = false
  ) -> AsyncStream<SettingsSnapshot> { fatalError("unavailable") }

  /// Unavailable: `AppSettingsObserve` has it.
  @available(*, unavailable, message: "add 'import AppSettingsObserve' to this file")
  public func snapshots(initial: Bool = true) -> AsyncStream<SettingsSnapshot> { fatalError("unavailable") }

  /// Unavailable: `AppSettingsObserve` has it.
  @available(*, unavailable, message: "add 'import AppSettingsObserve' to this file")
  public func changes<Value>(_ key: SettingsKey<Value>) -> AsyncStream<SettingsMistake> { fatalError("unavailable") }

  /// Unavailable: `AppSettingsObserve` has it.
  @available(*, unavailable, message: "add 'import AppSettingsObserve' to this file")
  public func changes() -> AsyncStream<SettingsChangeBatch> { fatalError("unavailable") }

  /// Unavailable: `AppSettingsObserve` has it.
  @available(*, unavailable, message: "add 'import AppSettingsObserve' to this file")
  public func changes(under name: String) -> AsyncStream<SettingsChangeBatch> { fatalError("unavailable") }

  /// Unavailable: `AppSettingsObserve` has it.
  @available(*, unavailable, message: "add 'import AppSettingsObserve' to this file")
  public func observe<each Value>(
    _ keys: repeat SettingsKey<each Value>, initial: Bool = true, includingDuplicates: Bool = false,
    _ body: (repeat each Value) -> Void
  ) -> AnyObject { fatalError("unavailable") }

  /// Unavailable: `AppSettingsObserve` has it.
  @available(*, unavailable, message: "add 'import AppSettingsObserve' to this file")
  public func observe<Value, Owner: AnyObject>(
    _ key: SettingsKey<Value>, tiedTo owner: Owner, initial: Bool = true, includingDuplicates: Bool = false,
    _ body: (Owner, Value) -> Void
  ) { fatalError("unavailable") }

  /// Unavailable: `AppSettingsObserve` has it.
  @available(*, unavailable, message: "add 'import AppSettingsObserve' to this file")
  public func observeChanges<Value>(_ key: SettingsKey<Value>, _ body: (SettingsMistake) -> Void) -> AnyObject {
    fatalError("unavailable")
  }

  /// Unavailable: `AppSettingsObserve` has it.
  @available(*, unavailable, message: "add 'import AppSettingsObserve' to this file")
  public var problems: AsyncStream<SettingsProblem> { fatalError("unavailable") }

  /// Unavailable: `AppSettingsObserve` has it.
  @available(*, unavailable, message: "add 'import AppSettingsObserve' to this file")
  public func follow() { fatalError("unavailable") }
}
