// The scripts that make shells ask `lapl complete -- WORDS`. It answers with a line that says which
// files fit, and a line "word<tab>meaning" for each word.
#include "app/cli/completion.hpp"

namespace lapl {
namespace {

constexpr const char* bash = R"(# Completion of lapl for bash: source this, or put it in
# ~/.local/share/bash-completion/completions/lapl
_lapl() {
  local before=${COMP_LINE:0:COMP_POINT} words lines line word current
  read -ra words <<<"$before"
  [[ $before == *[[:space:]] ]] && words+=("")
  current=${words[-1]}
  mapfile -t lines < <("${words[0]/#\~/$HOME}" complete -- "${words[@]:1}" 2>/dev/null)
  COMPREPLY=()
  for line in "${lines[@]:1}"; do
    word=${line%%$'\t'*}
    [[ $word == *= ]] && compopt -o nospace 2>/dev/null
    COMPREPLY+=("$word")
  done
  [[ ${lines[0]} == files || ${lines[0]} == folders || ${lines[0]} == configs ]] &&
    compopt -o filenames 2>/dev/null
  case ${lines[0]} in
    files) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current") ;;
    folders) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$current") ;;
    configs)
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(
        compgen -f -X '!*.yaml' -- "$current"
        compgen -f -X '!*.yml' -- "$current"
        compgen -d -- "$current"
      )
      ;;
  esac
  # bash takes what stands before the last = for a word of its own.
  if [[ $current == *=* && $COMP_WORDBREAKS == *=* ]]; then
    COMPREPLY=("${COMPREPLY[@]#"${current%"${current##*=}"}"}")
  fi
}
complete -F _lapl lapl
)";

constexpr const char* zsh = R"(#compdef lapl
# Completion of lapl for zsh: put this as _lapl in a folder of $fpath, or source it after compinit.
_lapl() {
  local -a lines plain plain_shown open open_shown
  local line word
  lines=("${(@f)$("${words[1]/#\~/$HOME}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in "${(@)lines[2,-1]}"; do
    word=${line%%$'\t'*}
    if [[ $word == *= ]]; then
      open+=("$word")
      open_shown+=("$word  ${line#*$'\t'}")
    else
      plain+=("$word")
      plain_shown+=("$word  ${line#*$'\t'}")
    fi
  done
  (( $#plain )) && compadd -l -d plain_shown -- "${plain[@]}"
  (( $#open )) && compadd -S '' -l -d open_shown -- "${open[@]}"
  case ${lines[1]} in
    files) _files ;;
    folders) _files -/ ;;
    configs) _files -g '*.(yaml|yml)' ;;
  esac
}
if [[ ${funcstack[1]} == _lapl ]]; then
  _lapl "$@"
else
  compdef _lapl lapl
fi
)";

constexpr const char* fish =
    R"(# Completion of lapl for fish: put this as lapl.fish in ~/.config/fish/completions
function __lapl_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] complete -- $words[2..-1] "$current" 2>/dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path "$current"
        case folders
            __fish_complete_directories "$current" ""
        case configs
            __fish_complete_suffix "$current" .yaml
            __fish_complete_suffix "$current" .yml
    end
    for line in $lines[2..-1]
        echo $line
    end
end
complete -c lapl -f -a '(__lapl_complete)'
)";

}  // namespace

std::string completion_script(const std::string& shell) {
  return shell == "bash" ? bash : shell == "zsh" ? zsh : fish;
}

}  // namespace lapl
