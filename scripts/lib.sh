# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What the scripts share. Sourced, never run.

root=$(cd "$(dirname "$0")/.." && pwd) || exit 1

say()
{
    printf '%s\n' "$*"
}

# die STATUS TEXT...
die()
{
    status=$1
    shift
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit "$status"
}

# Prints the comment at the head of the script that runs: its help.
print_help()
{
    sed -n '/^# SPDX/d; /^#!/d; /^#/!q; s/^# \{0,1\}//; p' "$0"
}

# Installs what a group of the list in scripts/bootstrap lacks.
ensure()
{
    "$root/scripts/bootstrap" --check "$@" >/dev/null 2>&1 || "$root/scripts/bootstrap" "$@"
}

# Where real traces are kept, if they are: beside the tree, or where the environment says.
# shellcheck disable=SC2034
samples=${ETLPROOF_SHARED:-$root/../shared}/samples
