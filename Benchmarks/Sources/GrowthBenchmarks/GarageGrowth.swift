import AppSettings
import AppSettingsGarage
import BenchmarkHarness
import Foundation

/// Objects of a garage, all at once.
enum GarageGrowth {
  static func operations(_ scratch: Scratch) throws -> [Operation] {
    func garage() throws -> Garage {
      Garage(
        at: try SettingsLocation(app: "bench", name: "garage", scope: .data, environment: try scratch.environment()))
    }
    func objects(_ count: Int, _ name: String, port: Int = 0) -> [Server] {
      (0..<count).map { Server(id: "\(name)-\($0)", host: "host-\($0).example.org", port: port + $0) }
    }
    struct Note: Codable, Hashable { var number: Int, text = "a note" }
    struct Visit: Codable, Hashable {
      var day: Int
      @Reference var host: Server
    }
    return [
      Operation(name: "park objects without an id one by one in one update", count: 5_000) { count in
        let garage = try garage()
        return { try garage.update { for number in 0..<count { try $0.parkValue(Note(number: number)) } } }
      },
      Operation(name: "delete half of the objects without an id one by one in one update", count: 5_000) { count in
        let garage = try garage()
        try garage.update { for number in 0..<count { try $0.parkValue(Note(number: number)) } }
        return {
          try garage.update { for number in 0..<count / 2 { try $0.deleteValue(Note(number: 2 * number)) } }
        }
      },
      Operation(name: "delete half of the objects without an id, park as many in one update", count: 5_000) { count in
        let garage = try garage()
        try garage.update { for number in 0..<count { try $0.parkValue(Note(number: number)) } }
        return {
          try garage.update { garage in
            for number in 0..<count / 2 {
              try garage.deleteValue(Note(number: 2 * number))
              try garage.parkValue(Note(number: count + number))
            }
          }
        }
      },
      Operation(name: "set the sync status of objects without an id one by one in one update", count: 5_000) { count in
        let garage = try garage()
        let notes = (0..<count).map { Note(number: $0) }
        try garage.update { for note in notes { try $0.parkValue(note) } }
        return { try garage.update { for note in notes { try $0.setSyncStatus(.syncing, forValue: note) } } }
      },
      Operation(name: "import rows beside objects without an id", count: 5_000) { count in
        let garage = try garage()
        try garage.update { for number in 0..<count { try $0.parkValue(Note(number: number)) } }
        let rows = (0..<count).map { number in
          let data = #"{\"number\": \#(2 * number), \"text\": \"a note\"}"#
          return #"{"gs_type": "Note", "gs_identifier": "\#(number)", "gs_data": "\#(data)"}"#
        }
        let json = "[\(rows.joined(separator: ", "))]"
        return { _ = try garage.importGarageStorage(rows: json) }
      },
      Operation(name: "park records that objects without an id wait for in one update", count: 1_250) { count in
        let garage = try garage()
        try garage.update { garage in
          for day in 0..<count {
            try garage.parkValue(Visit(day: day, host: Server(id: "server-\(day)", host: "", port: 0)))
          }
        }
        try garage.deleteAll(Server.self)
        let servers = objects(count, "server")
        return {
          try garage.update { garage in
            try? garage.deleteValue(Visit(day: -1, host: servers[0]))
            for (day, server) in servers.enumerated() {
              try garage.park(server)
              try garage.deleteValue(Visit(day: day, host: server))
            }
          }
        }
      },
      Operation(name: "park new objects", count: 5_000) { count in
        let garage = try garage()
        let servers = objects(count, "server")
        return { try garage.park(servers) }
      },
      Operation(name: "park new objects, ids not ASCII", count: 5_000) { count in
        let garage = try garage()
        let servers = objects(count, "sérvér")
        return { try garage.park(servers) }
      },
      Operation(name: "park changed objects", count: 5_000) { count in
        let garage = try garage()
        try garage.park(objects(count, "server"))
        let changed = objects(count, "server", port: 1)
        return { try garage.park(changed) }
      },
      Operation(name: "set the sync status of all", count: 5_000) { count in
        let garage = try garage()
        let servers = objects(count, "server")
        try garage.park(servers)
        return { try garage.setSyncStatus(.syncing, for: servers) }
      },
      Operation(name: "retrieve all objects", count: 5_000) { count in
        let garage = try garage()
        try garage.park(objects(count, "server"))
        return { consume(try garage.retrieveAll(Server.self)) }
      },
      Operation(name: "delete all objects one by one in one update", count: 5_000) { count in
        let garage = try garage()
        try garage.park(objects(count, "server"))
        return {
          try garage.update { for number in 0..<count { try $0.delete(Server.self, id: "server-\(number)") } }
        }
      },
    ]
  }
}
