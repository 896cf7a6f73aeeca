# SPDX-License-Identifier: Apache-2.0
# Completion of etlproof for fish. Verbs and options come from its --help.
function __etlproof_options
    set -l words (commandline -opc)
    $words[1] $words[2] --help 2>/dev/null | sed -nE 's/^  (-[a-z], )?(--[a-z-]+).*  (.*)/\2\t\3/p'
end
complete -c etlproof -n __fish_use_subcommand -f -a "(etlproof --help | sed -n 's/^  \([a-z][a-z]*\) .*  \(.*\)/\1\t\2/p')"
complete -c etlproof -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -f -a '(__etlproof_options)'
