import Foundation
import Testing
import TestSupport

/// What the compiler reports of a value of another type and of an unknown key: one error each, which names the mistake.
struct MustNotCompileTests {
  static let folder =
    String(#filePath.prefix(upTo: #filePath.range(of: "/AppSettingsObserveTests/")!.lowerBound))
    + "/MustNotCompile"

  struct Report: Hashable, CustomStringConvertible {
    var file: String
    var line: Int
    var message: String
    var description: String { "\(file):\(line): \(message)" }
  }

  /// What the comments of a file say: each is about the next line that is none.
  static func expected(in file: String) throws -> [Report] {
    let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
    var reports: [Report] = []
    var messages: [String] = []
    for (index, line) in text.components(separatedBy: "\n").enumerated() {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.hasPrefix("// error: ") {
        messages.append(String(line.dropFirst("// error: ".count)))
      } else if !line.hasPrefix("//") {
        reports += messages.map { Report(file: file, line: index + 1, message: $0) }
        messages = []
      }
    }
    return reports
  }

  static func reported(of files: [String]) throws -> [Report] {
    let products = ChildProcess.builtProducts
    let moduleMap = "\(folder)/../../Sources/CInotifyTools/module.modulemap"
    let result = try ChildProcess.run(
      "/usr/bin/env",
      [
        "swiftc", "-typecheck", "-wmo", "-swift-version", "6", "-suppress-warnings", "-diagnostic-style", "llvm",
        "-I", products + "/Modules", "-I", products + "/CSettingsSystem.build", "-Xcc",
        "-fmodule-map-file=\(moduleMap)",
      ] + files.map { "\(folder)/\($0)" }, environment: ProcessInfo.processInfo.environment)
    return result.error.components(separatedBy: "\n").compactMap { line in
      guard let start = line.range(of: ": error: ") else { return nil }
      let place = line[..<start.lowerBound].components(separatedBy: ":")
      let file = (place[0] as NSString).lastPathComponent
      return Report(
        file: file, line: place.count > 1 ? Int(place[1]) ?? 0 : 0, message: String(line[start.upperBound...]))
    }
  }

  @Test func `a mistake is one error that names it`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder).filter { $0.hasSuffix(".swift") }
    #expect(files.count > 1)
    let expected = try files.flatMap(Self.expected)
    let reported = try Self.reported(of: files)
    #expect(!expected.isEmpty)
    for report in expected where !reported.contains(report) { Issue.record("is not reported: \(report)") }
    for report in reported where !expected.contains(report) { Issue.record("is reported as well: \(report)") }
    #expect(reported.count == expected.count, "an error is reported twice")
    for report in reported {
      for phrase in ["failed to produce diagnostic", "submit a bug report"] {
        #expect(!report.message.contains(phrase), "\(report)")
      }
    }
  }
}
