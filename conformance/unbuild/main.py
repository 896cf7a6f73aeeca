# SPDX-License-Identifier: Apache-2.0
"""The command line of conformance/recipe-of."""
import sys

from runner import command
from runner.failure import FAILED, INPUT, PASSED, Failure, Writing
from .recipe import recipe_of
from .reference import COMMAND

NAME = "conformance/recipe-of"
DESCRIPTION = """\
Writes a recipe that builds FILE again, byte for byte: the inverse of `etlproof build`. Prints to standard error which parts
of the file are written as bytes, and the --group that `etlproof build` needs.

Buffers, events and items are written as such; members appear only where they differ from the builder's defaults. Bytes
that have no structure are written as bytes.
"""
EPILOG = """\
examples:
  conformance/recipe-of odd.etl
  conformance/recipe-of odd.etl -o odd.recipe && etlproof build odd.recipe --group GROUP -o same.etl

exit status: 0 the recipe builds the same file, 1 there is no such recipe, 64 wrong usage, 66 cannot read, or etlproof is
not built, 70 an internal error, 74 cannot write, 130 interrupted
"""


def _main(arguments):
    parser = command.Parser(prog=NAME, description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("-o", "--output", metavar="RECIPE", help="default: standard output")
    parser.add_argument("--etlproof", metavar="PATH", default=COMMAND,
                        help="the command to ask (default: build/release/bin/etlproof)")
    options = parser.parse_args(arguments)
    try:
        recipe = recipe_of(options.file, options.etlproof)
    except OSError as error:
        raise Failure(INPUT, f"{options.file}: cannot read: {error.strerror}") from error
    if options.output:
        with Writing(options.output), open(options.output, "w", encoding="utf-8") as file:
            file.write(recipe.text)
    else:
        sys.stdout.write(recipe.text)
    how = f"; build it with --group {recipe.group}" if recipe.text else ""
    command.complain(NAME, f"{options.file}: {recipe.note}{how}")
    return PASSED if recipe.exact else FAILED


def main(arguments):
    """The exit code."""
    return command.run(NAME, lambda: _main(arguments))
