/*
 * Fuzzing the thread trace: the first byte says which file of a dispatch the others are, beside
 * sound code where it needs some. Whatever is read, the classes and the blocks of a kernel must
 * have all of its time, and causes must be instructions of it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "att/att.h"
#include "base/log.h"
#include "base/sat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[] = "/tmp/gpusight-fuzz-att-XXXXXX";

static const struct {
    const char *name, *text;
} files[] = {
    {"stats_ui_output_agent_1_dispatch_2.csv", NULL},
    {"ui_output_agent_1_dispatch_2/code.json",
     "{\"code\":[[\"; k\",0,0,\"\",1,16,0,0,0,0],"
     "[\"global_load_dword v0, v[2:3], off\",0,1,\"\",1,16,2,8,0,0],"
     "[\"s_waitcnt vmcnt(0)\",0,2,\"\",1,20,2,100,100,0],"
     "[\"s_cbranch_scc0 65533\",0,3,\"\",1,24,2,8,0,0],[\"s_endpgm\",0,4,\"\",1,28,1,4,0,0]]}"},
    {"ui_output_agent_1_dispatch_2/se0_sm0_sl0_wv0.json", NULL},
    {"ui_output_agent_1_dispatch_2/occupancy.json", NULL},
    {"ui_output_agent_1_dispatch_2/filenames.json", NULL},
    {"ui_output_agent_1_dispatch_2/wstates2.json", NULL},
    {"ui_output_agent_1_dispatch_2/realtime.json", NULL},
    {"ui_output_agent_1_dispatch_2/snapshots.json", NULL},
};
enum { CODE = 1, FILES = ARRAY_LEN(files) };

static void put(const char *name, const void *text, size_t n)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(text, 1, n, f) != n || fclose(f) != 0)
        abort();
}

static void drop(const char *name)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    unlink(path);
}

static void clean(void)
{
    char path[256];
    for (size_t i = 0; i < FILES; i++)
        drop(files[i].name);
    snprintf(path, sizeof(path), "%s/ui_output_agent_1_dispatch_2", dir);
    rmdir(path);
    rmdir(dir);
}

static void start(void)
{
    char path[256];
    static bool started;
    if (started)
        return;
    started = true;
    log_set_level(LOG_QUIET);
    if (!mkdtemp(dir))
        abort();
    snprintf(path, sizeof(path), "%s/ui_output_agent_1_dispatch_2", dir);
    mkdir(path, 0700);
    atexit(clean);
}

static bool near(double a, double b)
{
    return !isfinite(a) || !isfinite(b) || fabs(a - b) <= 1e-6 * (1 + fabs(b));
}

static void check(const struct att_kernel *k)
{
    double classes = 0, blocks = 0;
    for (size_t i = 0; i < k->classes.n; i++)
        classes += k->classes.v[i].time;
    for (size_t i = 0; i < k->blocks.n; i++)
        blocks += (double)k->blocks.v[i].latency;
    if (k->latency < QUANTITY_MOST &&
        (!near(blocks, (double)k->latency) || !near(classes, k->wave_cycles)))
        abort();
    for (size_t i = 0; i < k->instructions.n; i++) {
        const struct att_instruction *in = &k->instructions.v[i];
        if (in->block >= k->blocks.n || in->decoded_hidden > in->decoded_stall)
            abort();
        for (size_t f = 0; f < in->fed_by.n; f++)
            if (in->fed_by.v[f] >= k->instructions.n)
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct att t;
    struct gs_error err;
    if (!size)
        return 0;
    start();
    size_t which = data[0] % FILES;
    put(files[which].name, data + 1, size - 1);
    if (which > CODE) /* waves and the rest say nothing without code */
        put(files[CODE].name, files[CODE].text, strlen(files[CODE].text));
    att_init(&t);
    if (att_read(&t, dir, ATT_EXPLICIT, &err))
        for (size_t i = 0; i < t.kernels.n; i++)
            check(&t.kernels.v[i]);
    att_release(&t);
    drop(files[which].name);
    drop(files[CODE].name);
    return 0;
}
