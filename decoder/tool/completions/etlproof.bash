# SPDX-License-Identifier: Apache-2.0
# Completion of etlproof for bash. Verbs and options come from its --help.
_etlproof()
{
    local current=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} words
    if [ "$COMP_CWORD" -eq 1 ]; then
        words=$("$1" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p')
    elif [ "${current#-}" != "$current" ]; then
        words=$("$1" "$verb" --help 2>/dev/null | sed -nE 's/^  (-[a-z], )?(--[a-z-]+).*/\2/p')
    fi
    # shellcheck disable=SC2207
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _etlproof etlproof
