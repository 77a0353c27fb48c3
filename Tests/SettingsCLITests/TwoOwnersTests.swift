import Foundation
import Testing
import TestSupport

/// The files of `Examples/Declared`, put in place as each tool does it, and followed by a program that runs.
///
/// The tools themselves are not needed: what they do to files is done here, in their way.
struct TwoOwnersTests {
  private let home = ScratchHome()
  private let app = "org.example.editor"
  private static let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Examples/Declared").standardizedFileURL.path

  private var environment: [String: String] {
    var environment = home.environment
    environment["PATH"] = ChildProcess.commandDirectory + ":" + environment["PATH", default: "/usr/bin:/bin"]
    return environment
  }

  private func shell(_ script: String) throws -> ChildProcess.Result {
    try ChildProcess.run("/bin/bash", ["-euc", script], environment: environment, directory: home.path)
  }

  private static func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(examples)/\(name)", encoding: .utf8)
  }

  /// Follows a key while a script runs, line by line. `expect VALUE` in the script waits for the next value.
  private func follow(_ key: String, _ script: String) throws -> ChildProcess.Result {
    try shell(
      """
      exec 3< <(exec settings-cli watch \(app) \(key))
      watch=$!
      trap 'kill $watch 2>/dev/null || true' EXIT
      expect() {
        if ! read -r -t 30 line <&3; then echo "no value, not '$1'"; exit 1; fi
        [ "$line" = "$1" ] || { echo "'$line', not '$1'"; exit 1; }
      }
      \(script)
      echo followed
      """)
  }

  // MARK: home-manager

  /// The file that the module declares: its path below ~/.config, and its text without the indentation that Nix removes.
  private func declaredByModule() throws -> (path: String, text: String) {
    let module = try Self.text("home-manager/editor.nix")
    let match = try #require(module.firstMatch(of: /xdg\.configFile\."([^"]+)"\.text = ''\n([\s\S]*?)\n *'';/))
    let lines = match.2.split(separator: "\n", omittingEmptySubsequences: false)
    let indent = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return (String(match.1), lines.map { $0.dropFirst(indent) }.joined(separator: "\n") + "\n")
  }

  @Test func `home-manager's generations of links into a read-only tree are followed`() throws {
    let (path, text) = try declaredByModule()
    for (number, theme) in [(1, "dark"), (2, "light")] {
      let file = "\(home.path)/store/\(number)-home-manager-files/.config/\(path)"
      try home.write(text.replacingOccurrences(of: "dark", with: theme), to: file)
    }
    let result = try follow(
      "theme",
      """
      link="$XDG_CONFIG_HOME/\(path)"
      mkdir -p "$(dirname "$link")"
      chmod -R a-w store
      expect ""
      # As home-manager does: links to files of the generation.
      ln -s ~+/store/1-home-manager-files/.config/\(path) "$link"
      expect dark
      settings-cli set \(app) editor.font-size 16
      [ "$(settings-cli get \(app) editor.font-size)" = 16 ]
      ln -sfn ~+/store/2-home-manager-files/.config/\(path) "$link"
      expect light
      # The former generation is collected.
      chmod -R u+w store; rm -r store/1-home-manager-files; chmod -R a-w store
      [ "$(settings-cli get \(app) theme)" = light ]
      # The whole directory may be the link.
      rm -r "$(dirname "$link")"
      expect ""
      ln -s ~+/store/2-home-manager-files/.config/\(app)/settings.d "$(dirname "$link")"
      expect light
      [ "$(settings-cli get \(app) editor.font-size)" = 16 ]
      """)
    #expect(result.status == 0 && result.output == "followed\n", "\(result)")
    #expect(home.text(of: "\(home.path)/config/\(app)/settings.toml") == "[editor]\nfont-size = 16\n")
  }

  // MARK: chezmoi

  @Test func `chezmoi's files, replaced by a rename, are followed, and those of another host do not count`() throws {
    let source = "\(Self.examples)/chezmoi/dot_config"
    let result = try follow(
      "theme",
      """
      apply() { # As chezmoi does: a new file over the old one.
        (cd "\(source)" && find . -type f) | while read -r file; do
          mkdir -p "$(dirname "$XDG_CONFIG_HOME/$file")"
          sed "$1" "\(source)/$file" > "$XDG_CONFIG_HOME/$file.tmp"
          mv "$XDG_CONFIG_HOME/$file.tmp" "$XDG_CONFIG_HOME/$file"
        done
      }
      expect ""
      apply ""
      expect dark
      apply s/dark/light/
      expect light
      settings-cli set \(app) theme blue
      expect blue
      apply ""
      [ "$(settings-cli get \(app) theme)" = blue ]
      settings-cli adopt \(app) theme > adopted
      [ "$(settings-cli get \(app) theme)" = blue ]
      grep -q blue "$XDG_CONFIG_HOME/\(app)/settings.d/10-dotfiles.toml"
      [ "$(settings-cli get \(app) editor.font-size)" = 14 ] || [ "$(uname -n)" = laptop ]
      mv "$XDG_CONFIG_HOME/\(app)/settings.d/@host=laptop" "$XDG_CONFIG_HOME/\(app)/settings.d/@host=$(uname -n)"
      [ "$(settings-cli get \(app) editor.font-size)" = 18 ]
      """)
    #expect(result.status == 0 && result.output == "followed\n", "\(result)")
  }

  // MARK: Ansible

  @Test func `Ansible's drop-in for all users is checked, takes effect, and locks`() throws {
    let playbook = try Self.text("ansible/editor.yml")
    func value(_ name: String) throws -> String {
      let line = try #require(playbook.split(separator: "\n").last { $0.contains(" \(name): ") })
      return line.split(separator: ":", maxSplits: 1)[1].trimmingCharacters(in: .whitespaces)
    }
    let file = "\(home.path)\(try value("dest"))"
    let (source, validate) = (try value("src"), try value("validate"))
    let result = try follow(
      "editor.font-size",
      """
      umask 022
      expect ""
      install -d -m 0755 "$(dirname "\(file)")"
      cp "\(Self.examples)/ansible/\(source)" "$TMPDIR/new"
      chmod 0644 "$TMPDIR/new"
      \(validate.replacingOccurrences(of: "%s", with: "\"$TMPDIR/new\""))
      mv "$TMPDIR/new" "\(file)"
      expect 12
      settings-cli set \(app) editor.font-size 20
      expect 20
      if settings-cli set \(app) server.url https://example.com 2> refused; then exit 2; fi
      grep -q "is locked by '\(file)'" refused
      printf 'a = = 1\\n' > "$TMPDIR/new"
      if \(validate.replacingOccurrences(of: "%s", with: "\"$TMPDIR/new\"")) > findings; then exit 3; fi
      """)
    #expect(result.status == 0 && result.output == "followed\n", "\(result)")
  }

  // MARK: systemd

  /// The name of the credential in the unit.
  private static func credential() throws -> String {
    let unit = try text("systemd/org.example.web.service")
    return String(try #require(unit.firstMatch(of: /(?m)^LoadCredentialEncrypted=([^:]+):\//)).1)
  }

  private func writeSchema() throws {
    try home.write(
      "app = \"\(app)\"\nkeys.\"sync.token\" = { type = \"string\", secret = true }\n",
      to: home.path + "/data/app-settings/\(app).toml")
  }

  @Test func `the credential of the unit is the value of the key, and is not printed`() throws {
    let name = try Self.credential()
    try writeSchema()
    try home.write("hunter2\n", to: "\(home.path)/credentials/\(name)")
    let result = try shell("CREDENTIALS_DIRECTORY=~+/credentials settings-cli list \(app) --origin")
    #expect(
      result.output == "\(name) = (secret)  # credential \(home.path)/credentials/\(name)\n" && result.status == 0)
  }

  /// Encrypts and decrypts as systemd does for the unit, without a key of the machine.
  private static let credsScript = """
    printf 'hunter2' > token.txt
    mkdir -m 700 credentials
    systemd-creds encrypt --with-key=null --name="$1" token.txt cred 2>/dev/null ||
      systemd-creds encrypt --with-key=tpm2-absent --name="$1" token.txt cred 2>/dev/null || exit 77
    systemd-creds decrypt --name="$1" --allow-null cred "credentials/$1" 2>/dev/null ||
      systemd-creds decrypt --name="$1" cred "credentials/$1" 2>/dev/null || exit 77
    chmod 400 "credentials/$1"
    """

  /// Why systemd-creds cannot be tried here; `nil` if it can.
  private static let reason: String? = {
    let home = ScratchHome()
    guard
      let result = try? ChildProcess.run(
        "/bin/sh", ["-c", "command -v systemd-creds >/dev/null || exit 76\n" + credsScript, "sh", "sync.token"],
        environment: home.environment, directory: home.path)
    else { return "no shell" }
    return result.status == 0 ? nil : result.status == 76 ? "systemd-creds is not installed" : "it has no key here"
  }()

  @Test(.enabled(if: reason == nil, "systemd-creds cannot be tried: \(reason ?? "")"))
  func `what systemd-creds has encrypted for the unit is the credential`() throws {
    let name = try Self.credential()
    try writeSchema()
    let made = try ChildProcess.run(
      "/bin/sh", ["-c", Self.credsScript, "sh", name], environment: environment, directory: home.path)
    #expect(made.status == 0)
    #expect(home.text(of: "\(home.path)/credentials/\(name)") == "hunter2")
    let result = try shell("CREDENTIALS_DIRECTORY=~+/credentials settings-cli describe \(app) \(name)")
    #expect(result.output.contains("credential \(home.path)/credentials/\(name)") && !result.output.contains("hunter2"))
  }

  // MARK: The guide

  @Test func `the guide shows what the examples have`() throws {
    let guide = try String(
      contentsOfFile: Self.examples + "/../../docs/two-owners.md", encoding: .utf8)
    func squeezed(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    let files = try ["home-manager/editor.nix", "ansible/editor.yml", "systemd/org.example.web.service"].map(Self.text)
    for block in guide.components(separatedBy: "```").enumerated().filter({ $0.offset % 2 == 1 }).map(\.element) {
      guard ["nix", "yaml", "ini"].contains(block.prefix { $0 != "\n" }) else { continue }
      for line in block.split(separator: "\n").dropFirst() {
        let words = squeezed(String(line)).replacingOccurrences(of: "- ansible", with: "ansible")
        #expect(files.contains { squeezed($0).contains(words) }, "\(line)")
      }
    }
    for file in guide.matches(of: /\.\.\/(Examples\/Declared\/[^)]+)/) {
      #expect(FileManager.default.fileExists(atPath: Self.examples + "/../../" + file.1))
    }
  }
}
