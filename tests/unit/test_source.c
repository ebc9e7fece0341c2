/* Tier 0: the lexers and parsers on code that is written to mislead them. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/str.h"
#include "source/source_in.h"

/* Every fact as "line:kind name@function depth" and, with details, "[detail]". */
static const char *facts_of(enum source_language language, const char *code, bool details,
                            struct arena *a)
{
    struct symbols *symbols = arena_new(a, struct symbols);
    bool fortran = language == SOURCE_FORTRAN || language == SOURCE_FORTRAN_FIXED;
    if (language == SOURCE_PYTHON)
        symbols_init_python(symbols);
    else
        symbols_init_c(symbols, fortran);
    struct source_text t = {.text = code,
                            .size = strlen(code),
                            .language = language,
                            .symbols = symbols,
                            .scratch = a,
                            .arena = a,
                            .token_arena = a};
    struct fact_list facts = {0};
    struct str out;
    str_init(&out, a);
    if (language == SOURCE_PYTHON) {
        lex_python(&t);
        parse_python(&t, &facts);
    } else if (fortran) {
        lex_fortran(&t);
        parse_fortran(&t, &facts);
    } else {
        lex_c(&t);
        parse_c(&t, &facts);
    }
    for (size_t i = 0; i < facts.n; i++) {
        const struct source_fact *f = &facts.v[i];
        str_printf(&out, "%s%u:%s %s@%s %u", i ? "; " : "", f->line, fact_kind_name(f->kind),
                   f->name, f->function ? f->function : "-", f->loop_depth);
        if (details && f->detail)
            str_printf(&out, " [%s]", f->detail);
    }
    return out.buf;
}

static void check(enum source_language language, const char *code, const char *expected)
{
    struct arena a;
    arena_init(&a);
    assert_string_equal(facts_of(language, code, false, &a), expected);
    arena_release(&a);
}

static void check_details(enum source_language language, const char *code, const char *expected)
{
    struct arena a;
    arena_init(&a);
    assert_string_equal(facts_of(language, code, true, &a), expected);
    arena_release(&a);
}

static void comments_and_strings_hide_code(void **state)
{
    (void)state;
    check(SOURCE_C, "void f() { // hipFree(p); \\\n hipFree(p);\n /* hipFree(p);\n*/ hipFree(p); }",
          "4:free hipFree@f 0");
    check(SOURCE_C, "void f() { g(\"hipFree(p) // \\\" /* \"); hipFree(p); }",
          "1:free hipFree@f 0");
    check(SOURCE_C,
          "void f() { g('\"'); hipFree(p); h('\\''); hipFree(q); int n = 1'000'000; hipFree(r); }",
          "1:free hipFree@f 0; 1:free hipFree@f 0; 1:free hipFree@f 0");
    check(SOURCE_C,
          "void f() {\n auto s = R\"x(\nhipFree(p); )\" /* )x\";\n auto t = u8R\"(hipFree(\")\";\n"
          " hipFree(p); }",
          "5:free hipFree@f 0");
    check(SOURCE_C, "void f() { const char *url = \"http://x\"; hipFree(p); }",
          "1:free hipFree@f 0");
    check(SOURCE_C, "void f() { s = \"a\\\nhipFree(p)\"; hipFree(p); }", "2:free hipFree@f 0");
    check(SOURCE_C, "void f() { s = \"no end\n hipFree(p); }", "2:free hipFree@f 0");
}

