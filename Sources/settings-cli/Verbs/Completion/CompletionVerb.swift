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

  func answer() throws { Output.text(shell.script) }
}

extension CompletionVerb.Shell {
  /// The script: it asks this command for each word, and evaluates nothing of the answer.
  fileprivate var script: String {
    switch self {
    case .bash:
      #"""
      # Completion of settings-cli in bash.

      _settings_cli() {
        local -a answer
        mapfile -t answer <<< "$("${COMP_WORDS[0]/#\~\//$HOME/}" complete bash -- "${COMP_LINE:0:COMP_POINT}" "$2" \
          "$COMP_TYPE" "${COLUMNS:-80}" 2> /dev/null < /dev/null)"
        COMPREPLY=("${answer[@]:1}")
        case ${answer[0]} in
          files) compopt -o bashdefault -o default ;;
          directories) compopt -o dirnames ;;
          *' open'*) compopt -o nospace ;;
        esac
      }

      complete -o nosort -F _settings_cli settings-cli

      """#
    case .zsh:
      #"""
      #compdef settings-cli
      # Completion of settings-cli in zsh.

      _settings-cli() {
        local -a answer inserted shown options
        local line typed=${words[CURRENT]}
        [[ -z $SUFFIX ]] || typed=$QIPREFIX$IPREFIX$PREFIX
        answer=("${(@f)$("${${(Q)words[1]}/#\~\//$HOME/}" complete zsh -- "$QIPREFIX" "${(@)words[1,CURRENT-1]}" \
          "$typed" 2> /dev/null < /dev/null)}")
        [[ $PREFIX != --*=* || ${answer[1]} = words* ]] || compset -P '*='
        case ${answer[1]} in
          (files) _files; return ;;
          (directories) _files -/; return ;;
        esac
        for line in "${(@)answer[2,-1]}"; do
          inserted+=("${line%%$'\t'*}")
          shown+=("${line#*$'\t'}")
        done
        (( $#shown )) || return 1
        options=(-U -Q)
        [[ ${answer[1]} != *' open'* ]] || options+=(-S '')
        if [[ ${answer[1]} = *' list'* ]]; then
          # What the candidates share is less than what is typed: insert nothing.
          compadd -x "${(F)shown//\%/%%}"
          return
        fi
        _describe -V word shown inserted "${(@)options}"
      }

      if [[ ${funcstack[1]} = _settings-cli ]]; then
        _settings-cli "$@"
      else
        compdef _settings-cli settings-cli
      fi

      """#
    case .fish:
      #"""
      # Completion of settings-cli in fish.

      function __settings_cli_answer
          set -l line (commandline -cp | string collect)
          set -l answer (command settings-cli complete fish -- $line 2>/dev/null </dev/null)
          set -g __settings_cli_candidates $answer[2..]
          switch "$answer[1]"
              case files
                  # Without a candidate of ours, fish completes files.
                  return 1
              case directories
                  set -g __settings_cli_candidates (__fish_complete_directories (commandline -ct))
          end
      end

      complete -c settings-cli -k -f -n __settings_cli_answer -a '$__settings_cli_candidates'

      """#
    }
  }
}
