/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compressed buffers, and patches of the file and the model.
 */
#include "model_fixture.h"

#include "etlproof/inflate.h"

static void check_inflates(const build_model_buffer *buffer, const build_chunk *image)
{
    static uint8_t room[0x10000];
    const size_t size = buffer->extent - 0x48;
    const etl_span in = {image->at + buffer->offset + 0x48, buffer->stream_size};
    const etl_inflated result = etl_inflate(in, (etl_scratch){room, size});
    CHECK_UINT(size, result.produced);
    CHECK_UINT(buffer->extent, buffer->inflated.size);
    CHECK_BYTES(buffer->inflated.at + 0x48, room, size);
    CHECK_BYTES(image->at + buffer->offset, buffer->inflated.at, 0x48);
}

static void test_compressed(void)
{
    build_model *model = compressed_trace();
    build_model_lay_out(model);
    build_chunk image = build_image_make(model);
    const build_model_buffer *b = &model->buffers[1], *c = &model->buffers[2];
    CHECK_UINT(0x04000001, get(model, "logfile", "LogFileMode"));
    CHECK_UINT(2, get(model, "logfile", "SubVersion"));
    CHECK_UINT(0, get(model, "logfile", "SubMinorVersion"));
    CHECK_UINT(3, get(model, "logfile", "BuffersWritten"));
    CHECK_UINT(0x800, get(model, "logfile", "BufferSize"));
    CHECK_UINT(0x400, b->offset);
    CHECK_UINT(0x48 + b->stream_size + 3, b->size);
    CHECK_UINT(b->size, number_at(&image, 0x400, 4));
    CHECK_UINT(0x158, number_at(&image, 0x404, 4));
    CHECK_UINT(0x158, number_at(&image, 0x430, 4));
    CHECK_UINT(0x0060, number_at(&image, 0x434, 2));
    CHECK_UINT(0xABABAB, number_at(&image, 0x400 + b->size - 3, 3));
    CHECK_UINT(0x400 + b->size, c->offset);
    CHECK_UINT(c->size, number_at(&image, (size_t)c->offset, 4));
    CHECK_UINT(c->offset + c->size + 10, image.size);
    CHECK_UINT(image.size, model->size);
    CHECK_UINT(0x99, number_at(&image, image.size - 10, 1));
    check_inflates(b, &image);
    check_inflates(c, &image);
    build_chunk_free(&image);
    set(model, "logfile", "BufferSize", 0x10000);
    build_model_lay_out(model);
    CHECK_UINT(0x400, model->buffers[0].size);
    build_model_free(model);
}

/* A given stream is written unchanged, whatever it inflates to; each copy of a model has its own. */
static void test_given_stream(void)
{
    build_model *original = compressed_trace();
    original->buffers[1].compression = BUILD_MODEL_GIVEN;
    build_chunk_add(&original->buffers[1].given, "\x11\x22\x33\x44\x55", 5);
    build_model *model = build_model_copy(original);
    original->buffers[1].given.at[0] = 0x99;
    build_model_lay_out(model);
    build_chunk image = build_image_make(model);
    CHECK_UINT(0x48 + 5 + 3, number_at(&image, 0x400, 4));
    CHECK_UINT(0x400 + 0x48 + 5 + 3, model->buffers[2].offset);
    CHECK_UINT(0x0060, number_at(&image, 0x434, 2));
    CHECK_BYTES("\x11\x22\x33\x44\x55", image.at + 0x448, 5);
    CHECK_UINT(0x158, model->buffers[1].inflated.size);
    build_chunk_free(&image);
    build_model_free(model);
    build_model_free(original);
}

/* A patch, and the bytes of it. */
static build_patch patch_of(build_patch_kind kind, uint64_t offset, const void *bytes, size_t size)
{
    build_patch patch = {.kind = kind, .offset = offset};
    build_chunk_add(&patch.bytes, bytes, size);
    return patch;
}