static void disabled_code_does_not_count(void **state)
{
    (void)state;
    check(SOURCE_C, "#if 0\nvoid f() { hipFree(p); }\n#else\nvoid g() { hipFree(p); }\n#endif\n",
          "4:free hipFree@g 0");
    check(SOURCE_C, "#if 1\nvoid f() { hipFree(p); }\n#else\nvoid g() { hipFree(p); }\n#endif\n",
          "2:free hipFree@f 0");
    check(SOURCE_C,
          "#if (0) // x\n#ifdef A\n#else\n#endif\n/* #endif */\n\"#endif\n hipFree(p);\n#elif B\n"
          "void f() { hipFree(p); }\n#endif\n",
          "9:free hipFree@f 0");
    check(SOURCE_C, "#ifdef A\nvoid f() { hipFree(p); }\n#else\nvoid g() { hipFree(q); }\n#endif\n",
          "2:free hipFree@f 0; 4:free hipFree@g 0");
    check(SOURCE_FORTRAN, "subroutine s\n#if 0\ni = hipfree(p)\n#endif\ni = hipfree(p)\nend\n",
          "5:free hipFree@s 0");
}

static void branches_of_conditions_keep_braces_in_step(void **state)
{
    (void)state;
    check(SOURCE_C,
          "void f() {\n#ifdef A\nfor (;;) {\n#else\nwhile (x) "
          "{\n#endif\nhipFree(p);\n}\nhipFree(q);\n}\n"
          "void g() { hipFree(r); }\n",
          "7:free hipFree@f 1; 9:free hipFree@f 0; 11:free hipFree@g 0");
}

static void kernels_are_found_with_all_decorations(void **state)
{
    (void)state;
    check_details(
        SOURCE_C,
        "template <typename T, int N = (1 > 0), class = A<B<int>>>\n"
        "__global__ void __launch_bounds__(256, 2) k1(T *p) {}\n"
        "__launch_bounds__(64) __global__ void k2() {}\n"
        "extern \"C\" __global__ void k3(int a[], void (*f)(int)) {}\n"
        "namespace n { template <> __global__ void k4<float>(float *p) { } }\n"
        "__global__ void declared(int);\n"
        "template __global__ void k1<float>(float *);\n"
        "static __global__ __attribute__((amdgpu_waves_per_eu(2))) void\nk5(float *p)\n{\n}\n",
        "2:kernel k1@- 0 [__launch_bounds__(256, 2)]; 3:kernel k2@- 0; 4:kernel k3@- 0; "
        "5:kernel k4@- 0; 9:kernel k5@- 0 [__attribute__((amdgpu_waves_per_eu(2)))]");
    check(SOURCE_OPENCL,
          "__kernel void a(__global float *p) {}\nkernel "
          "__attribute__((reqd_work_group_size(64,1,1)))\n"
          "void b(global int *p) {}\n",
          "1:kernel a@- 0; 3:kernel b@- 0");
}

static void launches_have_their_configuration(void **state)
{
    (void)state;
    check_details(SOURCE_C, "void f() { k<<<dim3(n / 2, 1), 256, 0, s>>>(p); }",
                  "1:launch k@f 0 [dim3(n / 2, 1), 256, 0, s]");
    check_details(SOURCE_C, "void f() { ns::k<float, A<B<int>>, (3 > 2)><<<g, b>>>(p); }",
                  "1:launch k@f 0 [g, b]");
    check_details(SOURCE_C, "void f() { k<<<(n >> 8), f<g<int>>(1)>>>(p); }",
                  "1:launch k@f 0 [(n >> 8), f<g<int>>(1)]");
    check_details(SOURCE_C,
                  "void f() {\n hipLaunchKernelGGL(HIP_KERNEL_NAME(k<int, 2>), dim3(1, 2), 64,\n "
                  "0, s, p, q);\n}",
                  "2:launch k@f 0 [dim3(1, 2), 64, 0, s]; 2:kernel_name k@f 0");
    check_details(SOURCE_C, "void f() { cudaLaunchKernel((const void *)ns::k, g, b, args, 0, s); }",
                  "1:launch k@f 0 [g, b, args, 0]");
    check(SOURCE_C, "<<<<<<< HEAD\nvoid f() { std::cout << a << b; hipFree(p); }\n>>>>>>> x\n",
          "2:free hipFree@f 0");
}

