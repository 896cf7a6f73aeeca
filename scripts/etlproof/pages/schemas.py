# SPDX-License-Identifier: Apache-2.0
"""The JSON Schemas of report.json and bucket.json, for tests: needs jsonschema (Debian: python3-jsonschema)."""
import json
import os
import warnings

import jsonschema

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "schema")


def validator(name):
    """Of "bucket" or "report"; has validate(object), is_valid(object), iter_errors(object)."""
    store = {}
    for file_name in os.listdir(FOLDER):
        with open(os.path.join(FOLDER, file_name), encoding="utf-8") as file:
            store[file_name] = json.load(file)
    schema = store[f"{name}.schema.json"]
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    with warnings.catch_warnings():
        # Its replacement is missing in the jsonschema of Debian 12.
        warnings.simplefilter("ignore", DeprecationWarning)
        resolver = jsonschema.RefResolver(f"{name}.schema.json", schema, store=store)
    return kind({"$ref": f"{name}.schema.json"}, resolver=resolver)
