/**
 * What makes each shell ask the program. The scripts know no command: the program that is installed answers, so that nobody makes them
 * again after an upgrade.
 */

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** A line of the answer that is no word begins so: what kind of path may stand there. */
export const PATHS_MARK = '\t';

// The words of shells: cspell:disable

const BASH = `# prefixcast completion bash
_prefixcast() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      $'\\tfile') compopt -o filenames; mapfile -t -O "\${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$2") ;;
      $'\\tdirectory') compopt -o filenames; mapfile -t -O "\${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$2") ;;
      ?*) COMPREPLY+=("$line") ;;
    esac
  done < <(prefixcast completion words --breaks "$COMP_WORDBREAKS" -- "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -F _prefixcast prefixcast
`;

const ZSH = `#compdef prefixcast
# prefixcast completion zsh
_prefixcast() {
  local line word
  local -a described
  while IFS= read -r line; do
    case $line in
      ($'\\tfile') _files ;;
      ($'\\tdirectory') _files -/ ;;
      (?*)
        word=\${line%%$'\\t'*}
        described+=("\${word//:/\\\\:}:\${line#*$'\\t'}")
        ;;
    esac
  done < <(prefixcast completion words -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)
  (( $#described )) && _describe prefixcast described
}
if [[ $funcstack[1] == _prefixcast ]]; then _prefixcast "$@"; else compdef _prefixcast prefixcast; fi
`;

const FISH = `# prefixcast completion fish
function __prefixcast_complete
    set -l typed (commandline -opc)
    set -l last (commandline -ct)
    for line in (prefixcast completion words -- $typed[2..] (string trim -lc '"\\'' -- $last) 2>/dev/null)
        switch $line
            case \\tfile
                __fish_complete_path $last
            case \\tdirectory
                __fish_complete_directories $last
            case '*'
                echo -- $line
        end
    end
end
complete -c prefixcast -f -a '(__prefixcast_complete)'
`;

// cspell:enable

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
