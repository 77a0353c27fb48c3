import Foundation
import Testing
import TestSupport

/// `Scripts/install` and `Scripts/deb`, with the executable that was built with the tests.
struct InstallTests {
  let home = ScratchHome()
  private let executable = ChildProcess.product("settings-cli")

  private func script(_ line: String) throws -> ChildProcess.Result {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Scripts")
    return try ChildProcess.shell(
      "'\(root.path)'/\(line)",
      environment: home.environment.merging(["DEBFULLNAME": "A", "DEBEMAIL": "a@b.org", "TMPDIR": home.path]) { $1 },
      directory: home.path)
  }

  @Test func `install puts everything in place, and uninstall takes it away`() throws {
    let installed = try script("install --executable '\(executable)' prefix")
    #expect(installed.status == 0, "\(installed)")
    let files = [
      "bin/settings-cli", "share/man/man1/settings-cli.1", "share/bash-completion/completions/settings-cli",
      "share/zsh/site-functions/_settings-cli", "share/fish/vendor_completions.d/settings-cli.fish",
    ].map { home.path + "/prefix/" + $0 }
    for file in files { #expect((home.text(of: file) ?? "").isEmpty == false, "\(file)") }
    let version = try ChildProcess.run(files[0], ["--version"], environment: home.environment)
    #expect(version.output == "settings-cli 0.1.0\n")
    #expect(try script("install --uninstall prefix").status == 0)
    for file in files { #expect(!FileManager.default.fileExists(atPath: file)) }
  }

  @Test func `the manual page has every verb of the help, and nothing that man complains of`() throws {
    let page = try ChildProcess.run(executable, ["manual"], environment: home.environment)
    let help = try ChildProcess.run(executable, ["--help"], environment: home.environment)
    #expect(page.status == 0 && help.status == 0)
    let verbs = help.output.components(separatedBy: "\nSUBCOMMANDS:\n").last?.matches(of: /(?m)^  ([a-z]+)/) ?? []
    #expect(verbs.count == 30)
    for verb in verbs { #expect(page.output.contains("\n.SS \"\(verb.output.1)"), "\(verb.output.1)") }
    for heading in ["EXIT STATUS", "ENVIRONMENT", "FILES"] { #expect(page.output.contains("\n.SH \(heading)\n")) }
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/groff") else { return }
    let rendered = try ChildProcess.run(
      "/usr/bin/groff", ["-man", "-Tascii", "-ww", "-P-cbu"], environment: home.environment, input: page.output)
    #expect(rendered.error.isEmpty && rendered.output.contains("--default VALUE"), "\(rendered.error)")
  }

  @Test func `a Debian package installs in a scratch root, and works there`() throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/dpkg-deb") else { return }
    let made = try script("deb --executable '\(executable)'")
    #expect(made.status == 0, "\(made)")
    // Not looked through by lintian: this executable is not the one that is shipped.
    let checked = try script("deb --try \"$(ls *.deb)\"")
    #expect(checked.status == 0 && checked.output.contains("settings-cli 0.1.0"), "\(checked)")
  }
}
