/* counters: what can be counted. callback_records: what was counted, by dispatch and instance. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "ingest/rocprofv3_json/json.h"

static void read_counter_info(struct rv3j *r)
{
    struct jread *j = r->j;
    struct pending_counter c = {.handle = RV3_NO_ID, .agent = RV3_NO_ID};
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "id"))
            c.handle = rv3j_handle(j);
        else if (jr_is(j, "agent_id"))
            c.agent = rv3j_handle(j);
        else if (jr_is(j, "name"))
            c.info.name = rv3j_text(r);
        else if (jr_is(j, "description"))
            c.info.description = rv3j_text(r);
        else if (jr_is(j, "block"))
            c.info.block = rv3j_text(r);
        else if (jr_is(j, "expression"))
            c.info.expression = rv3j_text(r);
        else if (jr_is(j, "is_derived")) /* 0 or 1 in some versions, false or true in others */
            c.info.derived = jr_type(j) == J_BOOL ? jr_bool(j, false) : jr_int(j, 0) != 0;
        else
            jr_skip(j);
    }
    c.info.id = (int64_t)c.handle;
    vec_push(&r->counters, r->build.arena, c);
}

void rv3j_read_counter_list(struct rv3j *r)
{
    if (jr_array(r->j))
        while (jr_item(r->j))
            read_counter_info(r);
}

/* ---- values ---- */

struct value {
    uint64_t counter;
    uint32_t instance;
    bool placed; /* the record says which instance */
    double value;
};

/* Values of one dispatch: they may stand before the dispatch they belong to. */
struct values {
    VEC(struct value) list;
};

/* Where a dimension goes in counters.instance: xcc, shader engine, then the rest. */
static uint32_t dimension_bits(const char *name, uint64_t position)
{
    if (str_has_fold(name, "XCC"))
        return (uint32_t)(position & 0xff) << 24;
    if (str_has_fold(name, "SHADER_ENGINE") || str_eq(name, "SE"))
        return (uint32_t)(position & 0xff) << 16;
    return (uint32_t)(position & 0xffff);
}

/* [{"name": "DIMENSION_XCC", "index": 3}, ...] */
static void read_dimensions(struct jread *j, struct value *v)
{
    if (!jr_array(j))
        return;
    while (jr_item(j)) {
        char name[64] = "";
        uint64_t position = 0;
        if (!jr_object(j))
            continue;
        while (jr_key(j)) {
            if (jr_is(j, "name") || jr_is(j, "dimension_name")) {
                const char *text = jr_str(j, NULL);
                strncpy(name, text ? text : "", sizeof(name) - 1);
            } else if (jr_is(j, "index") || jr_is(j, "position")) {
                position = jr_uint(j, 0);
            } else {
                jr_skip(j);
            }
        }
        v->instance |= dimension_bits(name, position);
        v->placed = true;
    }
}

static void read_values(struct rv3j *r, struct values *out)
{
    struct jread *j = r->j;
    if (!jr_array(j))
        return;
    while (jr_item(j)) {
        struct value v = {.counter = RV3_NO_ID, .value = NAN};
        if (!jr_object(j))
            continue;
        while (jr_key(j)) {
            if (jr_is(j, "counter_id"))
                v.counter = rv3j_handle(j);
            else if (jr_is(j, "value"))
                v.value = jr_num(j, NAN);
            else if (jr_is(j, "dimensions"))
                read_dimensions(j, &v);
            else
                jr_skip(j);
        }
        vec_push(&out->list, r->build.arena, v);
    }
}

/* Values without a place are numbered as they come: the n-th of a counter is instance n. */
static void add_values(struct rv3j *r, const struct record *k, struct values *all)
{
    struct rv3_kernel kernel;
    rv3j_read_kernel(r, k, &kernel);
    uint32_t counted = rv3_counted(&r->build, &kernel);
    uint64_t last = RV3_NO_ID;
    uint32_t instance = 0;
    for (size_t i = 0; i < all->list.n; i++) {
        struct value *v = &all->list.v[i];
        instance = v->counter == last ? instance + 1 : 0;
        last = v->counter;
        rv3_add_counter(&r->build, counted, rv3_counter(&r->build, r->process, v->counter),
                        v->placed ? v->instance : instance, v->value);
    }
}

static void read_counted(struct rv3j *r, struct values *all)
{
    struct jread *j = r->j;
    struct record k = record_blank;
    all->list.n = 0;
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "records")) {
            read_values(r, all);
        } else if (jr_is(j, "dispatch_data")) {
            if (jr_object(j))
                while (jr_key(j))
                    rv3j_read_key(j, &k);
        } else {
            rv3j_read_key(j, &k);
        }
    }
    if (!jr_failed(j))
        add_values(r, &k, all);
}

void rv3j_read_callbacks(struct rv3j *r)
{
    struct jread *j = r->j;
    struct values all = {0};
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "counter_collection") && jr_type(j) == J_ARRAY) {
            jr_array(j);
            while (jr_item(j))
                read_counted(r, &all);
        } else if (jr_is(j, "pc_sample_host_trap") || jr_is(j, "pc_sample_stochastic")) {
            rv3j_read_pc_samples(r); /* where older versions put them */
        } else {
            jr_skip(j);
        }
    }
}
