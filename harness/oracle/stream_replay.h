/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a compressed stream inflates to, compared with the bytes that the decoder delivered.
 */
#ifndef ETLPROOF_ORACLE_STREAM_REPLAY_H
#define ETLPROOF_ORACLE_STREAM_REPLAY_H

#include <stdbool.h>

#include "etlproof/bytes.h"

typedef enum oracle_stream_end {
    ORACLE_STREAM_GOES_ON, /* all bytes of the output are there */
    ORACLE_STREAM_ENDED,   /* the stream ends before the output does, at the flag that has no token */
    ORACLE_STREAM_FAULT,   /* so does the input, or a token cannot be read */
    ORACLE_STREAM_OVERRUN, /* a match ends behind the output */
    ORACLE_STREAM_DIFFERS  /* a byte of the output is not the one that the stream states */
} oracle_stream_end;

typedef struct oracle_stream_replay {
    oracle_stream_end end;
    size_t consumed; /* bytes of input, up to the token that could not be replayed */
    size_t produced; /* bytes of output that were compared */
    bool flags_end;  /* the next bytes are a flag word, or unused */
} oracle_stream_replay;

oracle_stream_replay oracle_replay_stream(etl_span in, etl_span out);

#endif