/* Applies and frees a patch; false if it cannot be applied. */
static bool apply(build_chunk *image, build_model *model, build_patch patch)
{
    const char *why = NULL;
    const bool done = build_image_patch(image, model, &patch, &why);
    CHECK(done == (why == NULL));
    build_chunk_free(&patch.bytes);
    return done;
}

/* The model follows the patch: its image is the patched one. */
static void check_mirrored(const build_model *model, const build_chunk *image)
{
    build_chunk again = build_image_make(model);
    CHECK_UINT(image->size, again.size);
    CHECK_BYTES(image->at, again.at, image->size);
    build_chunk_free(&again);
}

static build_model *rich_trace(void)
{
    build_model *model = small_trace(ETL_HEADER_TYPE_EVENT_HEADER64);
    build_model_item *item = build_model_add_item(event_of(model, "second"), "item", ETL_ITEM_TYPE_SID);
    build_chunk_fill(&item->data, 0x44, 5);
    build_model_add_event(model, 1, "message", ETL_HEADER_TYPE_MESSAGE);
    build_model_event *sample = build_model_add_event(model, 1, "sample", ETL_HEADER_TYPE_PERFINFO64);
    sample->pmc_count = 1;
    sample->pmc[0] = 7;
    build_chunk_fill(&build_model_add_raw_event(model, 1, "gap", ETL_REGION_DAMAGED)->data, 0x12, 5);
    const size_t tail = build_model_add_raw_buffer(model, "tail", ETL_REGION_TAIL);
    build_chunk_fill(&model->buffers[tail].raw, 0x99, 10);
    build_model_lay_out(model);
    return model;
}

/* Whether a patch changes which fields a message has, which the model does not follow. */
static bool changes_options(build_model *model, size_t at, size_t size)
{
    const size_t options = (size_t)model->buffers[1].offset + event_of(model, "message")->at + 6;
    return at < options + 2 && options < at + size;
}

/* The model follows a change of any run of bytes, within one structure or across several. */
static void test_mirror(void)
{
    uint8_t bytes[40];
    memset(bytes, 0x5C, sizeof bytes);
    build_model *model = rich_trace();
    for (size_t size = 1; size <= sizeof bytes; size += 13) {
        for (size_t at = 0; at + size <= model->size; at++) {
            build_model *copy = build_model_copy(model);
            build_chunk image = build_image_make(copy);
            CHECK(apply(&image, copy, patch_of(BUILD_PATCH_BYTES, at, bytes, size)));
            CHECK_BYTES(bytes, image.at + at, size);
            if (!changes_options(model, at, size))
                check_mirrored(copy, &image);
            build_chunk_free(&image);
            build_model_free(copy);
        }
    }
    build_model_free(model);
}

static void test_mirrored_members(void)
{
    build_model *model = rich_trace();
    build_chunk image = build_image_make(model);
    const size_t second = 0x400 + event_of(model, "second")->at, sample = 0x400 + event_of(model, "sample")->at;
    const size_t message = 0x400 + event_of(model, "message")->at;
    CHECK(apply(&image, model, patch_of(BUILD_PATCH_BYTES, second, "\x34\x12", 2)));
    CHECK_UINT(0x1234, get(model, "second", "Size"));
    CHECK(apply(&image, model, patch_of(BUILD_PATCH_BYTES, second + 0x56, "\x09", 1)));
    CHECK_UINT(9, get(model, "item", "DataSize"));
    CHECK(apply(&image, model, patch_of(BUILD_PATCH_BYTES, sample + 0x11, "\x01", 1)));
    CHECK_UINT(0x107, event_of(model, "sample")->pmc[0]);
    CHECK(apply(&image, model, patch_of(BUILD_PATCH_BYTES, message + 8 + 16 + 8 + 3, "\xFF", 1)));
    CHECK_UINT(0xFF, event_of(model, "message")->message_fields.thread_id >> 24);
    CHECK(apply(&image, model, patch_of(BUILD_PATCH_BYTES, 0x68, "\x00\x02", 2)));
    CHECK_UINT(0x200, get(model, "logfile", "BufferSize"));
    CHECK_UINT(0x400, model->buffers[0].size);
    CHECK(apply(&image, model, patch_of(BUILD_PATCH_BYTES, image.size - 1, "Z", 1)));
    CHECK_UINT('Z', model->buffers[2].raw.at[9]);
    check_mirrored(model, &image);
    build_chunk_free(&image);
    build_model_free(model);
}

