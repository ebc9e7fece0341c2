/* Workbooks: what TraceLens' sheets hold, and that cells stay cells. */
#define _GNU_SOURCE /* nftw */
#include "unit.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/fs_out.h"
#include "compat/tracelens.h"
#include "made_trace.h"
#include "render/chart_files.h"
#include "render/workbook_out.h"
#include "scratch.h"

static void names_are_truncated_as_rocprofv3_does(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"plain", "plain"},
        {"void at::native::reduce_kernel<512, 1, at::ReduceOp<float>>(at::ReduceOp<float>)",
         "reduce_kernel"},
        {"hydro::Grid::step(double*)", "step"},
        {"ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)", "ncclDevKernel_Generic_1"},
        {"foo(int) [clone .kd]", "foo"},
        {"", ""},
        {"(((", "((("},
        {")))", ")))"},
        {"operator()", "operator"},
    };
    struct arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_string_equal(kernel_truncated_name(&arena, cases[i][0]), cases[i][1]);
    arena_release(&arena);
}

static void categories_are_tracelens(void **state)
{
    (void)state;
    assert_string_equal(tracelens_category("Cijk_Ailk_Bljk"), "GEMM");
    assert_string_equal(tracelens_category("ncclDevKernel_Generic_1"), "COMM");
    assert_string_equal(tracelens_category("ncclDevKernel_AllReduce_Sum"), "Reduction");
    assert_string_equal(tracelens_category("__amd_rocclr_copyBuffer"), "Memory");
    assert_string_equal(tracelens_category("fmha_fwd"), "Attention");
    assert_string_equal(tracelens_category(""), "Other");
}

struct book {
    struct made m;
    struct analysis a;
    struct advice advice;
    struct workbook w;
};

static void make(struct book *b, struct workbook_opts o)
{
    made_init(&b->m);
    uint32_t s = made_stream(&b->m, made_gpu(&b->m), 1);
    made_kernel(&b->m, "ns::a<int>(int)", s, US(0), US(100), NO_INDEX);
    made_kernel(&b->m, "ns::a<float>(float)", s, US(100), US(400), NO_INDEX);
    made_kernel(&b->m, "=cmd|'/c'!A1", s, US(400), US(405), NO_INDEX);
    made_kernel(&b->m, "@x,\"y\"\r\n\xff", s, US(405), US(408), NO_INDEX);
    struct analysis_opts ao = made_options(0, US(1000));
    made_analyze(&b->m, &b->a, &ao);
    advise(&b->advice, &b->a, NULL, &b->m.arena);
    tracelens_workbook(&b->w, &b->a, &b->advice, &o, &b->m.arena);
}

static const struct sheet *sheet_of(const struct book *b, const char *name)
{
    for (size_t i = 0; i < b->w.sheets.n; i++)
        if (str_eq(b->w.sheets.v[i].name, name))
            return &b->w.sheets.v[i];
    return NULL;
}

static void kernels_are_summed_in_the_units_of_their_titles(void **state)
{
    (void)state;
    struct book b;
    make(&b, (struct workbook_opts){.short_kernel_study = true, .histogram_bins = 2});
    struct tl_kernel row;
    const struct tl_kernel *k = sheet_row(sheet_of(&b, "kernel_summary"), 0, &row);
    assert_int_equal(sheet_of(&b, "kernel_summary")->n, 3); /* both instances of a are one row */
    assert_string_equal(k->name, "a");
    assert_int_equal(k->count, 2);
    assert_near(k->mean_us, 200);
    assert_near(k->median_us, 200);
    assert_near(k->std_us, sqrt(20000.0)); /* of a sample */
    assert_near(k->total_ms, 0.4);
    assert_near(k->pct, 100.0 * 400 / 408);
    assert_true(isnan(k[1].std_us));
    assert_true(k[2].cumulative_pct == 100 && k[1].cumulative_pct < 100);
    const struct tl_bin *bins = sheet_of(&b, "short_kernel_histogram")->rows;
    assert_near(bins[0].start_us, 3);
    assert_near(bins[1].end_us, 5);
    assert_true(bins[0].count == 1 && bins[1].count == 1);
    made_release(&b.m);
}

static void options_choose_sheets(void **state)
{
    (void)state;
    struct book b;
    make(&b, (struct workbook_opts){.kernel_details = true, .topk_kernels = 2, .full_names = true});
    assert_int_equal(sheet_of(&b, "kernel_details")->n, 2);
    assert_int_equal(sheet_of(&b, "kernel_summary")->n, 4);
    assert_null(sheet_of(&b, "short_kernel_histogram"));
    made_release(&b.m);
    make(&b, (struct workbook_opts){.disable_kernel_summary = true});
    assert_null(sheet_of(&b, "kernel_summary"));
    assert_null(sheet_of(&b, "kernel_summary_by_category"));
    assert_null(sheet_of(&b, "kernel_details"));
    static const char *const ours[] = {"gpu_timeline", "ledger",  "findings", "copies",
                                       "api_calls",    "streams", "markers",  "idle_gaps",
                                       "gpus",         "about"};
    for (size_t i = 0; i < ARRAY_LEN(ours); i++)
        assert_non_null(sheet_of(&b, ours[i]));
    made_release(&b.m);
}

static const char *file(const char *name, struct arena *a)
{
    return arena_printf(a, "%s/%s", dir, name);
}