static void macros_are_read_on_their_own(void **state)
{
    (void)state;
    check_details(
        SOURCE_C,
        "#define RUN(n) k<<<(n) / 256, \\\n   256>>>(n)\n#define CHECK(x) do { if (x) { } } while "
        "(0)\n"
        "void f() { for (;;) { CHECK(hipMalloc(&p, 4)); } RUN(3); hipFree(p); }",
        "1:launch k@RUN 0 [(n) / 256, 256]; 4:alloc hipMalloc@f 1 [&p, 4]; 4:free hipFree@f 0");
    check(SOURCE_C,
          "#define FREE(p) do { hipFree(p); } while (0)\nvoid f() { do { hipFree(p); } while "
          "(false); }",
          "1:free hipFree@FREE 0; 2:free hipFree@f 0");
    check(SOURCE_C, "#define BEGIN for (;;) {\n#define END }\nvoid f() { hipFree(p); }",
          "3:free hipFree@f 0");
}

static void loops_of_every_form_are_seen(void **state)
{
    (void)state;
    check(SOURCE_C, "void f() { for (int i = 0; i < 3; i++) hipFree(p); hipFree(q); }",
          "1:free hipFree@f 1; 1:free hipFree@f 0");
    check(SOURCE_C, "void f() { while (x) if (y) hipFree(a); else hipFree(b); hipFree(c); }",
          "1:free hipFree@f 1; 1:free hipFree@f 1; 1:free hipFree@f 0");
    check(SOURCE_C, "void f() { do { hipFree(a); } while (hipFree(b)); hipFree(c); }",
          "1:free hipFree@f 1; 1:free hipFree@f 1; 1:free hipFree@f 0");
    check(SOURCE_C,
          "void f() { for (hipFree(a); hipFree(b); hipFree(c)) for (auto x : hipFree(d)) { "
          "hipFree(e); } }",
          "1:free hipFree@f 0; 1:free hipFree@f 1; 1:free hipFree@f 1; 1:free hipFree@f 1; 1:free "
          "hipFree@f 2");
    check(SOURCE_C, "void f() { while (hipFree(a)) ; hipFree(b); }",
          "1:free hipFree@f 1; 1:free hipFree@f 0");
    check(SOURCE_C,
          "struct S { S() : a_(1), b_{2} { for (;;) { hipFree(p); } }\npublic: void g() const { "
          "hipFree(p); } };",
          "1:free hipFree@S 1; 2:free hipFree@g 0");
    check(SOURCE_C,
          "void A::B::f(int x = g()) const { auto l = [&](int i) { hipFree(p); }; for (;;) l(1); "
          "hipFree(q); }",
          "1:free hipFree@A::B::f 0; 1:free hipFree@A::B::f 0");
}

static void declarations_are_not_calls(void **state)
{
    (void)state;
    check(SOURCE_C,
          "hipError_t hipFree(void *p);\nextern \"C\" { hipError_t hipMalloc(void **, size_t); }\n"
          "struct T { hipError_t (*f)(void); hipError_t hipFree(void *); };\n"
          "hipError_t hipFree(void *p) { return real(p); }\nvoid f() { t.hipFree(p); "
          "my::hipFree(p); return hipFree(p); }",
          "5:free hipFree@f 0");
}

static void other_models_are_read(void **state)
{
    (void)state;
    check_details(
        SOURCE_C,
        "void f() { for (;;) { Kokkos::parallel_for(\"axpy\", n, KOKKOS_LAMBDA(int i) { });\n"
        " Kokkos::fence(); } other::fence(); }",
        "1:launch axpy@f 1 [n]; 2:sync fence@f 1");
    check(SOURCE_C,
          "#include <sycl/sycl.hpp>\nvoid f() { q.submit([&](sycl::handler &h) { "
          "h.parallel_for<class K>(n, x); }).wait(); }",
          "2:launch K@f 0; 2:sync wait@f 0");
    check(SOURCE_C, "void f() { q.submit(x).wait(); }", "");
    check_details(
        SOURCE_C,
        "void f() {\n#pragma omp target teams distribute \\\n  map(to: a)\nfor (;;) ;\n#pragma omp "
        "parallel for\n"
        "#pragma acc update host(a)\n#pragma acc wait\n}",
        "2:launch f_l2@f 0 [omp target teams distribute map(to: a)]; "
        "6:copy acc update host(a)@f 0 [acc update host(a)]; 7:sync acc wait@f 0 [acc wait]");
}

