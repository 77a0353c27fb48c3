/// Prints the completions for a shell.
enum CompletionVerb: Verb {
  static let name = "completion"
  static let syntax = Syntax(
    summary: "Print the completions for a shell.",
    operands: [.init("SHELL", .one, .words(["bash", "zsh", "fish"]), "bash, zsh or fish.")],
    details: """
      Verbs, options, apps, keys and values are completed, from what there is on this
      machine. An installation has them in place already.
      """,
    examples: [
      "settings-cli completion bash > ~/.local/share/bash-completion/completions/settings-cli",
      "settings-cli completion zsh > \"${fpath[1]}/_settings-cli\"",
      "settings-cli completion fish > ~/.config/fish/completions/settings-cli.fish",
    ])

  static func run(_ arguments: Arguments) throws {
    switch arguments.operands[0] {
    case "bash": Output.text(bash)
    case "zsh": Output.text(zsh)
    case "fish": Output.text(fish)
    case let shell: throw Failure(.usage, "There are no completions for '\(shell)': use one of bash, zsh, fish.")
    }
  }

  // Bash splits words at '=' and ':', too; they are put together again, and what stands before the last of them is
  // taken off the answers.
  private static let bash = #"""
    # bash completion for settings-cli
    _settings_cli() {
      local words=() word i joins= line reply=()
      for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ ${#words[@]} -gt 0 && ( -n $joins || $word == [=:] || $word == [=:][=:] ) ]]; then
          words[${#words[@]}-1]+=$word
        else
          words+=("$word")
        fi
        [[ $word == *[=:] ]] && joins=1 || joins=
      done
      local typed=${words[${#words[@]}-1]} head=
      [[ $typed == *[=:]* ]] && head=${typed%"${typed##*[=:]}"}
      while IFS= read -r line; do
        line=${line%%$'\t'*}
        if [[ $line == :files ]]; then
          compopt -o filenames 2>/dev/null
          while IFS= read -r line; do reply+=("$line"); done < <(compgen -f -- "${typed#"$head"}")
        else
          line=${line#"$head"}
          reply+=("$(printf '%q' "$line")")
        fi
      done < <("${COMP_WORDS[0]}" complete -- "${words[@]}" 2>/dev/null)
      COMPREPLY=("${reply[@]}")
    }
    complete -F _settings_cli settings-cli

    """#

  private static let zsh = #"""
    #compdef settings-cli
    _settings_cli() {
      local -a candidates
      local line files
      for line in "${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        if [[ $line == :files ]]; then
          files=1
        elif [[ $line == *$'\t'* ]]; then
          candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
        elif [[ -n $line ]]; then
          candidates+=("${line//:/\\:}")
        fi
      done
      if [[ -n $files ]]; then
        _files
      else
        _describe -V 'settings-cli' candidates
      fi
    }
    if [[ $funcstack[1] == _settings-cli ]]; then
      _settings_cli "$@"
    else
      compdef _settings_cli settings-cli
    fi

    """#

  private static let fish = #"""
    # fish completion for settings-cli
    function __settings_cli
        set -l words (commandline -opc)
        set -l typed (commandline -ct)
        for line in ($words[1] complete -- $words[2..-1] "$typed" 2>/dev/null)
            if test "$line" = :files
                __fish_complete_path "$typed"
            else
                printf '%s\n' $line
            end
        end
    end
    complete -c settings-cli -f -k -a '(__settings_cli)'

    """#
}
