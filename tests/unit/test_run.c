/* A run, from the file to the findings: what is read once, and what is left when memory is short.
 */
#define _GNU_SOURCE /* nftw */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#include "advise/rule.h"
#include "base/mem.h"
#include "base/str.h"
#include "made_rocpd.h"
#include "run/run.h"
#include "scratch.h"

static const char *path_of(const char *name)
{
    static char file[256];
    snprintf(file, sizeof(file), "%s/%s", dir, name);
    return file;
}

struct attempt {
    const char *path;
    struct arena arena;
    bool made;
};

static void make_run(void *ctx)
{
    struct attempt *t = ctx;
    struct gs_error err;
    struct run_opts o = RUN_DEFAULTS;
    o.threads = 1;
    vec_push(&o.paths, &t->arena, t->path);
    t->made = run_make(&o, &t->arena, &err) != NULL;
}

static void a_run_ends_with_findings(void **state)
{
    (void)state;
    struct gs_error err;
    struct arena arena;
    struct run_opts o = RUN_DEFAULTS;
    struct made_rocpd made = {.path = path_of("demo.db"), .scenario = true};
    assert_string_equal(made_rocpd("demo", &made), "");
    arena_init(&arena);
    vec_push(&o.paths, &arena, made.path);
    struct run *r = run_make(&o, &arena, &err);
    assert_non_null(r);
    assert_true(r->analysis->ledger.n_gpus == 1);
    assert_true(r->advice.findings.n > 0);
    assert_string_equal(r->advice.findings.v[0]->rule->name, "slow-copies");
    arena_release(&arena);
}

static void a_shortage_anywhere_leaks_nothing(void **state)
{
    (void)state;
    struct made_rocpd made = {.path = path_of("short.db"), .scenario = true};
    assert_string_equal(made_rocpd("demo", &made), "");
    size_t before = mem_held();
    int64_t n = 0;
    for (bool made_it = false; !made_it; n++) {
        struct attempt t = {.path = made.path};
        mem_fail_after(n);
        made_it = mem_guard(make_run, &t, NULL) && t.made;
        mem_fail_never();
        arena_release(&t.arena);
        if (mem_held() != before)
            print_error("allocation %lld leaks %zd bytes\n", (long long)n,
                        (ssize_t)(mem_held() - before));
        assert_true(mem_held() == before);
    }
    assert_true(n > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(a_run_ends_with_findings),
        unit_test(a_shortage_anywhere_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