static void fortran_is_read_in_both_forms(void **state)
{
    (void)state;
    check_details(
        SOURCE_FORTRAN,
        "module m\ncontains\nattributes(global) subroutine k(a)\nend subroutine\n"
        "subroutine s(n) ! call hipFree(p)\n  print *, 'it''s ! hipFree(p)', \"hipFree(q)\"\n"
        "  outer: do i = 1, n\n    call k<<<n / 256, &\n      & 256>>>(a)\n    ierr = HIPMEMCPY(a, "
        "&\n      b)\n"
        "  end do outer\n  istat = cudaDeviceSynchronize()\nend subroutine s\nend module\n",
        "3:kernel k@- 0; 8:launch k@s 1 [n / 256, & & 256]; 10:copy hipMemcpy@s 1 [a, & b]; "
        "13:sync cudaDeviceSynchronize@s 0");
    check(SOURCE_FORTRAN,
          "subroutine s\ninterface\nfunction hipMalloc(p) bind(c)\nend function\nend interface\n"
          "do 10 i = 1, 3\ndo 10 j = 1, 3\ncall mpi_barrier(c, e)\n10 continue\ncall "
          "MPI_Barrier(c, e)\nend\n",
          "8:mpi MPI_Barrier@s 2; 10:mpi MPI_Barrier@s 0");
    check(
        SOURCE_FORTRAN_FIXED,
        "C     call hipFree(p)\n      subroutine s\n      do i = 1,\n     &  3\n"
        "      x = 'hipFree(p)'\n      i = hipF\n     *ree(p)\n      i = hipFree(p)\n      end do\n"
        "*     i = hipFree(p)\n      end\n",
        "8:free hipFree@s 1");
    check(SOURCE_FORTRAN,
          "subroutine s\ndo i=1,3\n!$omp target teams distribute &\n!$omp& parallel do map(to: "
          "a)\nend do\n"
          "!$omp end target teams\n!$acc parallel loop\n!$acc end parallel\n! $omp target\nend\n",
          "3:launch s_l3@s 1; 7:launch s_7@s 0");
    check(SOURCE_FORTRAN_FIXED, "      subroutine s\nc$omp target\n!$acc wait\n      end\n",
          "2:launch s_l2@s 0; 3:sync acc wait@s 0");
}

static void python_is_read_by_indentation(void **state)
{
    (void)state;
    check(SOURCE_PYTHON,
          "import torch\ndef f(n):\n  \"\"\"doc\n  torch.cuda.synchronize()\n  \"\"\"\n"
          "  x = n // 2  # torch.cuda.synchronize()\n  for i in range(3):\n    s = "
          "f\"{a['torch.cuda.synchronize()']} {{\"\n"
          "    torch.cuda.synchronize()\n  torch.cuda.synchronize()\n",
          "9:sync torch.cuda.synchronize@f 1; 10:sync torch.cuda.synchronize@f 0");
    check(SOURCE_PYTHON,
          "import torch as t\nfrom torch import cuda\nfrom torch.cuda import (synchronize as s,\n  "
          "Stream)\n"
          "t.cuda.synchronize(); cuda.synchronize()\ns()\nx.synchronize()\nwhile s(): Stream()\n",
          "5:sync torch.cuda.synchronize@- 0; 5:sync torch.cuda.synchronize@- 0; 6:sync "
          "torch.cuda.synchronize@- 0; "
          "8:sync torch.cuda.synchronize@- 1; 8:stream torch.cuda.Stream@- 1");
    check(SOURCE_PYTHON,
          "import torch\na = [x.item() for x in y]\nb = x.to('cuda:0'); c = x.to(\"cpu\"); d = "
          "x.cuda()\n"
          "if a:\n\tfor i in y:\n\t\tpass\n\tz.item()\n",
          "2:sync item@- 1; 3:framework to@- 0; 3:framework cuda@- 0; 7:sync item@- 0");
    check(SOURCE_PYTHON, "import numpy, torchish\na[1].item()\n", "");
    check(SOURCE_PYTHON, "x.item()\nd = {}\nd['a'](3)\n", "");
}

