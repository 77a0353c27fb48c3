import AppSettings
import Glibc
import TestModels
import SettingsTOML

extension Probe {
  /// Opens an old file with three migrations, each of which counts how often it took effect, and a hook that adds a line
  /// to `FILE.hook`. With a call and a number it kills itself at that call.
  static func upgrade(_ location: SettingsLocation, dyingAt death: (call: Syscalls.Call, number: Int)?) {
    func count(_ key: String) -> @Sendable (inout TOMLDocument) throws -> Void {
      { document in
        guard case .integer(let runs)? = document[[key]] else { return }
        try document.set(.integer(runs + 1), at: [key])
      }
    }
    let migrations = [
      Migration(2, "count two", count("m2")),
      Migration(3, "count three", count("m3")),
      Migration(4, "count four", count("m4")).afterCommit { file in
        let descriptor = open("\(file ?? "").hook", O_WRONLY | O_APPEND | O_CREAT, 0o600)
        _ = write(descriptor, "4\n", 2)
        close(descriptor)
      },
    ]
    let system: Syscalls = death.map { .dying(at: $0.call, number: $0.number) } ?? Syscalls()
    let settings = SettingsStore(
      at: location, migrations: SettingsMigrations(migrations), logger: .silent, acceptsAnyVersion: false,
      system: system,
      lockTimeout: .seconds(120))
    let values = ["m2", "m3", "m4"].map { String(settings[SettingsKey($0, default: -1)]) }
    print(values.joined(separator: " "))
    for problem in settings.currentProblems { print(problem.message) }
  }
}
