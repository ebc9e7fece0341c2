/* sysinfo.csv: what the GPU is; and the table of GPUs for what it does not say. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/sat.h"
#include "base/secret.h"
#include "base/str.h"
#include "model/hardware.h"
#include "workload/panels.h"
#include "workload/workload_in.h"

/* The number of a text such as "2100", "2100 MHz" or "2.1GHz", in MHz where it has a unit. */
static double workload_number(const char *text)
{
    static const struct {
        const char *unit;
        double factor;
    } units[] = {{"hz", 1e-6}, {"khz", 1e-3}, {"mhz", 1}, {"ghz", 1e3}};
    char copy[32];
    size_t n = 0;
    while (isspace((unsigned char)*text))
        text++;
    while ((isdigit((unsigned char)text[n]) || text[n] == '.') && n + 1 < sizeof(copy)) {
        copy[n] = text[n];
        n++;
    }
    copy[n] = 0;
    char *end;
    double v = strtod(copy, &end);
    if (!n || *end || v <= 0 || v > 1e15)
        return NAN;
    text += n;
    while (isspace((unsigned char)*text))
        text++;
    for (size_t i = 0; i < ARRAY_LEN(units); i++)
        if (workload_same_name(text, units[i].unit) && *text)
            return v * units[i].factor;
    return isdigit((unsigned char)*text) || *text == 'e' || *text == 'E' ? NAN : v;
}

/* Names of today, then those of older versions. */
static double number_of(struct csv *c, const char *const *header, size_t columns,
                        const char *const *names, struct arena *a)
{
    for (size_t k = 0; names[k]; k++)
        for (size_t i = 0; i < columns; i++)
            if (workload_same_name(header[i], names[k]))
                return workload_number(workload_text(c, i, a));
    return NAN;
}

static const char *text_of(struct csv *c, const char *const *header, size_t columns,
                           const char *name, struct arena *a)
{
    for (size_t i = 0; i < columns; i++)
        if (workload_same_name(header[i], name)) {
            const char *text = workload_text(c, i, a);
            return str_eq(text, "NA") || str_eq(text, "N/A") || str_eq(text, "nan") ? "" : text;
        }
    return "";
}

static const char *hidden(const char *text, struct arena *a)
{
    size_t n;
    return secret_mask(text, a, &n);
}

/* The program alone: arguments may be anybody's secrets, and variables before it. */
static const char *program_of(const char *command, struct arena *a)
{
    const char *shown = hidden(command, a);
    return fs_basename(arena_strndup(a, shown, strcspn(shown, " \t")));
}

static void take_row(struct workload *w, struct csv *c, const char *const *header, size_t n)
{
    struct workload_system *s = &w->system;
    struct arena *a = w->arena;
    const struct {
        double *to;
        const char *const names[4];
    } numbers[] = {
        {&s->cu, {"cu_per_gpu", "numCU", NULL}},
        {&s->simd_per_cu, {"simd_per_cu", "numSIMD", NULL}},
        {&s->se, {"se_per_gpu", "numSE", NULL}},
        {&s->wave_size, {"wave_size", NULL}},
        {&s->waves_per_cu, {"max_waves_per_cu", NULL}},
        {&s->sclk_mhz, {"max_sclk", "sclk", NULL}},
        {&s->mclk_mhz, {"max_mclk", "mclk", NULL}},
        {&s->l2_channels, {"total_l2_chan", "L2Banks", NULL}},
        {&s->lds_banks, {"lds_banks_per_cu", "LDSBanks", NULL}},
        {&s->sqc, {"sqc_per_gpu", "numSQC", NULL}},
        {&s->xcd, {"num_xcd", NULL}},
        {&s->hbm_channels, {"num_hbm_channels", NULL}},
        {&s->hbm_gbps, {"hbm_bw", NULL}},
    };
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        *numbers[i].to = number_of(c, header, n, numbers[i].names, a);
    s->name = hidden(text_of(c, header, n, "workload_name", a), a);
    s->program = program_of(text_of(c, header, n, "command", a), a);
    s->time = text_of(c, header, n, "timestamp", a);
    s->tool = text_of(c, header, n, "version", a);
    s->distro = text_of(c, header, n, "linux_distro", a);
    s->rocm = text_of(c, header, n, "rocm_version", a);
    s->partition = text_of(c, header, n, "compute_partition", a);
    s->memory_partition = text_of(c, header, n, "memory_partition", a);
    s->model = text_of(c, header, n, "gpu_model", a);
    s->arch = text_of(c, header, n, "gpu_arch", a);
    if (!*s->model)
        s->model = text_of(c, header, n, "gpu_soc", a);
    s->found = true;
}

