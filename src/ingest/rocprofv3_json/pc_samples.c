/* Samples of the program counter, by host trap or stochastic. */
#include <stdio.h>
#include <string.h>

#include "ingest/rocpd/rocpd.h"
#include "ingest/rocprofv3_json/json.h"

struct pc_sample {
    int64_t time_ns;
    uint64_t dispatch, offset, exec_mask, code_object, waves, index;
    uint32_t type, stall;
    uint16_t pipes_issue, pipes_stall;
    enum pc_issued issued;
};

/* A word of the profiler's without its long prefix: ..._INSTRUCTION_TYPE_VALU is VALU. */
static uint32_t read_word(struct rv3j *r, const char *mark)
{
    size_t n;
    const char *text = jr_str(r->j, &n);
    if (!text)
        return 0;
    const char *found = strstr(text, mark);
    return strings_add(&r->trace->strings, found ? found + strlen(mark) : text);
}

static void read_pc(struct jread *j, struct pc_sample *s)
{
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "code_object_id"))
            s->code_object = jr_uint(j, 0);
        else if (jr_is(j, "code_object_offset"))
            s->offset = jr_uint(j, 0);
        else
            jr_skip(j);
    }
}

static bool read_flag(struct jread *j)
{
    return jr_type(j) == J_BOOL ? jr_bool(j, false) : jr_int(j, 0) != 0;
}

/* arb_state_issue_valu and its kind: a bit a pipeline. False: another key, nothing read. */
static bool read_pipe(struct jread *j, struct pc_sample *s)
{
    static const char issue[] = "arb_state_issue_", stall[] = "arb_state_stall_";
    for (unsigned k = 0; k < PC_PIPES; k++)
        for (int held = 0; held < 2; held++) {
            char key[40];
            snprintf(key, sizeof(key), "%s%s", held ? stall : issue, pc_pipe_name((enum pc_pipe)k));
            if (!jr_is(j, key))
                continue;
            if (read_flag(j))
                *(held ? &s->pipes_stall : &s->pipes_issue) |= (uint16_t)(1u << k);
            return true;
        }
    return false;
}

static void read_snapshot(struct rv3j *r, struct pc_sample *s)
{
    if (!jr_object(r->j))
        return;
    while (jr_key(r->j)) {
        if (jr_is(r->j, "stall_reason"))
            s->stall = read_word(r, "NOT_ISSUED_REASON_");
        else if (!read_pipe(r->j, s))
            jr_skip(r->j);
    }
}

static void read_sample_key(struct rv3j *r, struct pc_sample *s)
{
    struct jread *j = r->j;
    if (jr_is(j, "pc"))
        read_pc(j, s);
    else if (jr_is(j, "exec_mask"))
        s->exec_mask = jr_uint(j, 0);
    else if (jr_is(j, "timestamp"))
        s->time_ns = jr_int(j, NO_TIME);
    else if (jr_is(j, "dispatch_id"))
        s->dispatch = jr_uint(j, RV3_NO_ID);
    else if (jr_is(j, "wave_issued"))
        s->issued = read_flag(j) ? PC_ISSUED_YES : PC_ISSUED_NO;
    else if (jr_is(j, "inst_type"))
        s->type = read_word(r, "INSTRUCTION_TYPE_");
    else if (jr_is(j, "wave_cnt"))
        s->waves = jr_uint(j, 0);
    else if (jr_is(j, "snapshot"))
        read_snapshot(r, s);
    else if (jr_is(j, "inst_index"))
        s->index = jr_uint(j, RV3_NO_ID);
    else
        jr_skip(j);
}

static void add_sample(struct rv3j *r, const struct pc_sample *s)
{
    struct pc_samples *out = &r->trace->pc_samples;
    trace_room(r->trace, pc_samples, 1);
    size_t row = out->n++;
    out->time_ns[row] = s->time_ns;
    out->dispatch[row] = (int64_t)s->dispatch;
    out->offset[row] = s->offset;
    out->exec_mask[row] = s->exec_mask;
    out->code_object[row] = s->code_object > UINT32_MAX ? 0 : (uint32_t)s->code_object;
    out->kernel[row] = r->process;
    out->instruction[row] = s->index < NO_INDEX ? (uint32_t)s->index : NO_INDEX;
    out->comment[row] = 0;
    out->type[row] = s->type;
    out->stall[row] = s->stall;
    out->waves[row] = s->waves > UINT16_MAX ? UINT16_MAX : (uint16_t)s->waves;
    out->pipes_issue[row] = s->pipes_issue;
    out->pipes_stall[row] = s->pipes_stall;
    out->issued[row] = (uint8_t)s->issued;
}

void rv3j_read_pc_samples(struct rv3j *r)
{
    struct jread *j = r->j;
    uint64_t no_time = 0;
    if (!jr_array(j))
        return;
    while (jr_item(j)) {
        struct pc_sample s = {.time_ns = NO_TIME, .dispatch = RV3_NO_ID, .index = RV3_NO_ID};
        if (!jr_object(j))
            continue;
        while (jr_key(j)) {
            if (!jr_is(j, "record"))
                read_sample_key(r, &s);
            else if (jr_object(j))
                while (jr_key(j))
                    read_sample_key(r, &s);
        }
        if (jr_failed(j))
            return;
        if (s.time_ns == NO_TIME)
            no_time++;
        else
            add_sample(r, &s);
    }
    trace_note(r->trace, NOTE_NULL, no_time, "PC samples without a time");
}
