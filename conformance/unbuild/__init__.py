# SPDX-License-Identifier: Apache-2.0
"""The builder's inverse: from a file to a recipe that builds the file again, byte for byte.

recipe_of() is the entry; conformance/recipe-of is the command. The decoder shows the contents of the file (outline), the
builder whether the text builds it (recipe). Needs the built command etlproof and, beside this package, `runner`.
"""
