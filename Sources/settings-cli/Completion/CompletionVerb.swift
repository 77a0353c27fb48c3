import ArgumentParser

struct CompletionVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "completion",
    abstract: "Print the completions for a shell.",
    discussion: """
      Verbs, options, apps, keys and values are completed, from what there is on this machine. An installation \
      has them in place already.

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
