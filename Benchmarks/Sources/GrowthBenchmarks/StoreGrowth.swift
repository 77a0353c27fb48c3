import AppSettings
import AppSettingsSchema
import BenchmarkHarness
import Foundation

extension SettingsKeys {
  static let names = SettingsKey("names", default: [String: Int]())
  static let servers = SettingsRecordKey<Server>("servers")
}

struct Server: Codable, Identifiable, Equatable {
  var id: String
  var host: String
  var port: Int
}

/// Stores and records, in this process.
enum StoreGrowth {
  static func operations(_ scratch: Scratch) throws -> [Operation] {
    [
      Operation(name: "make stores", count: 10_000) { count in
        let environment = try scratch.environment()
        let locations = try (0..<count).map { try SettingsLocation(app: "bench.a\($0)", environment: environment) }
        return {
          let stores = locations.map { SettingsStore(at: $0) }
          precondition(stores.count == count)
        }
      },
      Operation(name: "first read of a file of tables", count: 12_500) { count in
        let location = try SettingsLocation(app: "bench", environment: try scratch.environment())
        try scratch.write(tables(count), to: location.file)
        return { consume(SettingsStore(at: location).snapshot.root) }
      },
      Operation(name: "set a dictionary", count: 12_500) { count in
        let settings = SettingsStore(at: try SettingsLocation(app: "bench", environment: try scratch.environment()))
        let names = Dictionary(uniqueKeysWithValues: (0..<count).map { ("name-\($0)", $0) })
        return { try settings.set(names, for: .names) }
      },
      Operation(name: "put records in one update", count: 5_000) { count in
        let settings = SettingsStore(at: try SettingsLocation(app: "bench", environment: try scratch.environment()))
        return { try settings.update { for number in 0..<count { try $0[.servers].put(server(number)) } } }
      },
      Operation(name: "change all records in one update", count: 5_000) { count in
        let settings = SettingsStore(at: try SettingsLocation(app: "bench", environment: try scratch.environment()))
        try settings.update { for number in 0..<count { try $0[.servers].put(server(number)) } }
        return { try settings.update { for number in 0..<count { try $0[.servers].put(server(number, port: 1)) } } }
      },
      Operation(name: "write the schema of a key with as many choices", count: 12_500) { count in
        let environment = try scratch.environment()
        let choices = (0..<count).map { "choice \($0)" }
        let key = SettingsKey("choice", default: choices[0], .oneOf(choices))
        return { _ = try SettingsSchema(app: "bench", keys: [key]).write(environment: environment) }
      },
      Operation(name: "set values of which one needs an edit of its own", count: 5_000) { count in
        let location = try SettingsLocation(app: "bench", environment: try scratch.environment())
        try scratch.write(tables(count) + "[[list]]\nport = 1\n", to: location.file)
        let settings = SettingsStore(at: location)
        let ports = (0..<count).map { SettingsKey("tables.table-\($0).port", default: 0) }
        let list = SettingsKey("list", default: [[String: Int]]())
        return {
          try settings.update { transaction in
            for key in ports { transaction[key] = -1 }
            transaction[list] = []
          }
        }
      },
    ]
  }

  static func server(_ number: Int, port: Int = 0) -> Server {
    Server(id: "server-\(number)", host: "host-\(number).example.org", port: port + number)
  }
}