static void python_kernels_and_decorators(void **state)
{
    (void)state;
    check_details(
        SOURCE_PYTHON,
        "import triton, jax\nfrom numba import cuda\nfrom functools import "
        "partial\n@triton.jit\ndef k(x):\n  pass\n"
        "@cuda.jit('void(f4[:])')\ndef c(x): pass\n@ jax.jit\ndef g(): pass\n@partial(jax.jit, "
        "static_argnums=0)\n"
        "def h(): pass\nfor i in x:\n  k[(n // 2,)](x)\nq = jax.jit(g)\n",
        "5:kernel k@- 0; 8:kernel c@- 0; 9:framework jax.jit@- 0; 11:framework jax.jit@- 0; "
        "14:launch k@- 1 [(n // 2,)]; 15:framework jax.jit@- 0");
    check(SOURCE_PYTHON,
          "import cupy as cp\nk = cp.RawKernel(r'''\nextern \"C\" __global__ void add() { "
          "hipFree(0); }''', 'add')\n"
          "cp.cuda.runtime.deviceSynchronize()\n",
          "2:kernel add@- 0; 4:sync cupy.cuda.runtime.deviceSynchronize@- 0");
    check(SOURCE_PYTHON,
          "import torch\ns = f'{x!r:>{w}} {d[\"a\"]}' \\\n  'torch.cuda.synchronize()'\nt = "
          "rb'\\''; torch.cuda.synchronize()\n",
          "4:sync torch.cuda.synchronize@- 0");
}

static bool matches(const char *pattern, const char *path)
{
    size_t steps = 0;
    return glob_match(pattern, path, &steps);
}

static void ignore_rules_are_those_of_git(void **state)
{
    (void)state;
    assert_true(matches("*.cpp", "a.cpp"));
    assert_false(matches("*.cpp", "a/b.cpp"));
    assert_true(matches("**/b.cpp", "b.cpp"));
    assert_true(matches("**/b.cpp", "x/y/b.cpp"));
    assert_true(matches("a/**", "a/b/c"));
    assert_true(matches("a/**/z", "a/z"));
    assert_true(matches("a/**/z", "a/b/c/z"));
    assert_true(matches("[a-c]?[!x]", "bqy"));
    assert_false(matches("[a-c]?[!x]", "bqx"));
    assert_true(matches("\\*x", "*x"));
    struct arena a;
    arena_init(&a);
    struct ignore_file f = {0};
    const char *text = "# remark\n*.gen.cpp\n!keep.gen.cpp\n/top.cpp\nout/\nsub/x.cpp\r\n";
    ignore_parse(&f, text, strlen(text), &a);
    assert_true(ignored(&f, "d/a.gen.cpp", false));
    assert_false(ignored(&f, "d/keep.gen.cpp", false));
    assert_true(ignored(&f, "top.cpp", false));
    assert_false(ignored(&f, "d/top.cpp", false));
    assert_true(ignored(&f, "d/out", true));
    assert_false(ignored(&f, "d/out", false));
    assert_true(ignored(&f, "sub/x.cpp", false));
    assert_false(ignored(&f, "d/sub/x.cpp", false));
    arena_release(&a);
}

static void put(const char *dir, const char *name, const char *text, size_t n)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fwrite(text, 1, n, f);
    fclose(f);
}

