import AppSettings
import Foundation
import Glibc
import SettingsTOML

/// Stores whose files, or backups, are in one directory.
enum SharedDirectory {
  /// The stores, by the name that an app gives them, or by path.
  static let stores = ["settings", "settings.extra", "settings.extra.more", "state", "path", "path-by-detour"]

  /// The location of a store. The last two lead to one file.
  static func location(_ store: String, in home: Home) throws -> SettingsLocation {
    let app = "org.example.faults"
    let directory = "\(home.path)/config/\(app)"
    return switch store {
    case "state": try SettingsLocation(app: app, scope: .state, environment: home.environment)
    case "path": try SettingsLocation(file: "\(directory)/settings.by-path.toml", environment: home.environment)
    case "path-by-detour":
      try SettingsLocation(file: "\(directory)/../detour/settings.by-path.toml", environment: home.environment)
    default: try SettingsLocation(app: app, name: store, environment: home.environment)
    }
  }

  /// The owner that a store's text names; two paths to one file have one owner.
  static func owner(of store: String) -> String { store == "path-by-detour" ? "path" : store }

  /// The text of the old version.
  static func text(of store: String) -> String { "# of \(owner(of: store))\nowner = \"\(owner(of: store))\"\nn = 0\n" }

  /// Sets a key, which migrates the file, and undoes the migration, over and over. Reports another store's text.
  static func work(_ system: any System, store: String, rounds: Int) {
    let owner = owner(of: store)
    for number in 0..<rounds {
      do {
        let settings = AgedStore.open(try location(store, in: system.home))
        try settings.set(number, for: SettingsKey("n-\(store)", default: -1))
        try settings.restore()
        settings.reload()
        let found = settings[SettingsKey("owner", default: "")]
        Worker.acknowledge(found == owner ? number : StepWorker.Word.crossed)
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
        + "one file by two paths. Each sets a key, which migrates the file, and undoes the migration, "
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
        let owner = "owner = \"\(SharedDirectory.owner(of: store))\"\n"
        for backup in try settings.backups where Files.text(backup.path)?.contains(owner) != true { crossed += 1 }
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
