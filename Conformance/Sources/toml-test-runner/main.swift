// Runs a toml-test corpus through toml-test-decoder and toml-test-encoder, which stand beside this program.
//
// usage: toml-test-runner CORPUS EXCEPTIONS
//
// CORPUS has the folders valid and invalid. EXCEPTIONS lists cases that the corpus has otherwise than this library,
// each as `name: reason`; a case that is listed must indeed come out otherwise.
import Foundation
import SettingsTOML
import TaggedJSON

guard CommandLine.arguments.count == 3 else {
  print("usage: toml-test-runner CORPUS EXCEPTIONS")
  exit(2)
}
let corpus = URL(fileURLWithPath: CommandLine.arguments[1])
let programs = Bundle.main.executableURL!.deletingLastPathComponent()

let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("toml-test-\(getpid())")

/// Runs a program with a file as its standard input.
func run(_ program: String, _ input: URL) throws -> (status: Int32, output: Data) {
  let output = scratch.appendingPathComponent("output")
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(&actions, 0, input.path, O_RDONLY, 0)
  posix_spawn_file_actions_addopen(&actions, 1, output.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
  let path = programs.appendingPathComponent(program).path
  var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(path), nil]
  defer { free(arguments[0]) }
  var pid: pid_t = 0
  guard posix_spawn(&pid, path, &actions, nil, &arguments, environ) == 0 else {
    throw CocoaError(.executableNotLoadable)
  }
  var status: Int32 = 0
  while waitpid(pid, &status, 0) < 0 {}
  // A signal's number is in the low bits.
  return (status & 0x7F == 0 ? status >> 8 & 0xFF : -1, try Data(contentsOf: output))
}

/// Whether two values are the same to toml-test, which has no negative zero.
func same(_ a: TOMLValue?, _ b: TOMLValue?) -> Bool {
  switch (a, b) {
  case (.float(0), .float(0)): true
  case (.array(let a), .array(let b)): a.count == b.count && zip(a, b).allSatisfy { same($0, $1) }
  case (.table(let a), .table(let b)): a.count == b.count && a.allSatisfy { same($0.value, b[$0.key]) }
  default: a == b
  }
}

func value(_ json: Data) -> TOMLValue? { (try? JSON(parsing: [UInt8](json))).flatMap { Tagged.value($0) } }

/// What is wrong with a case that should be valid.
func failure(valid file: URL) throws -> String? {
  guard let expected = value(try Data(contentsOf: file.deletingPathExtension().appendingPathExtension("json"))) else {
    return "its JSON could not be read"
  }
  let decoded = try run("toml-test-decoder", file)
  guard decoded.status == 0 else { return "refused" }
  guard same(value(decoded.output), expected) else { return "decoded to other values" }
  let json = scratch.appendingPathComponent("json")
  try decoded.output.write(to: json)
  let encoded = try run("toml-test-encoder", json)
  guard encoded.status == 0 else { return "not encoded" }
  let toml = scratch.appendingPathComponent("toml")
  try encoded.output.write(to: toml)
  let again = try run("toml-test-decoder", toml)
  return again.status == 0 && same(value(again.output), expected) ? nil : "encoded to other values"
}

/// What is wrong with a case that should be invalid.
func failure(invalid file: URL) throws -> String? {
  let status = try run("toml-test-decoder", file).status
  return status == 1 ? nil : status == 0 ? "accepted" : "crashed"
}

try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
var exceptions: [String: String] = [:]
for line in try String(contentsOfFile: CommandLine.arguments[2], encoding: .utf8).split(separator: "\n") {
  guard !line.hasPrefix("#"), let colon = line.firstIndex(of: ":") else { continue }
  exceptions[String(line[..<colon])] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
}

var counts = (valid: 0, invalid: 0, excepted: 0, failed: 0)
let paths = try FileManager.default.subpathsOfDirectory(atPath: corpus.path).filter { $0.hasSuffix(".toml") }.sorted()
for path in paths {
  let name = String(path.dropLast(".toml".count))
  let file = corpus.appendingPathComponent(path)
  let isValid = path.hasPrefix("valid/")
  guard isValid || path.hasPrefix("invalid/") else { continue }
  if isValid { counts.valid += 1 } else { counts.invalid += 1 }
  let failure = isValid ? try failure(valid: file) : try failure(invalid: file)
  if let reason = exceptions[name] {
    if failure == nil {
      print("FAIL \(name): comes out as the corpus has it, but is listed as an exception")
      counts.failed += 1
    } else {
      print("except \(name): \(reason)")
      counts.excepted += 1
    }
  } else if let failure {
    print("FAIL \(name): \(failure)")
    counts.failed += 1
  }
}
try FileManager.default.removeItem(at: scratch)
print(
  "\(counts.valid) valid and \(counts.invalid) invalid cases: \(counts.failed) failed, \(counts.excepted) excepted.")
exit(counts.failed == 0 && counts.valid > 0 ? 0 : 1)
