import Foundation
import Glibc

/// A process that uses a system as a program would: `worker SYSTEM HOME VERB …`.
///
/// It says what it was told is stored in numbers of eight bytes on its standard output, -1 for a refusal.
enum Worker {
  static let executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""

  static func run(_ arguments: [String]) -> CInt {
    if arguments.first == "crash" { return CrashWorker.run(Array(arguments.dropFirst())) }
    guard arguments.count >= 3, let type = Suite.systems.first(where: { $0.id == arguments[0] }) else { return 2 }
    let system = type.init(home: Home(path: arguments[1]))
    let rest = Array(arguments.dropFirst(3))
    switch (arguments[2], rest.count) {
    case ("set", 2): return system.set(rest[0], Int(rest[1])!) ? 0 : 1
    case ("loop", 2): loop(system, key: rest[0], from: Int(rest[1])!)
    case ("fill", 2):
      for number in 0..<Int(rest[1])! { acknowledge(system.set("\(rest[0])-k\(number)", number + 1) ? number : -1) }
    case ("count", 2):
      for _ in 0..<Int(rest[1])! { acknowledge(system.increment(rest[0]) ? 1 : -1) }
    default: return StepWorker.run(system, arguments[2], rest)
    }
    return 0
  }

  /// Sets a key to ever higher numbers until it is killed. What was refused is tried again.
  private static func loop(_ system: any System, key: String, from start: Int) -> Never {
    var value = start
    while true {
      if system.set(key, value) {
        acknowledge(value)
        value += 1
      } else {
        acknowledge(-1)
      }
    }
  }

  static func acknowledge(_ value: Int) {
    var number = Int64(value)
    // No one listens any more: the suite itself was ended.
    if write(1, &number, 8) != 8 { exit(3) }
  }

  /// What a worker has said.
  static func numbers(_ output: [UInt8]) -> [Int] {
    (0..<output.count / 8).map { index in
      output.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: index * 8, as: Int64.self)) }
    }
  }
}
