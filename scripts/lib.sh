# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Functions that the scripts share. Sourced, never run.

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

# Prints the help of the running script: the comment at its head.
print_help()
{
    sed -n '/^# SPDX/d; /^#!/d; /^#/!q; s/^# \{0,1\}//; p' "$0"
}

# Installs the missing packages of a group of scripts/bootstrap.
ensure()
{
    "$root/scripts/bootstrap" --check "$@" >/dev/null 2>&1 || "$root/scripts/bootstrap" "$@"
}

# Real traces: beside the tree, or where the environment says. The folder need not exist.
# shellcheck disable=SC2034
samples=${ETLPROOF_SHARED:-$root/../shared}/samples
