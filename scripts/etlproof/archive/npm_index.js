// SPDX-License-Identifier: Apache-2.0
"use strict";
const fs = require("fs");
const path = require("path");

/** The folder with the runner, `run`, and the vectors, `golden`. */
const folder = path.join(__dirname, "conformance");

/** Each vector: the members of conformance/schema/vector.schema.json, and `path`, its file. */
function* vectors() {
  const golden = path.join(folder, "golden");
  for (const group of fs.readdirSync(golden).sort()) {
    const inside = path.join(golden, group);
    if (!fs.statSync(inside).isDirectory()) continue;
    for (const name of fs.readdirSync(inside).sort()) {
      if (!name.endsWith(".jsonl")) continue;
      for (const line of fs.readFileSync(path.join(inside, name), "utf8").split("\n")) {
        if (!line) continue;
        const vector = JSON.parse(line);
        yield { ...vector, path: path.join(inside, vector.id + ("structure" in vector ? ".bin" : ".etl")) };
      }
    }
  }
}

module.exports = { folder, vectors };
