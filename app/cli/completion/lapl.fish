# Completion of lapl for fish: put this as lapl.fish in ~/.config/fish/completions
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
