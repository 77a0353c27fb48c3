import Glibc
import HTTPTypes
import Testing

@testable import SettingsPage

/// The operations of openapi.yaml: a method and a path. The file has them at fixed indentations.
private func describedOperations() throws -> [String: Set<String>] {
  let folder = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
  let file = try #require(fopen("/\(folder)/openapi.yaml", "re"))
  defer { fclose(file) }
  var bytes = [UInt8](repeating: 0, count: 1 << 20)
  let count = fread(&bytes, 1, bytes.count, file)
  let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
  var operations: [String: Set<String>] = [:]
  var (path, operation) = ("", "")
  for line in lines.drop(while: { $0 != "paths:" }).prefix(while: { $0 != "components:" }) {
    if line.hasPrefix("  /") {
      (path, operation) = (String(line.dropFirst(2).dropLast()), "")
    } else if let method = ["get", "put", "post", "delete"].first(where: { line == "    \($0):" }) {
      operation = "\(method.uppercased()) \(path)"
      operations[operation] = []
    } else if !operation.isEmpty {
      if line.contains("in: query"),
        let name = line.split(separator: "name: ").dropFirst().first?.split(separator: ",").first
      {
        operations[operation]?.insert(String(name))
      }
      if line.contains("#/components/parameters/layer") { operations[operation]?.insert("layer") }
    }
  }
  return operations
}

@Test func `openapi.yaml describes every route and no other`() async throws {
  let home = try TestHome()
  let commands = try Commands(TestHome.command, environment: home.environment, Limits())
  let hub = WatchHub(commands, Limits())
  let interface = Interface(
    commands: commands, trials: Trials(commands, hub), hub: hub, life: Life(Limits()), servedPath: nil,
    session: (AddressCode(), Token()))
  let routes = interface.routes.map { ("\($0.method.rawValue) \($0.path)", $0.parameters) }
  #expect(try describedOperations() == Dictionary(uniqueKeysWithValues: routes))
  await commands.end()
}