static void formulas_in_csv_are_defused(void **state)
{
    (void)state;
    struct book b;
    struct gs_error err;
    struct fs_set set;
    make(&b, (struct workbook_opts){0});
    fs_set_init(&set, &b.m.arena);
    assert_true(render_csv(&b.w, dir, &set, &err));
    assert_false(fs_exists(file("kernel_summary.csv", &b.m.arena))); /* not before all are there */
    assert_true(fs_set_close(&set, &err));
    struct mapping text;
    assert_true(map_file(&text, file("kernel_summary.csv", &b.m.arena), &err));
    const char *csv = (const char *)text.data;
    assert_non_null(strstr(csv, "\r\n'=cmd|'/c'!A1,1,"));
    assert_non_null(strstr(csv, "\"'@x,\"\"y\"\"\\x0d\\n\\xff\",1,3,3,,3,3,"));
    unmap_file(&text);
    made_release(&b.m);
}

static void failures_leave_nothing_behind(void **state)
{
    (void)state;
    struct arena arena;
    struct fs_out out;
    struct gs_error err = {0};
    arena_init(&arena);
    const char *name = file("result", &arena);
    assert_true(fs_write(name, "old", 3, NULL));
    assert_true(fs_out_open(&out, name, &err));
    fputs("half", out.file);
    fs_out_abandon(&out);
    assert_int_equal(fs_size(name), 3);
    assert_true(fs_out_open(&out, name, &err));
    fputs("whole", out.file);
    assert_true(fs_out_close(&out, &err));
    assert_int_equal(fs_size(name), 5);
    assert_true(fs_out_open(&out, "/dev/full", &err));
    fputs("lost", out.file);
    assert_false(fs_out_close(&out, &err));
    assert_int_equal(err.code, GS_E_IO);
    assert_false(fs_out_open(&out, "/nowhere/at/all", &err));
    assert_false(fs_out_name(&out, "/nowhere/at/all", &err));
    assert_false(fs_make_folders(file("result/below", &arena), &arena, &err));
    assert_true(fs_make_folders(file("new/below", &arena), &arena, &err));
    assert_true(fs_is_dir(file("new/below", &arena)));
    arena_release(&arena);
}

static void fill_number(const struct sheet *s, size_t i, void *row)
{
    (void)s;
    *(uint64_t *)row = i;
}

/* The limit stands for a disk: at every place where it may end. */
static void full_disks_are_told(struct workbook *w, struct fs_set *set, const char *name)
{
    struct gs_error err = {0};
    struct rlimit was, limit;
    size_t split;
    int64_t whole = fs_size(name);
    getrlimit(RLIMIT_FSIZE, &was);
    signal(SIGXFSZ, SIG_IGN);
    for (int tenth = 0; tenth < 10; tenth += 3) {
        limit = (struct rlimit){(rlim_t)(whole * tenth / 10 + (tenth == 9 ? whole / 10 - 1 : 0)),
                                was.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
        bool ok = render_xlsx(w, name, &split, set, &err);
        setrlimit(RLIMIT_FSIZE, &was);
        assert_false(ok);
        assert_non_null(strstr(err.text, "cannot write"));
        fs_set_abandon(set);
        assert_int_equal(fs_size(name), whole); /* what stood there stays */
    }
    signal(SIGXFSZ, SIG_DFL);
}

static void long_sheets_are_split(void **state)
{
    (void)state;
    static const struct field v[] = {{.key = "n", .label = "n", .type = FIELD_U64, .doc = ""}};
    static const struct fields fields = FIELDS("numbers", "", uint64_t, v);
    struct arena arena;
    struct gs_error err = {0};
    size_t split = 0;
    arena_init(&arena);
    struct workbook w = {.arena = &arena};
    struct fs_set set;
    fs_set_init(&set, &arena);
    workbook_add(&w, "numbers", "", &fields, NULL, 1048576)->fill = fill_number;
    const char *name = file("long.xlsx", &arena);
    assert_true(render_xlsx(&w, name, &split, &set, &err) && fs_set_close(&set, &err));
    assert_int_equal(split, 1);
    assert_false(render_xlsx(&w, "/nowhere/x.xlsx", &split, &set, &err));
    full_disks_are_told(&w, &set, name);
    w.sheets.v[0].n = 2;
    fs_set_abandon(&set);
    assert_true(render_xlsx(&w, "/dev/full", &split, &set, &err));
    assert_false(fs_set_close(&set, &err));
    assert_int_equal(err.code, GS_E_IO);
    arena_release(&arena);
}

static void links_are_relative_to_the_file(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"charts", "-", "charts"},
        {"charts", "x.md", "charts"},
        {"out/charts", "out/x.md", "charts"},
        {"charts", "out/x.md", "../charts"},
        {"/a/c", "/a/b/x.md", "../c"},
        {"/a/c", "x.md", "/a/c"},
        {"./a//b/", "a/x.md", "b"},
        {"a", "a/x.md", ""},
    };
    struct arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_string_equal(chart_files_link(cases[i][0], cases[i][1], &arena), cases[i][2]);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(names_are_truncated_as_rocprofv3_does),
        unit_test(categories_are_tracelens),
        unit_test(kernels_are_summed_in_the_units_of_their_titles),
        unit_test(options_choose_sheets),
        unit_test(formulas_in_csv_are_defused),
        unit_test(failures_leave_nothing_behind),
        unit_test(long_sheets_are_split),
        unit_test(links_are_relative_to_the_file),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
