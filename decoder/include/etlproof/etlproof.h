/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etlproof: a hardened decoder of Windows Event Trace Log files.
 *
 * No function allocates memory, prints, recurses, keeps state between calls or changes errno. All state is in structs that
 * the caller owns.
 */
#ifndef ETLPROOF_ETLPROOF_H
#define ETLPROOF_ETLPROOF_H

#include "etlproof/linkage.h"
#include "etlproof/bytes.h"
#include "etlproof/outcome.h"
#include "etlproof/format.h"
#include "etlproof/finding.h"
#include "etlproof/region.h"
#include "etlproof/guid.h"
#include "etlproof/clock.h"
#include "etlproof/inflate.h"
#include "etlproof/logfile.h"
#include "etlproof/event.h"
#include "etlproof/item.h"
#include "etlproof/items.h"
#include "etlproof/schema.h"
#include "etlproof/buffer_header.h"
#include "etlproof/buffer.h"
#include "etlproof/trace.h"
#include "etlproof/reader.h"
#include "etlproof/recover.h"
#include "etlproof/memory.h"

#endif
