/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the XML of an instrumentation manifest, with libexpat.
 */
#ifndef ETLPROOF_RECORDS_MANIFEST_XML_H
#define ETLPROOF_RECORDS_MANIFEST_XML_H

#include "etlproof/bytes.h"

#include "records/manifest_model.h"

typedef struct manifest_fault {
    uint64_t offset;  /* of the byte where reading stopped */
    const char *text; /* why; NULL if the document was read to its end */
} manifest_fault;

/* False if the command was built without libexpat: no manifest is read. */
bool manifest_xml_supported(void);

/* Adds what the document states to `model`, which is zero before. */
manifest_fault manifest_xml_read(etl_span xml, manifest_model *model);

#endif
