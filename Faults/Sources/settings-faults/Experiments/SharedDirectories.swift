import AppSettings
import Foundation
import Glibc
import SettingsTOML

/// Stores whose files, or backups, are in one directory.
enum SharedDirectory {
  /// The stores, by the name that an app gives them, or by path.
  static let stores = ["settings", "settings.extra", "settings.extra.more", "state", "path"]

  /// The location of a store.
  ///
  /// - Parameter isDetour: Whether to spell the path of a store by path another way.
  static func location(_ store: String, in home: Home, isDetour: Bool = false) throws -> SettingsLocation {
    let app = "org.example.faults"
    let directory = "\(home.path)/config/\(isDetour ? "\(app)/../detour" : app)"
    return switch store {
    case "state": try SettingsLocation(app: app, scope: .state, environment: home.environment)
    case "path": try SettingsLocation(file: "\(directory)/settings.by-path.toml", environment: home.environment)
    default: try SettingsLocation(app: app, name: store, environment: home.environment)
    }
  }

  /// The text of the old version.
  static func text(of store: String) -> String { "# of \(store)\nowner = \"\(store)\"\nn = 0\n" }

  /// Sets a key, which migrates the file, and undoes the migration, over and over. Reports another store's text.
  static func work(_ system: any System, store: String, rounds: Int) {
    for number in 0..<rounds {
      do {
        let settings = AgedStore.open(try location(store, in: system.home, isDetour: number % 2 == 1))
        try settings.set(number, for: SettingsKey("n-\(store)", default: -1))
        try settings.restore()
        settings.reload()
        let found = settings[SettingsKey("owner", default: "")]
        Worker.acknowledge(found == store ? number : StepWorker.Word.crossed)
      } catch {
        Worker.acknowledge(StepWorker.Word.wrong)
      }
    }
  }
}

extension Suite {
  func sharedDirectory() {
    var table = Table(
      "Stores that share a directory",
      "\(SharedDirectory.stores.count) processes at once: three stores of one app with similar names, the app's state, and "
        + "a file by path, with two spellings. Each sets a key, which migrates the file, and undoes the migration, "
        + "\(options.restores) times. Crossed: a file, or a store's backup, has another store's text. Failed: a call threw.",
      ["system", "stores", "restores", "crossed", "failed", "stuck"])
    each("shared", into: &table, among: [AppSettingsSystem.id]) { system, row in
      let stores = SharedDirectory.stores
      for store in stores {
        let file = try SharedDirectory.location(store, in: system.home).file
        Files.makeDirectory(Files.directory(of: file))
        Files.write(SharedDirectory.text(of: store), to: file)
      }
      // Another name for the same directory.
      let config = system.home.path + "/config"
      Files.remove(config + "/detour")
      symlink(config + "/org.example.faults", config + "/detour")
      let workers = try stores.map { try system.worker("share", [$0, String(options.restores)]) }
      var (restores, crossed, failed, stuck) = (0, 0, 0, 0)
      for worker in workers {
        let end = worker.finish(limit: options.limit * 1000)
        if end.isLate { stuck += 1 }
        for number in Worker.numbers(end.output) {
          switch number {
          case StepWorker.Word.crossed: crossed += 1
          case StepWorker.Word.wrong: failed += 1
          default: restores += 1
          }
        }
      }
      for store in stores {
        let settings = AgedStore.open(try SharedDirectory.location(store, in: system.home))
        let owner = "owner = \"\(store)\"\n"
        for backup in try settings.backups() where Files.text(backup.path)?.contains(owner) != true { crossed += 1 }
        if Files.text(try SharedDirectory.location(store, in: system.home).file)?.contains(owner) != true {
          crossed += 1
        }
      }
      row = [stores.count, restores, crossed, failed, stuck].map(\.grouped)
      return [.damaged: crossed, .wrong: failed, .stuck: stuck]
    }
    finish(table)
  }
}
