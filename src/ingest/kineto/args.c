/* The arguments of an event: the few that are used, by name. All others are skipped. */
#include <string.h>

#include "ingest/kineto/kineto.h"

void kineto_text(struct kineto *k, struct str *to)
{
    size_t n;
    const char *s = jr_str(k->json, &n);
    str_clear(to);
    if (s)
        str_put(to, s, n);
}

static uint32_t count(struct jread *j)
{
    int64_t v = jr_int(j, 0);
    return v < 0 ? 0 : v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

static void three(struct jread *j, uint32_t *v)
{
    size_t i = 0;
    if (!jr_array(j))
        return;
    while (jr_item(j)) {
        if (i < 3)
            v[i++] = count(j);
        else
            jr_skip(j);
    }
}

/* True when the key was one of these and its value is consumed. */
static bool take_number(struct jread *j, struct k_event *e)
{
    const struct {
        const char *key;
        int64_t *to;
    } table[] = {
        {"correlation", &e->correlation},
        {"correlation_id", &e->correlation},
        {"step_num", &e->step},
        {"External id", &e->external},
        {"external id", &e->external},
        {"device", &e->device},
        {"stream", &e->stream},
        {"bytes", &e->bytes},
        {"Bytes", &e->bytes},
        {"Python id", &e->python},
        {"Addr", &e->address},
        {"Device Id", &e->memory_device},
        {"Device Type", &e->memory_type},
        {"fromDevice", &e->from_device},
        {"toDevice", &e->to_device},
        {"In msg nelems", &e->in_elements},
        {"Out msg nelems", &e->out_elements},
        {"Group size", &e->group_size},
        {"wait_on_stream", &e->wait_stream},
        {"wait_on_cuda_event_record_corr_id", &e->wait_record},
        {"BeginNs", &e->begin_ns},
        {"EndNs", &e->end_ns},
        {"gpu-id", &e->device},
        {"dev-id", &e->device},
        {"queue-id", &e->stream},
        {"pid", &e->own_pid},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        if (!jr_is(j, table[i].key))
            continue;
        *table[i].to = jr_int(j, K_NONE);
        return true;
    }
    return false;
}

static bool take_launch(struct jread *j, struct k_event *e)
{
    if (jr_is(j, "grid"))
        three(j, e->grid);
    else if (jr_is(j, "block"))
        three(j, e->block);
    else if (jr_is(j, "registers per thread"))
        e->registers = count(j);
    else if (jr_is(j, "shared memory"))
        e->shared = count(j);
    else if (jr_is(j, "graph id") || jr_is(j, "cuda_graph_id"))
        e->graph = count(j);
    else
        return false;
    return true;
}

static bool take_text(struct kineto *k, struct k_event *e)
{
    struct jread *j = k->json;
    if (k->xla && (jr_is(j, "kernel_details") || jr_is(j, "memcpy_details") ||
                   jr_is(j, "Memset_details") || jr_is(j, "memset_details"))) {
        kineto_text(k, &k->label);
        xla_details(k, e, k->label.buf);
        return true;
    }
    if (jr_is(j, "kind"))
        kineto_text(k, &k->copy_kind);
    else if (jr_is(j, "Collective name"))
        kineto_text(k, &k->collective);
    else if (jr_is(j, "dtype"))
        kineto_text(k, &k->data_type);
    else if (jr_is(j, "name"))
        kineto_text(k, &k->label);
    else
        return false;
    return true;
}

/* First letters of the names above: most arguments end here. */
static bool may_matter(const struct jread *j)
{
    return j->text_len && strchr("cEedsbBPADftIOGgrkCnwqpmM", j->text[0]);
}

void kineto_args(struct kineto *k, struct k_event *e)
{
    struct jread *j = k->json;
    if (!jr_object(j))
        return;
    while (jr_key(j))
        if (!may_matter(j) || (!take_number(j, e) && !take_launch(j, e) && !take_text(k, e)))
            jr_skip(j);
}