static void odd_files_are_said_and_loops_of_links_end(void **state)
{
    (void)state;
    char dir[] = "/tmp/test_source_XXXXXX", path[600], command[600];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/loop", dir);
    assert_int_equal(symlink(dir, path), 0);
    snprintf(path, sizeof(path), "%s/out.cpp", dir);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    snprintf(path, sizeof(path), "%s/build", dir);
    assert_int_equal(mkdir(path, 0777), 0);
    put(dir, "a.cpp", "void f() { hipFree(p); }", 24);
    put(dir, "b.cpp", "\0\1\2", 3);
    put(dir, "build/c.cpp", "void f() { hipFree(p); }", 24);
    put(dir, "d.cpp", "", 0);
    put(dir, "e.cpp", "void f() { hipFree(p); }", 24);
    put(dir, ".gitignore", "e.cpp\n", 6);
    log_set_level(LOG_QUIET);
    struct source_scan s = {0};
    struct gs_error err = {0};
    assert_true(source_scan_run(&s, dir, 2, &err));
    assert_int_equal(s.files.n, 2);
    assert_int_equal(s.facts.n, 1);
    assert_int_equal(s.files_skipped, 2);
    assert_string_equal(s.skipped.v[0].path, "out.cpp");
    assert_string_equal(s.skipped.v[0].reason, "a link that leads out of the folder");
    assert_string_equal(s.skipped.v[1].path, "b.cpp");
    assert_string_equal(s.skipped.v[1].reason, "binary");
    assert_int_equal(s.folders_skipped, 1);
    source_scan_release(&s);
    snprintf(command, sizeof(command), "rm -r %s", dir);
    assert_int_equal(system(command), 0);
    assert_false(source_scan_run(&s, dir, 1, &err));
    assert_int_equal(err.code, GS_E_IO);
    source_scan_release(&s);
}

/* FETCH_SIZE takes 3 and WRITE_SIZE 2 of the 4 counters that the second cache has: two passes. */
static void advised_counters_fit_their_passes(void **state)
{
    (void)state;
    static const char *const suggested[] = {"GRBM_COUNT", "GRBM_GUI_ACTIVE", "SQ_WAVES",
                                            "FETCH_SIZE", "WRITE_SIZE"};
    struct source_scan s = {0};
    s.vendor = SOURCE_OF_AMD;
    s.programming_model = MODEL_HIP;
    vec_push(&s.kernels, &s.arena, ((struct source_kernel){.name = "k"}));
    for (size_t i = 0; i < 5; i++)
        vec_push(&s.suggested_counters, &s.arena, suggested[i]);
    judge_advice(&s);
    assert_string_equal(s.advice.v[0].id, "ROCPD-T0-INIT-001");
    assert_int_equal(s.advice.v[0].commands.n, 2);
    assert_string_equal(s.advice.v[0].commands.v[0].full_command,
                        "rocprofv3 --sys-trace --pmc GRBM_COUNT GRBM_GUI_ACTIVE SQ_WAVES "
                        "FETCH_SIZE -d ./rocpd_output -o baseline_pass1 -- ./app");
    assert_string_equal(s.advice.v[0].commands.v[1].full_command,
                        "rocprofv3 --pmc WRITE_SIZE -d ./rocpd_output -o baseline_pass2 -- ./app");
    source_scan_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(comments_and_strings_hide_code),
        unit_test(disabled_code_does_not_count),
        unit_test(branches_of_conditions_keep_braces_in_step),
        unit_test(kernels_are_found_with_all_decorations),
        unit_test(launches_have_their_configuration),
        unit_test(macros_are_read_on_their_own),
        unit_test(loops_of_every_form_are_seen),
        unit_test(declarations_are_not_calls),
        unit_test(other_models_are_read),
        unit_test(fortran_is_read_in_both_forms),
        unit_test(python_is_read_by_indentation),
        unit_test(python_kernels_and_decorators),
        unit_test(ignore_rules_are_those_of_git),
        unit_test(advised_counters_fit_their_passes),
        unit_test(odd_files_are_said_and_loops_of_links_end),
    };
    return unit_run(tests);
}
