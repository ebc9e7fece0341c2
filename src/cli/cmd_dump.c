#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fs_out.h"
#include "base/str.h"
#include "base/utf8.h"
#include "cli/analyzed.h"
#include "cli/command.h"

struct dump_opts {
    bool csv;
    const char *table;
    struct analyzed_opts in;
};

static const struct opt opts[] = {
    OPT_CHOICE(struct dump_opts, table, 't', "table",
               "kernels|copies|regions|markers|allocations|counters|samples|telemetry|pc_samples",
               "which rows to print (kernels)"),
    OPT_FLAG(struct dump_opts, csv, 0, "csv", "divide by commas and quote, instead of tabs"),
    OPT_GROUP("Which rows"),
    ROWS_OPTS(struct dump_opts, in),
    OPT_END,
};

static void defaults(void *settings)
{
    struct dump_opts *o = settings;
    *o = (struct dump_opts){.table = "kernels", .in = ANALYZED_DEFAULTS};
}

/* ---- a row of text ---- */

struct out {
    struct fs_out to; /* standard output */
    struct str line;
    const struct trace *t;
    bool csv;
    bool visible;  /* characters that a terminal would obey are written as \xNN */
    uint64_t left; /* bytes that rows may still take */
};

/* Bytes of one character; what must not reach a terminal is written out. */
static void put_char(struct out *o, const char *p, size_t n, bool unsafe)
{
    if (!unsafe || !o->visible) {
        if (*p == '"' && o->csv)
            str_putc(&o->line, '"');
        if (*p == '\\' && !o->csv)
            str_putc(&o->line, '\\');
        str_put(&o->line, p, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        str_printf(&o->line, "\\x%02x", (unsigned char)p[i]);
}

/* How many bytes from here on are written as they are. */
static size_t plain_bytes(const char *p, char special)
{
    size_t n = 0;
    while (p[n] >= 0x20 && p[n] < 0x7f && p[n] != special)
        n++;
    return n;
}

static void put(struct out *o, const char *text)
{
    if (o->line.len)
        str_putc(&o->line, o->csv ? ',' : '\t');
    size_t n = strlen(text);
    bool quote =
        o->csv && (strpbrk(text, ",\"\r\n") || (n && (text[0] == ' ' || text[n - 1] == ' ')));
    str_puts(&o->line, quote ? "\"" : "");
    for (size_t i = 0, len; i < n; i += len) {
        len = plain_bytes(text + i, o->csv ? '"' : '\\');
        if (len) {
            str_put(&o->line, text + i, len);
            continue;
        }
        uint32_t c = utf8_decode(text + i, n - i, &len);
        bool malformed = len == 1 && (unsigned char)text[i] >= 0x80;
        put_char(o, text + i, len, malformed || utf8_unsafe(c));
    }
    str_puts(&o->line, quote ? "\"" : "");
}

static void put_int(struct out *o, int64_t v)
{
    char text[32];
    snprintf(text, sizeof(text), "%" PRId64, v);
    put(o, text);
}

static void put_uint(struct out *o, uint64_t v)
{
    char text[32];
    snprintf(text, sizeof(text), "%" PRIu64, v);
    put(o, text);
}

static void put_real(struct out *o, double v)
{
    char text[32];
    snprintf(text, sizeof(text), "%.17g", v);
    put(o, text);
}

static void put_string(struct out *o, uint32_t id)
{
    put(o, trace_str(o->t, id));
}

/* "" for NO_INDEX, which stands for "not known". */
static void put_row(struct out *o, uint32_t row)
{
    if (row == NO_INDEX)
        put(o, "");
    else
        put_uint(o, row);
}

static void put_times(struct out *o, size_t row, int64_t start, int64_t end, int64_t id)
{
    put_uint(o, row);
    put_int(o, start);
    put_int(o, end);
    put_int(o, (int64_t)((uint64_t)end - (uint64_t)start));
    put_int(o, id);
}

static void put_gpu(struct out *o, uint32_t gpu)
{
    if (gpu == NO_INDEX)
        put(o, "");
    else
        put_int(o, o->t->gpus.v[gpu].index);
}

static void put_stream(struct out *o, uint32_t stream)
{
    const struct stream *s = stream == NO_INDEX ? NULL : &o->t->streams.v[stream];
    if (s)
        put_int(o, o->t->processes.v[s->process].pid);
    else
        put(o, "");
    put_gpu(o, s ? s->gpu : NO_INDEX);
    if (s)
        put_int(o, s->id);
    else
        put(o, "");
}

static void put_thread(struct out *o, uint32_t thread)
{
    const struct thread *t = thread == NO_INDEX ? NULL : &o->t->threads.v[thread];
    if (!t) {
        put(o, "");
        put(o, "");
        return;
    }
    put_int(o, o->t->processes.v[t->process].pid);
    put_int(o, t->tid);
}

/* The thread without its process, where that stands in the row already. */
static void put_tid(struct out *o, uint32_t thread)
{
    if (thread == NO_INDEX)
        put(o, "");
    else
        put_int(o, o->t->threads.v[thread].tid);
}

static void put_call(struct out *o, uint32_t call)
{
    put_row(o, call);
    put(o, call == NO_INDEX ? "" : trace_str(o->t, o->t->regions.name[call]));
}

static void put_agent(struct out *o, uint32_t agent)
{
    char text[32] = "";
    if (agent != NO_INDEX) {
        const struct agent *a = &o->t->agents.v[agent];
        if (a->type == AGENT_GPU && a->gpu != NO_INDEX)
            snprintf(text, sizeof(text), "GPU %d", (int)o->t->gpus.v[a->gpu].index);
        else
            snprintf(text, sizeof(text), "%s", a->type == AGENT_CPU ? "CPU" : "other");
    }
    put(o, text);
}

/* ---- the tables ---- */

static void dump_kernel(struct out *o, size_t i)
{
    const struct kernels *k = &o->t->kernels;
    const struct symbol *s = &o->t->symbols.v[k->symbol[i]];
    const struct launch *l = &o->t->launches.v[kernels_launch_at(o->t, i)];
    put_times(o, i, k->start_ns[i], k->end_ns[i], kernels_id_at(o->t, i));
    put_string(o, s->name);
    put_string(o, s->short_name);
    put_string(o, s->mangled);
    put_stream(o, k->stream[i]);
    put_row(o, kernels_queue_at(o->t, i));
    put_tid(o, kernels_thread_at(o->t, i));
    put_call(o, k->call[i]);
    for (int d = 0; d < 3; d++)
        put_uint(o, l->grid[d]);
    for (int d = 0; d < 3; d++)
        put_uint(o, l->group[d]);
    put_uint(o, l->lds_bytes);
    put_uint(o, l->scratch_bytes);
    put_uint(o, s->vgprs);
    put_uint(o, s->accum_vgprs);
    put_uint(o, s->sgprs);
    put_uint(o, l->graph);
    put_string(o, l->rename);
}

static void dump_copy(struct out *o, size_t i)
{
    const struct copies *c = &o->t->copies;
    put_times(o, i, c->start_ns[i], c->end_ns[i], copies_id_at(o->t, i));
    put(o, copy_kind_name((enum copy_kind)c->kind[i]));
    if (c->bytes[i] == BYTES_UNKNOWN)
        put(o, "");
    else
        put_uint(o, c->bytes[i]);
    put_stream(o, c->stream[i]);
    put_tid(o, copies_thread_at(o->t, i));
    put_call(o, c->call[i]);
    put_agent(o, copies_src_at(o->t, i));
    put_agent(o, copies_dst_at(o->t, i));
    put(o, memory_kind_name(c->src_memory[i]));
    put(o, memory_kind_name(c->dst_memory[i]));
}

static void dump_region(struct out *o, size_t i)
{
    const struct regions *r = &o->t->regions;
    put_times(o, i, r->start_ns[i], r->end_ns[i], regions_id_at(o->t, i));
    put(o, region_kind_name((enum region_kind)r->kind[i]));
    put_string(o, r->name[i]);
    put_thread(o, r->thread[i]);
}

static void dump_marker(struct out *o, size_t i)
{
    static const char *const kinds[] = {"thread range", "process range", "instant"};
    const struct markers *m = &o->t->markers;
    put_times(o, i, m->start_ns[i], m->end_ns[i], markers_id_at(o->t, i));
    put(o, m->kind[i] <= MARKER_INSTANT ? kinds[m->kind[i]] : "");
    put_string(o, m->domain[i]);
    put_string(o, m->name[i]);
    put_thread(o, m->thread[i]);
}

static void dump_allocation(struct out *o, size_t i)
{
    static const char *const ops[] = {"alloc", "free", "realloc", "reclaim"};
    static const char *const levels[] = {"real", "virtual", "scratch"};
    const struct allocations *a = &o->t->allocations;
    put_times(o, i, a->start_ns[i], a->end_ns[i], allocations_id_at(o->t, i));
    put(o, a->op[i] <= ALLOC_RECLAIM ? ops[a->op[i]] : "");
    put(o, a->level[i] <= LEVEL_SCRATCH ? levels[a->level[i]] : "");
    put_uint(o, a->bytes[i]);
    put_uint(o, a->address[i]);
    put_agent(o, a->agent[i]);
    put_thread(o, a->thread[i]);
    put_call(o, a->call[i]);
}

static void dump_counter(struct out *o, size_t i)
{
    const struct counters *c = &o->t->counters;
    const struct counter_info *info = &o->t->counter_infos.v[c->counter[i]];
    put_uint(o, i);
    put_row(o, c->kernel[i]);
    put(o, c->kernel[i] == NO_INDEX
               ? ""
               : trace_str(o->t, o->t->symbols.v[o->t->kernels.symbol[c->kernel[i]]].name));
    put_string(o, info->name);
    put_gpu(o, info->gpu);
    put_uint(o, c->instance[i]);
    put_real(o, c->value[i]);
}

static void dump_sample(struct out *o, size_t i)
{
    put_uint(o, i);
    put_int(o, o->t->samples.time_ns[i]);
    put_string(o, o->t->samples.name[i]);
    put_thread(o, o->t->samples.thread[i]);
}

static void dump_telemetry(struct out *o, size_t i)
{
    const struct series *s = &o->t->series.v[o->t->telemetry.series[i]];
    put_uint(o, i);
    put_int(o, o->t->telemetry.time_ns[i]);
    put_string(o, s->name);
    put_string(o, s->units);
    put_gpu(o, s->gpu);
    put_real(o, o->t->telemetry.value[i]);
}

static void put_pipes(struct out *o, uint16_t pipes)
{
    char text[128] = "";
    size_t n = 0;
    for (unsigned k = 0; k < PC_PIPES && n < sizeof(text); k++)
        if (pipes >> k & 1)
            n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? " " : "",
                                  pc_pipe_name((enum pc_pipe)k));
    put(o, text);
}

static void dump_pc_sample(struct out *o, size_t i)
{
    static const char *const issued[] = {"", "no", "yes"};
    const struct pc_samples *s = &o->t->pc_samples;
    uint32_t kernel = s->kernel[i];
    put_uint(o, i);
    put_int(o, s->time_ns[i]);
    put_row(o, kernel);
    put(o, kernel == NO_INDEX
               ? ""
               : trace_str(o->t, o->t->symbols.v[o->t->kernels.symbol[kernel]].name));
    if (s->dispatch[i] < 0)
        put(o, "");
    else
        put_int(o, s->dispatch[i]);
    put_uint(o, s->code_object[i]);
    put_uint(o, s->offset[i]);
    put_uint(o, s->exec_mask[i]);
    put_string(o, s->instruction[i]);
    put_string(o, s->comment[i]);
    put(o, s->issued[i] <= PC_ISSUED_YES ? issued[s->issued[i]] : "");
    put_string(o, s->type[i]);
    put_string(o, s->stall[i]);
    put_uint(o, s->waves[i]);
    put_pipes(o, s->pipes_issue[i]);
    put_pipes(o, s->pipes_stall[i]);
}

#define TIMES "row start_ns end_ns duration_ns id "

static const struct dump_table {
    const char *name, *columns;
    size_t offset; /* of the table in struct trace */
    void (*row)(struct out *o, size_t i);
} tables[] = {
    {"kernels",
     TIMES "name short_name mangled pid gpu stream queue tid call_row call grid_x grid_y grid_z "
           "group_x group_y group_z lds_bytes scratch_bytes vgprs accum_vgprs sgprs graph rename",
     offsetof(struct trace, kernels), dump_kernel},
    {"copies", TIMES "kind bytes pid gpu stream tid call_row call src dst src_memory dst_memory",
     offsetof(struct trace, copies), dump_copy},
    {"regions", TIMES "kind name pid tid", offsetof(struct trace, regions), dump_region},
    {"markers", TIMES "kind domain name pid tid", offsetof(struct trace, markers), dump_marker},
    {"allocations", TIMES "op level bytes address agent pid tid call_row call",
     offsetof(struct trace, allocations), dump_allocation},
    {"counters", "row kernel_row kernel counter gpu instance value",
     offsetof(struct trace, counters), dump_counter},
    {"samples", "row time_ns name pid tid", offsetof(struct trace, samples), dump_sample},
    {"telemetry", "row time_ns series units gpu value", offsetof(struct trace, telemetry),
     dump_telemetry},
    {"pc_samples",
     "row time_ns kernel_row kernel dispatch code_object offset exec_mask instruction source "
     "issued type stall waves pipes_issue pipes_stall",
     offsetof(struct trace, pc_samples), dump_pc_sample},
};

/* ---- the command ---- */

static bool write_line(struct out *o, struct gs_error *err)
{
    str_putc(&o->line, '\n');
    if (o->line.len > o->left)
        return trace_text_fail(o->t, err);
    o->left -= o->line.len;
    bool ok = fwrite(o->line.buf, 1, o->line.len, o->to.file) == o->line.len;
    str_clear(&o->line);
    return ok || fail(err, GS_E_IO, "cannot write to standard output: %s", strerror(errno));
}

static bool dump(struct out *o, const struct dump_table *table, struct gs_error *err)
{
    char word[32];
    for (const char *p = table->columns; *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        snprintf(word, sizeof(word), "%.*s", (int)n, p);
        put(o, word);
        p += n;
    }
    if (!write_line(o, err))
        return false;
    const struct table *rows = (const void *)((const char *)o->t + table->offset);
    size_t n = rows->n; /* lifted calls come last, and stand among the markers already */
    if (rows == (const void *)&o->t->regions)
        n -= o->t->lifted_calls;
    for (size_t i = 0; i < n; i++) {
        table->row(o, i);
        if (!write_line(o, err))
            return false;
    }
    return true;
}

static bool run(struct cli *cli, void *settings, struct gs_error *err)
{
    const struct dump_opts *o = settings;
    struct run_opts ro = cli_run_opts(cli, &o->in);
    const struct trace *t = cli_load_rows(cli, &ro, NULL, err);
    if (!t)
        return false;
    struct out out = {.t = t, .csv = o->csv, .left = trace_text_most(t)};
    out.visible = !out.csv || isatty(STDOUT_FILENO);
    str_init(&out.line, cli->arena);
    size_t i = 0;
    while (!str_eq(tables[i].name, o->table))
        i++;
    if (!fs_out_open(&out.to, "-", err)) /* "dump x.db >> x.db" */
        return false;
    bool ok = dump(&out, &tables[i], err) && fs_out_close(&out.to, err);
    fs_out_abandon(&out.to);
    return ok;
}

const struct command command_dump = {
    .name = "dump",
    .summary = "the rows of a trace as gpusight understood them",
    .operands = "TRACE...",
    .doc =
        "Prints every row of one table with names, processes, devices and launching calls "
        "resolved, in the order of the file: for checking a number by hand, or for feeding "
        "another program. Nothing is summed or rounded, and nothing is left out but by the filters "
        "(docs/filters.md); rows are counted anew then.\n\n"
        "The first line names the columns. Times are nanoseconds in the trace's own clock. Grids "
        "and groups are in work-items (threads) whoever made the trace; an NVIDIA grid of blocks "
        "is multiplied by the block. row counts from 0, and call_row is a row of the regions "
        "table. An empty field means that the trace does not say.\n\n"
        "Fields are divided by tabs, with tabs, other control characters and malformed UTF-8 "
        "written as \\xNN and backslashes doubled. With --csv they are divided by commas and "
        "quoted "
        "as RFC 4180 says; lines end in a line feed. Except on a terminal, the data is then raw: a "
        "name that starts with '=' is not altered, "
        "so import it into a spreadsheet as text.",
    .examples = "gpusight dump --csv trace.sqlite > kernels.csv  # all kernels\n"
                "gpusight dump -t regions results.db | cut -f 7 | sort | uniq -c  # calls by name",
    .opts = opts,
    .settings_size = sizeof(struct dump_opts),
    .defaults = defaults,
    .run = run,
    .spreads = true,
};
