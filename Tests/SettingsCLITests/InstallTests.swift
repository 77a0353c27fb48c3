import Foundation
import Testing
import TestSupport

/// `Scripts/install`, `Scripts/deb` and `Scripts/release`, with the executable that was built with the tests.
struct InstallTests {
  let home = ScratchHome()
  private let executable = ChildProcess.product("settings-cli")
  private var folder: String { URL(fileURLWithPath: executable).deletingLastPathComponent().path }

  private func script(_ line: String, umask: String = "022") throws -> ChildProcess.Result {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Scripts")
    return try ChildProcess.shell(
      "umask \(umask); '\(root.path)'/\(line)",
      environment: home.environment.merging([
        "DEBFULLNAME": "A", "DEBEMAIL": "a@b.org", "TMPDIR": home.path, "DPKG_DEB_COMPRESSOR_TYPE": "none",
      ]) { $1 },
      directory: home.path)
  }

  @Test func `install puts everything in place, and uninstall takes it away`() throws {
    let installed = try script("install --from '\(folder)' prefix")
    #expect(installed.status == 0, "\(installed)")
    let files = [
      "bin/settings-cli", "share/man/man1/settings-cli.1", "share/bash-completion/completions/settings-cli",
      "share/zsh/site-functions/_settings-cli", "share/fish/vendor_completions.d/settings-cli.fish",
    ].map { home.path + "/prefix/" + $0 }
    for file in files { #expect(try Data(contentsOf: URL(fileURLWithPath: file)).isEmpty == false, "\(file)") }
    let version = try ChildProcess.run(files[0], ["--version"], environment: home.environment)
    #expect(version.output == "settings-cli 0.1.0\n")
    #expect(try script("install --uninstall prefix").status == 0)
    for file in files { #expect(!FileManager.default.fileExists(atPath: file)) }
  }

  @Test(.enabled(if: geteuid() == 0, "Only root installs for everyone."))
  func `what root installs is for everyone, whatever its umask is`() throws {
    #expect(try script("install --from '\(try folderOfAll())' --fleet prefix", umask: "077").status == 0)
    let prefix = home.path + "/prefix"
    let closed = try ChildProcess.shell("find '\(prefix)' ! -perm -o=r", environment: home.environment)
    #expect(closed.output == "")
    let directories = try ChildProcess.shell("find '\(prefix)' -type d ! -perm -o=x", environment: home.environment)
    #expect(directories.output == "")
  }

  /// A folder with scripts in place of the page and the fleet's command: what they do is not the point.
  private func folderOfAll() throws -> String {
    let all = home.path + "/built"
    try FileManager.default.createDirectory(atPath: all, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: all + "/settings-cli", withDestinationPath: executable)
    for name in ["settings-page", "settings-fleet"] {
      try Data("#!/bin/sh\necho \(name) \"$*\"\n".utf8).write(to: URL(fileURLWithPath: all + "/" + name))
      chmod(all + "/" + name, 0o755)
    }
    return all
  }

  @Test(arguments: [
    ("", ["settings-cli"]), ("--page", ["settings-cli", "settings-page"]),
    ("--fleet", ["settings-cli", "settings-fleet"]),
    ("--page --fleet", ["settings-cli", "settings-fleet", "settings-page"]),
    ("--fleet --page --fleet", ["settings-cli", "settings-fleet", "settings-page"]),
    ("--only --page", ["settings-page"]), ("--only --fleet", ["settings-fleet"]),
  ]) func `install installs all that it is asked for`(options: String, programs: [String]) throws {
    let installed = try script("install --from '\(try folderOfAll())' \(options) prefix")
    #expect(installed.status == 0, "\(installed)")
    let prefix = home.path + "/prefix"
    #expect(try FileManager.default.contentsOfDirectory(atPath: prefix + "/bin").sorted() == programs)
    for program in programs { #expect(home.text(of: prefix + "/share/man/man1/\(program).1")?.isEmpty == false) }
    let unit = home.text(of: prefix + "/lib/systemd/system/settings-fleet-mirror.service")
    #expect((unit != nil) == programs.contains("settings-fleet"))
    #expect((unit != nil) == installed.output.contains("systemd-sysusers '\(prefix)/"), "\(installed)")
    #expect(try script("install --uninstall prefix").status == 0)
    let left = try ChildProcess.run("/usr/bin/find", [prefix, "-type", "f"], environment: home.environment)
    #expect(left.output == "" && left.status == 0, "\(left)")
  }

  @Test func `install says what it cannot do`() throws {
    #expect(try script("install --only prefix").error == "install: --only needs --page or --fleet\n")
    #expect(try script("install --from nowhere prefix").error == "install: there is no directory 'nowhere'\n")
    let empty = try script("install --from . --page prefix")
    #expect(empty.status == 1 && empty.error.hasSuffix("/settings-cli'\n"), "\(empty)")
    #expect(!FileManager.default.fileExists(atPath: home.path + "/prefix"))
  }

  @Test func `the manual page has every verb of the help, and nothing that man complains of`() throws {
    let page = try ChildProcess.run(executable, ["manual"], environment: home.environment)
    let help = try ChildProcess.run(executable, ["--help"], environment: home.environment)
    #expect(page.status == 0 && help.status == 0)
    let lists = help.output.components(separatedBy: " SUBCOMMANDS:\n").dropFirst()
    let verbs = lists.flatMap { $0.matches(of: /(?m)^  ([a-z]+)/) }
    #expect(verbs.count == 33)
    for verb in verbs { #expect(page.output.contains("\n.SS \"\(verb.output.1)"), "\(verb.output.1)") }
    #expect(page.output.contains("\n.SH NAME\nsettings\\-cli \\- read, change and watch the settings of apps\n"))
    for heading in ["EXIT STATUS", "ENVIRONMENT", "FILES"] { #expect(page.output.contains("\n.SH \(heading)\n")) }
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/groff") else { return }
    let rendered = try ChildProcess.run(
      "/usr/bin/groff", ["-man", "-Tascii", "-ww", "-P-cbu"], environment: home.environment, input: page.output)
    #expect(rendered.error.isEmpty && rendered.output.contains("--default VALUE"), "\(rendered.error)")
  }

  @Test func `a Debian package installs in a scratch root, and works there`() throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/dpkg-deb") else { return }
    let made = try script("deb --from '\(folder)'")
    #expect(made.status == 0, "\(made)")
    // Not looked through by lintian: this executable is not the one that is shipped.
    let checked = try script("deb --try \"$(ls *.deb)\"")
    #expect(checked.status == 0 && checked.output.contains("settings-cli 0.1.0"), "\(checked)")
  }

  @Test func `a release has checksums that hold, and a tarball that is unpacked below a prefix`() throws {
    let made = try script("release --from '\(folder)' downloads")
    #expect(made.status == 0, "\(made)")
    let answer = try ChildProcess.shell(
      """
      cd downloads && sha256sum --check SHA256SUMS && mkdir prefix &&
      tar -xzf app-settings-0.1.0-linux-*.tar.gz -C prefix --strip-components 1 && prefix/bin/settings-cli --version &&
      ls prefix/share/doc/app-settings
      """, environment: home.environment, directory: home.path)
    let hasPackages = FileManager.default.isExecutableFile(atPath: "/usr/bin/dpkg-deb")
    #expect(answer.output.split(separator: "\n").count { $0.hasSuffix(": OK") } == (hasPackages ? 2 : 1), "\(answer)")
    #expect(answer.output.hasSuffix("settings-cli 0.1.0\nCHANGELOG.md\nLICENSE\n"), "\(answer)")
  }

  @Test func `a release says what it cannot do, and leaves nothing`() throws {
    #expect(try script("release --all --nonsense").status == 2)
    #expect(try script("release one two").status == 2)
    let missing = try script("release --from nowhere downloads")
    #expect(missing.status == 1 && missing.error == "release: there is no folder 'nowhere'\n", "\(missing)")
    let empty = try script("release --from . downloads")
    #expect(empty.status == 1 && empty.error.contains("there is no executable"), "\(empty)")
    #expect(!FileManager.default.fileExists(atPath: home.path + "/downloads"))
  }
}
