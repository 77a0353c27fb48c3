import ArgumentParser

struct CompletionVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "completion",
    abstract: "Print the completion script for a shell.",
    discussion: """
      The script completes verbs, options, apps, keys and values, from the files on this machine. An installation of \
      this command includes it.

      EXAMPLES
        . <(settings-cli completion bash)
        settings-cli completion zsh > "${fpath[1]}/_settings-cli"
        settings-cli completion fish | source
      """)

  enum Shell: String, CaseIterable, ExpressibleByArgument {
    case bash, zsh, fish
  }

  @Argument(help: "The shell.") var shell: Shell
  @OptionGroup var common: CommonOptions

  func answer() throws {
    let shell: CompletionShell =
      switch shell {
      case .bash: .bash
      case .zsh: .zsh
      case .fish: .fish
      }
    Output.text(SettingsCLI.completionScript(for: shell) + "\n")
  }
}
