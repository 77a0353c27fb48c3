import Foundation

/// Runs the programs that prepare clusters.
package enum Tool {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  package static func path(of name: String) -> String? {
    ["/usr/bin", "/usr/local/bin", "/bin", "/usr/sbin", "/sbin"].map { "\($0)/\(name)" }.first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
  }

  @discardableResult
  package static func run(_ name: String, _ arguments: [String], in directory: String) async throws -> String {
    guard let program = path(of: name) else { throw Failure(description: "'\(name)' is not installed.") }
    let output = "\(directory)/output-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: output) }
    let child = try ChildProcess(program, arguments, output: output)
    let status = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: child.wait()) }
    }
    let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
    guard status == 0 else {
      throw Failure(description: "'\(name) \(arguments.joined(separator: " "))' failed with status \(status): \(text)")
    }
    return text
  }
}
