/* Rows of counter values and of PC samples. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "ingest/rocpd/rocpd.h"
#include "ingest/rocprofv3_csv/csv_in.h"

/* A row a counter and dispatch; the hardware instances are added up already. */
void rv3c_add_counter(struct rv3c *r)
{
    struct rv3_kernel k;
    double value;
    rv3c_kernel(r, &k);
    k.launch.grid[0] = rv3c_small(r, COL_GRID); /* only the product of the three is there */
    k.launch.group[0] = rv3c_small(r, COL_GROUP);
    for (int i = 1; i < 3; i++)
        k.launch.grid[i] = k.launch.group[i] = 1;
    uint32_t counted = rv3_counted(&r->build, &k);
    uint32_t name = rv3c_string(r, COL_COUNTER_NAME);
    uint32_t slot = rv3_counter(&r->build, k.process, (uint64_t)name << 32 | k.agent);
    bool repeated = counted == r->last_counted && slot == r->last_counter;
    r->instance = repeated ? r->instance + 1 : 0;
    if (slot == r->counters.n) /* they are numbered as they come, and here only */
        vec_push(&r->counters, r->build.arena, ((struct csv_counter){slot, name, k.agent}));
    r->last_counted = counted;
    r->last_counter = slot;
    if (!csv_num(r->csv, r->header.at[COL_COUNTER_VALUE], &value)) {
        trace_note(r->trace, NOTE_NULL, 1, "counter rows without a value");
        value = NAN; /* zero would be one */
    }
    rv3_add_counter(&r->build, counted, slot, r->instance, value);
}

/* ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_VALU is VALU. */
static uint32_t word(struct rv3c *r, enum column c, const char *mark)
{
    const char *text = trace_str(r->trace, rv3c_string(r, c));
    const char *found = strstr(text, mark);
    return strings_add(&r->trace->strings, found ? found + strlen(mark) : text);
}

void rv3c_add_pc_sample(struct rv3c *r)
{
    struct trace *t = r->trace;
    int64_t time = rv3c_time(r, COL_SAMPLE_TIME);
    uint64_t mask = rv3c_id(r, COL_EXEC_MASK), issued = rv3c_id(r, COL_ISSUED);
    uint32_t waves = rv3c_small(r, COL_WAVES);
    if (time == NO_TIME) {
        trace_note(t, NOTE_NULL, 1, "PC samples without a time");
        return;
    }
    csv_join(r->csv, r->header.at[COL_INSTRUCTION]);
    uint32_t process = rv3c_process(r);
    trace_room(t, pc_samples, 1);
    struct pc_samples *s = &t->pc_samples;
    size_t row = s->n;
    s->time_ns[row] = time;
    s->dispatch[row] = (int64_t)rv3c_id(r, COL_DISPATCH);
    s->offset[row] = 0;
    s->exec_mask[row] = mask;
    s->code_object[row] = 0;
    s->kernel[row] = process;
    s->instruction[row] = rv3c_string(r, COL_INSTRUCTION);
    s->comment[row] = rv3c_string(r, COL_COMMENT);
    s->type[row] = word(r, COL_INSTRUCTION_TYPE, "INSTRUCTION_TYPE_");
    s->stall[row] = word(r, COL_STALL, "NOT_ISSUED_REASON_");
    s->waves[row] = waves > UINT16_MAX ? UINT16_MAX : (uint16_t)waves;
    s->pipes_issue[row] = s->pipes_stall[row] = 0;
    s->issued[row] = issued == RV3_NO_ID ? PC_ISSUED_UNKNOWN
                     : issued            ? PC_ISSUED_YES
                                         : PC_ISSUED_NO;
    s->n++;
}
