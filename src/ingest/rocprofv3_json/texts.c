/* The file's own string tables. */
#include <stddef.h>

#include "ingest/rocprofv3_json/json.h"

#define TEXT_DESC(type, column) {#column, offsetof(struct rv3_texts, column), sizeof(type)},
static const struct column_desc text_columns[] = {RV3_TEXT_COLUMNS(TEXT_DESC)};
const struct table_desc rv3_texts_desc = {"texts", text_columns, ARRAY_LEN(text_columns)};

static void read_kind(struct rv3j *r)
{
    struct jread *j = r->j;
    struct kind_names k = {0};
    if (jr_object(j)) {
        while (jr_key(j)) {
            if (jr_is(j, "kind")) {
                k.name = rv3j_text(r);
            } else if (jr_is(j, "operations") && jr_type(j) == J_ARRAY) {
                jr_array(j);
                while (jr_item(j))
                    vec_push(&k.operations, r->build.arena, rv3j_text(r));
            } else {
                jr_skip(j);
            }
        }
    }
    if (r->kinds.n < KINDS_MAX)
        vec_push(&r->kinds, r->build.arena, k);
}

/* Texts by key, and what a record's operation is called ("": the file does not say). */
static void rv3j_read_texts(struct rv3j *r, struct rv3_texts *t)
{
    struct jread *j = r->j;
    if (!jr_array(j))
        return;
    while (jr_item(j)) {
        uint64_t key = RV3_NO_ID;
        uint32_t text = 0;
        if (!jr_object(j))
            continue;
        while (jr_key(j)) {
            if (jr_is(j, "key"))
                key = jr_uint(j, RV3_NO_ID);
            else if (jr_is(j, "value"))
                text = rv3j_text(r);
            else
                jr_skip(j);
        }
        table_reserve(t, &rv3_texts_desc, t->n + 1);
        t->key[t->n] = (int64_t)key;
        t->text[t->n++] = text;
    }
}

static void read_external(struct rv3j *r)
{
    if (!jr_object(r->j))
        return;
    while (jr_key(r->j)) {
        if (jr_is(r->j, "external"))
            rv3j_read_texts(r, &r->rename_texts);
        else
            jr_skip(r->j);
    }
}

void rv3j_read_strings(struct rv3j *r)
{
    struct jread *j = r->j;
    if (!jr_object(j))
        return;
    r->strings_read = true;
    while (jr_key(j)) {
        if (jr_is(j, "buffer_records") && jr_type(j) == J_ARRAY) {
            jr_array(j);
            r->kinds.n = 0; /* of two tables the last holds, as everywhere in JSON */
            while (jr_item(j))
                read_kind(r);
        } else if (jr_is(j, "marker_api")) {
            rv3j_read_texts(r, &r->marker_texts);
        } else if (jr_is(j, "correlation_id")) {
            read_external(r);
        } else if (jr_is(j, "pc_sample_instructions") && jr_type(j) == J_ARRAY) {
            jr_array(j);
            while (jr_item(j))
                vec_push(&r->instructions, r->build.arena, rv3j_text(r));
        } else if (jr_is(j, "pc_sample_comments") && jr_type(j) == J_ARRAY) {
            jr_array(j);
            while (jr_item(j))
                vec_push(&r->comments, r->build.arena, rv3j_text(r));
        } else {
            jr_skip(j);
        }
    }
}
