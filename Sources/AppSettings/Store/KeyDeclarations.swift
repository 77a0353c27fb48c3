import SettingsTOML
import Synchronization

/// The types of a store's keys, for detecting two conflicting declarations of one name.
///
/// A key becomes known when it is used. The history and backups also ask which keys are known, and which are secret.
package final class KeyDeclarations: Sendable {
  private struct Declaration: Sendable {
    var type: Any.Type
    var key: AnySettingsKey
  }

  // Protects the table; problems are reported after it is released.
  private let declarations = Lock<[TOMLPath: Declaration]>([:])

  /// Distinguishes these declarations from those of all other stores.
  private let number = KeyDeclarations.count.wrappingAdd(1, ordering: .relaxed).newValue
  private static let count = Atomic<UInt64>(0)

  package init() {}

  /// The keys in use, one for each name.
  package var keys: [AnySettingsKey] { declarations.withLock { $0.values.map(\.key) } }

  /// Their number, which never falls.
  var count: Int { declarations.withLock { $0.count } }

  /// Notes the use of a key, and reports one whose name is in use with another type.
  ///
  /// It costs one atomic read if the key was last found to match these declarations.
  package func note<Value>(_ key: SettingsKey<Value>, _ problems: ProblemLog) {
    note(key, as: Value.self, problems)
  }

  /// Notes the use of a name for values, or records, of a type.
  package func note(_ key: AnySettingsKey, as value: Any.Type, _ problems: ProblemLog) {
    // It is usually the same key each time.
    guard key.agreedWith.load(ordering: .relaxed) != number else { return }
    let other = declarations.withLock { declarations -> Any.Type? in
      if let known = declarations[key.path] { return known.type == value ? nil : known.type }
      declarations[key.path] = Declaration(type: value, key: key)
      return nil
    }
    guard let other else { return key.agreedWith.store(number, ordering: .relaxed) }
    let names = ["\(other)", "\(value)"].sorted()
    problems.report(
      SettingsProblem(
        .invalidKey,
        "The key '\(key.name)' is declared twice, with the types \(names[0]) and \(names[1]). Each uses its own type, "
          + "so one may be unable to read what the other wrote. Declare it once.", path: key.path))
  }
}