/* A patch of OptionFlags does not change what the bytes after them are in the model. */
static void test_options(void)
{
    build_model *model = rich_trace();
    build_chunk image = build_image_make(model);
    const size_t message = 0x400 + event_of(model, "message")->at;
    CHECK(apply(&image, model, patch_of(BUILD_PATCH_BYTES, message + 6, "\x21\x00\x77\x77\x77\x77", 6)));
    CHECK_UINT(0x21, get(model, "message", "OptionFlags"));
    CHECK_UINT(0x77, event_of(model, "message")->message_fields.guid[3]);
    CHECK(event_of(model, "message")->message_fields.sequence != 0x77777777);
    build_chunk_free(&image);
    build_model_free(model);
}

static void test_cut_and_beyond(void)
{
    build_model *model = rich_trace();
    build_chunk image = build_image_make(model);
    const size_t size = image.size;
    CHECK(!apply(&image, model, patch_of(BUILD_PATCH_CUT, size + 1, "", 0)));
    CHECK(!apply(&image, model, patch_of(BUILD_PATCH_BYTES, size - 1, "ab", 2)));
    CHECK(!apply(&image, model, patch_of(BUILD_PATCH_INSERT, size + 1, "a", 1)));
    CHECK(!apply(&image, model, (build_patch){.kind = BUILD_PATCH_REMOVE, .offset = 5, .size = size - 4}));
    CHECK(!apply(&image, model, (build_patch){.kind = BUILD_PATCH_MOVE, .offset = 5, .size = 8, .by = -6}));
    CHECK(!apply(&image, model, (build_patch){.kind = BUILD_PATCH_MOVE, .offset = 5, .size = 8, .by = (int64_t)size - 12}));
    CHECK_UINT(size, image.size);
    check_mirrored(model, &image);
    CHECK(apply(&image, model, patch_of(BUILD_PATCH_CUT, 0x411, "", 0)));
    CHECK_UINT(0x411, image.size);
    build_chunk_free(&image);
    build_model_free(model);
}

/* Applies a patch that moves bytes to "0123456789" at the end of the file. */
static void check_moved(build_patch patch, const char *expected)
{
    build_model *model = rich_trace();
    build_chunk image = build_image_make(model);
    const size_t tail = image.size - 10;
    memcpy(image.at + tail, "0123456789", 10);
    patch.offset += tail;
    CHECK(apply(&image, model, patch));
    CHECK_UINT(strlen(expected), image.size - tail);
    for (size_t i = 0; expected[i] != '\0' && tail + i < image.size; i++)
        CHECK_UINT(expected[i] == '.' ? 0 : (uint8_t)expected[i], image.at[tail + i]);
    build_chunk_free(&image);
    build_model_free(model);
}

static void test_moves(void)
{
    check_moved(patch_of(BUILD_PATCH_INSERT, 3, "ab", 2), "012ab3456789");
    check_moved(patch_of(BUILD_PATCH_INSERT, 10, "ab", 2), "0123456789ab");
    check_moved((build_patch){.kind = BUILD_PATCH_REMOVE, .offset = 3, .size = 4}, "012789");
    check_moved((build_patch){.kind = BUILD_PATCH_REMOVE, .offset = 3, .size = 7}, "012");
    check_moved((build_patch){.kind = BUILD_PATCH_MOVE, .offset = 2, .size = 4, .by = 1}, "01.2345789");
    check_moved((build_patch){.kind = BUILD_PATCH_MOVE, .offset = 2, .size = 4, .by = -2}, "2345..6789");
    check_moved((build_patch){.kind = BUILD_PATCH_MOVE, .offset = 2, .size = 4, .by = 4}, "01....2345");
}

