// SPDX-License-Identifier: Apache-2.0
// A target for Jazzer.js: any exception that is not of the parser itself is a crash. README.md has the command.
"use strict";

const parser = require(process.env.ETL_JS_DIR);

module.exports.fuzz = (file) => {
  try {
    parser.parseEtlFile(file, { includeHeader: true, onEvent: () => {} });
  } catch (error) {
    if (!(error instanceof parser.EtlError)) throw error;
  }
};
