import Foundation
import Testing

@Suite(
  .enabled(
    if: ["dpkg-deb", "systemd-sysusers"].allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") },
    "a Debian package needs dpkg-deb and systemd-sysusers"))
struct PackagingTests {
  @Test func `a Debian package installs in a scratch root, and works there`() throws {
    let directory = FileManager.default.temporaryDirectory.path + "/fleet-package-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let folder = URL(fileURLWithPath: Fleet.program).deletingLastPathComponent().path
    let made = try deb("--fleet --from '\(folder)'", in: directory)
    #expect(made.status == 0, "\(made)")
    // Not looked through by lintian: this executable is not the one that is shipped.
    let tried = try deb("--try settings-fleet_*.deb", in: directory)
    #expect(tried.status == 0 && tried.output.contains("settings-fleet 0.1.0"), "\(tried)")
  }

  private func deb(_ words: String, in directory: String) throws -> (status: Int32, output: String) {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "'\(root.standardized.path)/Scripts/deb' \(words) > said 2>&1"]
    process.currentDirectoryURL = URL(fileURLWithPath: directory)
    process.environment = ProcessInfo.processInfo.environment.merging([
      "DEBFULLNAME": "A", "DEBEMAIL": "a@b.org", "TMPDIR": directory, "DPKG_DEB_COMPRESSOR_TYPE": "none",
    ]) { $1 }
    try process.run()
    process.waitUntilExit()
    return (process.terminationStatus, try String(contentsOfFile: directory + "/said", encoding: .utf8))
  }
}
