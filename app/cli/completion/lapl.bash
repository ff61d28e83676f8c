# Completion of lapl for bash: source this, or put it in
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
  # bash treats the text before the last = as a separate word.
  if [[ $current == *=* && $COMP_WORDBREAKS == *=* ]]; then
    COMPREPLY=("${COMPREPLY[@]#"${current%"${current##*=}"}"}")
  fi
}
complete -F _lapl lapl