void workload_read_system(struct workload *w)
{
    struct workload_csv f;
    struct gs_error err = {0};
    const char *path = arena_printf(w->arena, "%s/sysinfo.csv", w->dir);
    w->system = (struct workload_system){.name = "",
                                         .program = "",
                                         .time = "",
                                         .tool = "",
                                         .distro = "",
                                         .rocm = "",
                                         .partition = "",
                                         .memory_partition = "",
                                         .model = "",
                                         .arch = "",
                                         .cu = NAN,
                                         .simd_per_cu = NAN,
                                         .se = NAN,
                                         .wave_size = NAN,
                                         .waves_per_cu = NAN,
                                         .sclk_mhz = NAN,
                                         .mclk_mhz = NAN,
                                         .l2_channels = NAN,
                                         .lds_banks = NAN,
                                         .sqc = NAN,
                                         .xcd = NAN,
                                         .hbm_channels = NAN,
                                         .hbm_gbps = NAN};
    if (!fs_exists(path)) {
        workload_note(w, "there is no sysinfo.csv: what the GPU can do is taken from its name");
        return;
    }
    if (!workload_csv_open(&f, w, path, &err)) {
        workload_note(w, "%s", err.text);
        return;
    }
    if (csv_row(f.csv)) {
        size_t n = f.csv->n;
        const char **header = arena_array(w->arena, const char *, n);
        for (size_t i = 0; i < n; i++)
            header[i] = workload_text(f.csv, i, w->arena);
        if (csv_row(f.csv))
            take_row(w, f.csv, header, n);
    }
    if (!workload_csv_close(&f, &err))
        workload_note(w, "sysinfo.csv is damaged: %s", err.text);
    if (!w->system.found)
        workload_note(w, "sysinfo.csv has no row: what the GPU can do is taken from its name");
}

/* ---- what follows ---- */

/* From the names of models and folders. */
static const char *guess_arch(const char *text)
{
    static const struct {
        const char *word, *arch;
    } words[] = {{"mi100", "gfx908"},  {"mi2", "gfx90a"},    {"mi30", "gfx942"},
                 {"mi32", "gfx942"},   {"mi35", "gfx950"},   {"gfx908", "gfx908"},
                 {"gfx90a", "gfx90a"}, {"gfx942", "gfx942"}, {"gfx950", "gfx950"}};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_has_fold(text, words[i].word))
            return words[i].arch;
    return "";
}

static void fill(double *to, double v)
{
    if (isnan(*to) && v > 0)
        *to = v;
}

static void fill_from_table(struct workload_system *s, const struct hardware *hw)
{
    fill(&s->cu, hw->cu_count);
    fill(&s->simd_per_cu, hw->simds_per_cu);
    fill(&s->wave_size, hw->wave_size);
    fill(&s->waves_per_cu, hw->waves_per_simd * hw->simds_per_cu);
    fill(&s->sclk_mhz, hw->clock_ghz * 1000);
    fill(&s->xcd, hw->xcc_count);
    fill(&s->hbm_gbps, hw->mem_gbps);
}

/* What of the numbers a formula may need is still open. */
static const char *lacking(const struct workload_system *s, struct arena *a)
{
    const struct {
        double v;
        const char *what;
    } all[] = {{s->cu, "compute units"},          {s->sclk_mhz, "clock"},
               {s->waves_per_cu, "waves per CU"}, {s->xcd, "number of XCDs"},
               {s->hbm_gbps, "memory bandwidth"}, {s->l2_channels, "L2 channels"},
               {s->sqc, "scalar caches"}};
    struct str out;
    str_init(&out, a);
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        if (isnan(all[i].v))
            str_printf(&out, "%s%s", out.len ? ", " : "", all[i].what);
    return out.buf;
}

void workload_complete_system(struct workload *w)
{
    struct workload_system *s = &w->system;
    if (isnan(s->hbm_gbps) && !isnan(s->mclk_mhz) && !isnan(s->hbm_channels))
        s->hbm_gbps = s->mclk_mhz / 1000 * 32 * s->hbm_channels;
    const char *before = lacking(s, w->arena);
    if (!*s->arch)
        s->arch = guess_arch(s->model);
    if (!*s->arch)
        s->arch = guess_arch(fs_basename(w->dir));
    s->arch = arena_strndup(w->arena, s->arch, strcspn(s->arch, ":"));
    int cu = s->cu > 100000 ? 0 : int_from(s->cu);
    const char *product = arena_strndup(w->arena, s->model, strcspn(s->model, "_"));
    const struct hardware *hw = *s->arch ? hardware_find(s->arch, product, cu) : NULL;
    const struct workload_arch *arch = workload_arch(s->arch);
    bool old = str_eq(s->arch, "gfx908") || str_eq(s->arch, "gfx90a");
    if (hw)
        fill_from_table(s, hw);
    if (old)
        fill(&s->xcd, 1);
    if (arch) {
        fill(&s->l2_channels, old ? 32 : 16 * s->xcd);
        fill(&s->lds_banks, 32);
        fill(&s->wave_size, 64);
    }
    if (!isnan(s->cu) && !isnan(s->se))
        fill(&s->sqc, ceil(s->cu / s->se / (str_eq(s->arch, "gfx908") ? 3 : 2)) * s->se);
    if (!*s->arch)
        workload_note(w, "the GPU is not known: shares of peaks, and what depends on sizes of "
                         "caches, cannot be said");
    else if (!arch)
        workload_note(w,
                      "architecture %s is not one rocprof-compute knows: only what its counters "
                      "say by themselves is shown",
                      s->arch);
    const char *after = lacking(s, w->arena);
    if (*before && !str_eq(before, after) && hw)
        workload_note(w, "not in sysinfo.csv (%s): taken from the table of GPUs where it has them",
                      before);
    if (*after && arch)
        workload_note(w, "not known: %s", after);
}
