#if Configuration
  internal import AppSettings
  internal import Configuration
  internal import FoundationEssentials

  /// The declared keys by path, and how to read a configuration key as one of swift-configuration's types.
  struct KeyTable: Sendable {
    private let declared: [TOMLPath: AnySettingsKey]
    private let secrets: [TOMLPath]

    init(_ keys: [AnySettingsKey]) {
      declared = Dictionary(keys.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
      secrets = keys.filter(\.isSecret).flatMap(\.paths)
    }

    /// The keys whose changes change a configuration key; none if it can have no value.
    func watched(_ key: AbsoluteConfigKey) -> [AnySettingsKey] {
      guard let path = Self.path(of: key) else { return [] }
      return [declared[path] ?? self.key(at: path, SettingsValue.self)]
    }

    /// Looks up a configuration key.
    func lookUp(
      _ key: AbsoluteConfigKey, as type: ConfigType, in state: SettingsSnapshot
    ) throws(SettingsError) -> LookupResult {
      guard let path = Self.path(of: key) else { return LookupResult(encodedKey: key.description, value: nil) }
      let value = try content(at: path, as: type, in: state).map { ConfigValue($0, isSecret: isSecret(path)) }
      return LookupResult(encodedKey: path.description, value: value)
    }

    private func content(
      at path: TOMLPath, as type: ConfigType, in state: SettingsSnapshot
    ) throws(SettingsError) -> ConfigContent? {
      switch type {
      case .string: try value(at: path, String.self, in: state).map { .string($0) }
      case .int: try value(at: path, Int.self, in: state).map { .int($0) }
      case .double: try value(at: path, Double.self, in: state).map { .double($0) }
      case .bool: try value(at: path, Bool.self, in: state).map { .bool($0) }
      case .bytes: try value(at: path, Data.self, in: state).map { .bytes(Array($0)) }
      case .stringArray: try value(at: path, [String].self, in: state).map { .stringArray($0) }
      case .intArray: try value(at: path, [Int].self, in: state).map { .intArray($0) }
      case .doubleArray: try value(at: path, [Double].self, in: state).map { .doubleArray($0) }
      case .boolArray: try value(at: path, [Bool].self, in: state).map { .boolArray($0) }
      case .byteChunkArray: try value(at: path, [Data].self, in: state).map { .byteChunkArray($0.map(Array.init)) }
      }
    }

    private func value<Value: SettingsSerializable & Sendable>(
      at path: TOMLPath, _ type: Value.Type, in state: SettingsSnapshot
    ) throws(SettingsError) -> Value? {
      let key = key(at: path, type)
      let stored = StoredValue(of: key, in: state)
      do throws(SettingsValueError) {
        guard let declared = declared[path] else { return try stored.decoded(by: key) ?? nil }
        // A value that the key itself would refuse is ignored, and an override means what it means to the key.
        guard let form = try stored.form(readBy: declared) else { return nil }
        return try key.decode(form)
      } catch {
        throw error.describing(key, in: state, using: Value??.none)
      }
    }

    /// A key of this type, where a declared one may have another.
    private func key<Value: SettingsSerializable & Sendable>(
      at path: TOMLPath, _ type: Value.Type
    ) -> SettingsKey<Value?> {
      let names = declared[path]?.formerNames ?? []
      guard isSecret(path) else { return SettingsKey(path.description, .formerly(names)) }
      return SettingsKey(path.description, .formerly(names), .secret)
    }

    /// Whether a value is secret, contains a secret, or is part of one.
    private func isSecret(_ path: TOMLPath) -> Bool {
      secrets.contains { $0.isRelated(to: path) }
    }

    /// The path of a configuration key; `nil` for one that can have no value: the root, and reserved keys.
    private static func path(of key: AbsoluteConfigKey) -> TOMLPath? {
      guard let first = key.components.first, !SettingsFormat.isReserved(first) else { return nil }
      return TOMLPath(key.components)
    }
  }
#endif
