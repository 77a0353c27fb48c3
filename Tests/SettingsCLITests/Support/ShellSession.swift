import Foundation
import TestSupport

/// An interactive shell with the completion that `Scripts/install` installs.
final class ShellSession {
  enum Shell: String, CaseIterable {
    case bash, zsh, fish

    var path: String? {
      (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map { "\($0)/\(rawValue)" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Whether a test of the shell can run; otherwise the reason is in the trait.
    var isPossible: Bool { path != nil && TerminalSession.isPossible }

    /// How the shell starts, and the file that it reads then.
    fileprivate func start(in home: String) -> (line: String, file: String, text: String) {
      switch self {
      case .bash:
        (
          "bash --noprofile --rcfile '\(home)/bashrc' -i", "bashrc",
          #"""
          bash_completion=/usr/share/bash-completion/bash_completion
          if [ -e $bash_completion ]; then . $bash_completion
          else . "$HOME/prefix/share/bash-completion/completions/settings-cli"; fi
          set -o emacs
          bind -x '"\C-x\C-l": printf %s "$READLINE_LINE" > "$HOME/line"; echo "<line>"'
          PROMPT_COMMAND='n=$((n + 1)); PS1="<$n> "'
          """#
        )
      case .zsh:
        (
          "zsh -d -i", ".zshrc",
          #"""
          fpath=("$HOME/prefix/share/zsh/site-functions" $fpath)
          autoload -Uz compinit && compinit -u -D
          bindkey -e
          record() { print -rn -- "$BUFFER" > "$HOME/line"; print "<line>" > /dev/tty }
          zle -N record
          bindkey '^X^L' record
          precmd() { (( ++n )); PS1="<$n> " }
          """#
        )
      case .fish:
        (
          "fish --private -i", "config/fish/config.fish",
          #"""
          set -g fish_greeting
          set -g fish_autosuggestion_enabled 0
          bind \cx\cl 'commandline | string collect > $HOME/line; echo "<line>"'
          set -g n 0
          function count_prompts --on-event fish_prompt; set -g n (math $n + 1); end
          function fish_prompt; echo "<$n> "; end
          """#
        )
      }
    }
  }

  private let home: ScratchHome
  private let terminal: TerminalSession
  private var prompts = 1

  init(_ shell: Shell, in home: ScratchHome) throws {
    self.home = home
    // The command as installed; what it answers to a line of the test goes into a file.
    let executable = home.path + "/built/settings-cli"
    try home.write(
      """
      #!/bin/sh
      case $1 in complete | completion | manual | --version) ;; *) exec > "$HOME/out" 2>&1 ;; esac
      exec '\(ChildProcess.product("settings-cli"))' "$@"

      """, to: executable)
    chmod(executable, 0o755)
    let scripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../Scripts")
    try ChildProcess.shell(
      "'\(scripts.path)/install' --from '\(home.path)/built' '\(home.path)/prefix'", environment: home.environment)
    let start = shell.start(in: home.path)
    // Without it, the first fish of a home reads all manual pages in the background.
    try home.write("", to: home.path + "/data/fish/generated_completions/none.fish")
    try home.write(start.text + "\n", to: home.path + "/" + start.file)
    terminal = try TerminalSession(
      start.line,
      environment: home.environment.merging([
        "PATH": "\(home.path)/bin:\(home.path)/prefix/bin:" + (home.environment["PATH"] ?? ""),
        "XDG_DATA_DIRS": home.path + "/prefix/share:/usr/share", "ZDOTDIR": home.path, "TERM": "xterm",
        "COLUMNS": "120",
      ]) { $1 }, directory: home.path)
    terminal.wait(for: "<1> ")
  }

  /// Types keys and tabs.
  ///
  /// - Returns: The line as it is then, and what the terminal showed; `nil` if the shell does not answer.
  func complete(_ keys: String) -> (line: String, shown: String)? {
    terminal.type(keys + "\u{18}\u{C}")
    guard let shown = terminal.wait(for: "<line>"), let line = home.text(of: home.path + "/line") else { return nil }
    return (line, shown)
  }

  /// Runs the line, or takes it away.
  ///
  /// - Returns: What the command said; `nil` if the shell does not answer.
  func finish(runs: Bool) -> String? {
    try? home.write("", to: home.path + "/out")
    terminal.type(runs ? "\n" : "\u{15}:\n")
    prompts += 1
    return terminal.wait(for: "<\(prompts)> ") == nil ? nil : home.text(of: home.path + "/out")
  }

  func end() {
    terminal.type("exit\n")
    _ = terminal.end()
  }
}