/* A patch changes inflated bytes before compression; it may name the buffer of another copy. */
static void test_inflated(void)
{
    build_model *original = compressed_trace();
    build_model_lay_out(original);
    build_model *model = build_model_copy(original);
    build_chunk image = build_image_make(model);
    build_patch patch = patch_of(BUILD_PATCH_BYTES, event_of(model, "first")->at, "\x01\x02\x03\x04\x05\x06\x07", 7);
    patch.inflated = &original->buffers[1];
    const uint32_t before = model->buffers[1].size;
    CHECK(apply(&image, model, patch));
    CHECK_UINT(0x0201, get(model, "first", "Size"));
    CHECK_UINT(0x04, get(model, "first", "MarkerFlags"));
    CHECK(before != model->buffers[1].size);
    CHECK_UINT(model->buffers[1].size, number_at(&image, 0x400, 4));
    CHECK_UINT(0x400 + model->buffers[1].size, model->buffers[2].offset);
    CHECK_UINT(model->size, image.size);
    CHECK_UINT(0x01, model->buffers[1].inflated.at[0x48]);
    check_inflates(&model->buffers[1], &image);
    check_inflates(&model->buffers[2], &image);
    build_chunk_free(&image);
    build_model_free(model);
    build_model_free(original);
}

/* Removed bytes do not change the stated extent. */
static void test_inflated_cut(void)
{
    build_model *model = compressed_trace();
    build_model_lay_out(model);
    build_chunk image = build_image_make(model);
    CHECK(apply(&image, model, (build_patch){.kind = BUILD_PATCH_CUT, .offset = 0x60, .inflated = &model->buffers[1]}));
    CHECK_UINT(0x158, number_at(&image, 0x430, 4));
    CHECK_UINT(0x60, model->buffers[1].inflated.size);
    CHECK(model->buffers[1].stream_size < 0x20);
    CHECK(!apply(&image, model, (build_patch){.kind = BUILD_PATCH_CUT, .offset = 0x47, .inflated = &model->buffers[1]}));
    CHECK(!apply(&image, model, (build_patch){.kind = BUILD_PATCH_CUT, .offset = 0x61, .inflated = &model->buffers[1]}));
    CHECK(!apply(&image, model, (build_patch){.kind = BUILD_PATCH_CUT, .offset = 0x60, .inflated = &model->buffers[0]}));
    build_chunk_free(&image);
    build_model_free(model);
}

/* Inflated bytes of a given stream cannot be patched. */
static void test_inflated_given(void)
{
    build_model *model = compressed_trace();
    model->buffers[1].compression = BUILD_MODEL_GIVEN;
    build_model_lay_out(model);
    build_chunk image = build_image_make(model);
    build_patch patch = patch_of(BUILD_PATCH_BYTES, event_of(model, "first")->at, "\x01", 1);
    patch.inflated = &model->buffers[1];
    CHECK(!apply(&image, model, patch));
    build_chunk_free(&image);
    build_model_free(model);
}

/* The header of a compressed buffer is stored plain; its inflated bytes hold a copy. */
static void test_compressed_header(void)
{
    build_model *model = compressed_trace();
    build_model_lay_out(model);
    build_chunk image = build_image_make(model);
    CHECK(apply(&image, model, patch_of(BUILD_PATCH_BYTES, 0x42C, "\x06", 1)));
    CHECK_UINT(6, get(model, "b", "State"));
    CHECK_UINT(6, model->buffers[1].inflated.at[0x2C]);
    CHECK(apply(&image, model, patch_of(BUILD_PATCH_BYTES, 0x448, "\x06", 1)));
    CHECK_UINT(6, model->buffers[1].stream.at[0]);
    check_mirrored(model, &image);
    build_chunk_free(&image);
    build_model_free(model);
}

int main(void)
{
    test_compressed();
    test_given_stream();
    test_mirror();
    test_mirrored_members();
    test_options();
    test_cut_and_beyond();
    test_moves();
    test_inflated();
    test_inflated_cut();
    test_inflated_given();
    test_compressed_header();
    return test_result();
}
