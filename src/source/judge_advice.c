/* What to run first: rocinsight's ten pieces of advice, and ours for loops. */
#include "base/array.h"
#include "base/str.h"
#include "metric/counters.h"
#include "source/source_in.h"

static uint32_t n_of(const struct source_scan *s, enum source_pattern_id id)
{
    return pattern_count(s, id);
}
struct author {
    struct source_scan *s;
    struct source_advice a;
};

static void begin(struct author *w, const char *id, enum priority priority, const char *category)
{
    w->a = (struct source_advice){.id = id, .priority = priority, .category = category};
}

static void action(struct author *w, const char *text)
{
    vec_push(&w->a.actions, &w->s->arena, text);
}

/* flags and args are words divided by blanks; the application is ours to name. */
static void command(struct author *w, enum profiler tool, const char *flags, const char *args,
                    const char *app, const char *why)
{
    struct source_command c = {.tool = tool, .description = why, .flags = flags, .args = args};
    bool dashes = profiler_vendor(tool) == VENDOR_AMD; /* NVIDIA's know no "--" */
    c.full_command =
        arena_printf(&w->s->arena, "%s%s%s%s%s %s%s", profiler_name(tool), *flags ? " " : "", flags,
                     *args ? " " : "", args, dashes ? "-- " : "", app);
    vec_push(&w->a.commands, &w->s->arena, c);
}

static void end(struct author *w, const char *issue, const char *suggestion, const char *impact)
{
    w->a.issue = issue;
    w->a.suggestion = suggestion;
    w->a.impact = impact;
    vec_push(&w->s->advice, &w->s->arena, w->a);
}

static bool nvidia(const struct author *w)
{
    return w->s->vendor == SOURCE_OF_NVIDIA;
}

/* A timeline with host calls, in the tool of the vendor the code is written for. */
static void timeline(struct author *w, const char *out, const char *name, const char *why)
{
    struct arena *a = &w->s->arena;
    if (nvidia(w))
        command(w, PROFILER_NSYS, "profile", arena_printf(a, "--trace=cuda,nvtx,osrt -o %s", name),
                "./app", why);
    else
        command(w, PROFILER_ROCPROFV3, "--sys-trace", arena_printf(a, "-d ./%s -o %s", out, name),
                "./app", why);
}

static void sample(struct author *w, const char *flags, const char *why)
{
    if (nvidia(w))
        command(w, PROFILER_NSYS, "profile", "--sample=process-tree --trace=cuda,osrt", "./app",
                why);
    else
        command(w, PROFILER_ROCPROF_SYS_SAMPLE, flags, "", "./app", why);
}

/*
 * The GPU is not known yet: gfx942 stands for all of CDNA, for none has narrower blocks or counters
 * that take more of them.
 */
static void find_passes(struct author *w, struct passes *out)
{
    VEC(struct pack_counter) wanted = {0};
    for (size_t i = 0; i < w->s->suggested_counters.n; i++) {
        struct pack_counter c;
        if (counter_find(&c, w->s->suggested_counters.v[i], GFX942))
            vec_push(&wanted, &w->s->arena, c);
    }
    pack(out, wanted.v, wanted.n, NULL, 0, &w->s->arena);
}

static void counter_passes(struct author *w)
{
    struct arena *a = &w->s->arena;
    struct passes passes = {0};
    find_passes(w, &passes);
    for (size_t p = 0; p < passes.n; p++) {
        struct str pmc;
        str_init(&pmc, a);
        for (size_t i = 0; i < passes.v[p].counters.n; i++)
            str_printf(&pmc, " %s", passes.v[p].counters.v[i]);
        const char *suffix = passes.n > 1 ? arena_printf(a, "_pass%zu", p + 1) : "";
        command(w, PROFILER_ROCPROFV3, p ? "" : "--sys-trace",
                arena_printf(a, "--pmc%s -d ./rocpd_output -o baseline%s", pmc.buf, suffix),
                "./app", p ? "the counters that did not fit" : "timeline and the first counters");
    }
}

static void initial(struct author *w)
{
    if (!w->s->kernels.n && !n_of(w->s, PATTERN_ROCBLAS) && !n_of(w->s, PATTERN_CUBLAS))
        return;
    begin(w, "ROCPD-T0-INIT-001", PRIORITY_HIGH, "Initial Profiling");
    if (nvidia(w))
        timeline(w, "nsys_output", "baseline", "timeline of kernels, copies and host calls");
    else
        counter_passes(w);
    action(w, "run the baseline capture on a representative input");
    action(w, "analyze it: gpusight analyze the result, with --source-dir for lines");
    end(w,
        arena_printf(&w->s->arena, "%s and no profile yet",
                     judge_counted(w->s, (uint32_t)w->s->kernels.n, "kernel|kernels")),
        "collect a baseline before changing anything", "the base for every other decision");
}

static void synchronisation(struct author *w)
{
    uint32_t in_loop =
        n_of(w->s, PATTERN_LOOP_DEVICE_SYNC) + n_of(w->s, PATTERN_LOOP_IMPLICIT_SYNC);
    uint32_t all = n_of(w->s, PATTERN_DEVICE_SYNC);
    struct arena *a = &w->s->arena;
    if (in_loop || all > 5) {
        begin(w, "ROCPD-T0-SYNC-001", PRIORITY_HIGH, "Synchronization");
        action(w, "wait on the stream or event that matters, outside of the loop");
        action(w, "queue the next step before waiting for the last");
        timeline(w, "sync_output", "sync_profile", "how long the GPU idles at each wait");
        sample(w, "--trace", "which code waits");
        const char *place = n_of(w->s, PATTERN_LOOP_DEVICE_SYNC)
                                ? judge_first_place(w->s, PATTERN_LOOP_DEVICE_SYNC)
                                : judge_first_place(w->s, n_of(w->s, PATTERN_LOOP_IMPLICIT_SYNC)
                                                              ? PATTERN_LOOP_IMPLICIT_SYNC
                                                              : PATTERN_DEVICE_SYNC);
        end(w,
            in_loop ? arena_printf(a, "%s for the whole GPU inside loops, first at %s",
                                   judge_counted(w->s, in_loop, "wait|waits"), place)
                    : arena_printf(a, "%u waits for the whole GPU, first at %s", all, place),
            "remove waits from loops", "the GPU stops running dry at every step");
    } else if (all) {
        begin(w, "ROCPD-T0-SYNC-001", PRIORITY_MEDIUM, "Synchronization");
        sample(w, "--trace", "how long the host waits");
        end(w,
            arena_printf(a, "%s, first at %s",
                         judge_counted(w->s, all,
                                       "device-wide synchronisation|device-wide synchronisations"),
                         judge_first_place(w->s, PATTERN_DEVICE_SYNC)),
            "check that each is needed", "less idle time");
    }
}

static void memory(struct author *w)
{
    uint32_t loops = n_of(w->s, PATTERN_LOOP_BLOCKING_MEMCPY),
             blocking = n_of(w->s, PATTERN_BLOCKING_MEMCPY);
    struct arena *a = &w->s->arena;
    if (loops || (blocking && !n_of(w->s, PATTERN_ASYNC_MEMCPY))) {
        begin(w, "ROCPD-T0-MEM-001", PRIORITY_MEDIUM, "Memory Transfer");
        action(w, "use asynchronous copies with pinned host memory, on a stream of their own");
        timeline(w, "memcpy_output", "memcpy_profile", "how long copies are exposed");
        end(w,
            arena_printf(a, "%s (%u inside loops), %u asynchronous",
                         judge_counted(w->s, blocking, "blocking copy|blocking copies"), loops,
                         n_of(w->s, PATTERN_ASYNC_MEMCPY)),
            "overlap copies with kernels", "copy time hidden behind compute");
    }
    if (n_of(w->s, PATTERN_LOOP_ALLOCATION)) {
        begin(w, "GS-T0-ALLOC-001", PRIORITY_MEDIUM, "Allocation");
        action(w, "allocate once before the loop, or use stream-ordered allocation from a pool");
        timeline(w, "alloc_output", "alloc_profile",
                 "what allocation costs: frees wait for the GPU");
        end(w,
            arena_printf(a, "%s inside loops, first at %s",
                         judge_counted(w->s, n_of(w->s, PATTERN_LOOP_ALLOCATION),
                                       "allocation or free|allocations or frees"),
                         judge_first_place(w->s, PATTERN_LOOP_ALLOCATION)),
            "move allocation out of loops", "no hidden synchronisation at every free");
    }
}

static void concurrency(struct author *w)
{
    if (n_of(w->s, PATTERN_NO_STREAMS) && w->s->kernels.n) {
        begin(w, "ROCPD-T0-STREAMS-001", PRIORITY_MEDIUM, "No Streams");
        action(w, "put independent kernels and copies on streams of their own");
        sample(w, "--trace", "what could overlap");
        end(w, "kernels are launched and no stream is created",
            "use streams where work is independent", "copies and small kernels overlap");
    }
    if (n_of(w->s, PATTERN_MANAGED_MEMORY)) {
        begin(w, "ROCPD-T0-MANAGED-001", PRIORITY_MEDIUM, "Managed Memory");
        action(w, "prefetch before kernels, or allocate on the device");
        sample(w, "--trace --device", "page faults and migration");
        end(w,
            arena_printf(&w->s->arena, "%s, first at %s",
                         judge_counted(w->s, n_of(w->s, PATTERN_MANAGED_MEMORY),
                                       "managed allocation|managed allocations"),
                         judge_first_place(w->s, PATTERN_MANAGED_MEMORY)),
            "watch page migration", "kernels do not wait for pages");
    }
}

static void libraries(struct author *w)
{
    bool rocm = n_of(w->s, PATTERN_ROCBLAS) || n_of(w->s, PATTERN_HIPBLAS) ||
                n_of(w->s, PATTERN_MIOPEN) || n_of(w->s, PATTERN_ROCFFT);
    bool cuda =
        n_of(w->s, PATTERN_CUBLAS) || n_of(w->s, PATTERN_CUDNN) || n_of(w->s, PATTERN_CUFFT);
    if (!rocm && !cuda)
        return;
    begin(w, "ROCPD-T0-LIBS-001", PRIORITY_MEDIUM, rocm ? "ROCm Libraries" : "CUDA Libraries");
    action(w, "compare the library's kernels with the peak of the precision in use");
    if (rocm)
        command(w, PROFILER_ROCPROF_COMPUTE, "profile", "--name library", "./app",
                "roofline and cache use of library kernels");
    else
        command(w, PROFILER_NCU, "--set full", "-o library", "./app",
                "roofline and cache use of library kernels");
    end(w, "vendor libraries do part of the work", "check shapes, precision and layout",
        "matrix cores in full use");
}

static void instrumentation(struct author *w)
{
    if (n_of(w->s, PATTERN_ROCTX_RANGE_PUSH) || n_of(w->s, PATTERN_ROCTX_MARK) || !w->s->kernels.n)
        return;
    begin(w, "ROCPD-T0-ROCTX-001", PRIORITY_LOW, "Instrumentation");
    if (nvidia(w)) {
        action(w, "put nvtxRangePush and nvtxRangePop around phases");
        timeline(w, "marked_output", "marked_profile", "phases by name");
    } else {
        action(w,
               "put roctxRangePush and roctxRangePop around phases; link -lrocprofiler-sdk-roctx");
        command(w, PROFILER_ROCPROFV3, "--sys-trace --marker-trace",
                "-d ./marked_output -o marked_profile", "./app", "phases by name");
    }
    end(w, "kernels, and no marker", "name the phases of the program", "findings name your phases");
}

static void python(struct author *w)
{
    enum source_model model = w->s->programming_model;
    const char *who = model == MODEL_PYTORCH  ? "PyTorch drives the GPU"
                      : model == MODEL_JAX    ? "JAX drives the GPU"
                      : model == MODEL_PYTHON ? "Python drives the GPU"
                                              : NULL;
    if (!who)
        return;
    begin(w, "ROCPD-T0-PYTORCH-001", PRIORITY_HIGH, "PyTorch");
    action(w, "leave out the first steps: compilation and caching");
    command(w, PROFILER_ROCPROF_SYS_SAMPLE, "--trace", "", "python ./train.py",
            "Python and GPU on one timeline");
    command(w, PROFILER_ROCPROFV3, "--sys-trace",
            "--pmc GRBM_COUNT GRBM_GUI_ACTIVE SQ_WAVES -d ./pytorch_output -o pytorch_profile",
            "python ./train.py", "kernels with utilisation");
    end(w, who, "profile one steady step", "launch gaps and waits of the framework show");
}

static void multi_gpu(struct author *w)
{
    if (!n_of(w->s, PATTERN_RCCL) && !n_of(w->s, PATTERN_TORCH_COLLECTIVE))
        return;
    begin(w, "ROCPD-T0-MULTIGPU-001", PRIORITY_MEDIUM, "Multi-GPU");
    action(w, "capture every rank and analyze the files together");
    sample(w, "--trace", "which collectives are exposed");
    end(w, "collectives between GPUs", "overlap communication with compute", "better scaling");
}

static void choose_first(struct source_scan *s)
{
    for (size_t i = 0; i < s->advice.n && !s->first_command; i++)
        if (s->advice.v[i].commands.n)
            s->first_command = s->advice.v[i].commands.v[0].full_command;
}

void judge_advice(struct source_scan *s)
{
    struct author w = {.s = s};
    initial(&w);
    synchronisation(&w);
    memory(&w);
    concurrency(&w);
    libraries(&w);
    instrumentation(&w);
    python(&w);
    multi_gpu(&w);
    if (!s->advice.n) {
        begin(&w, "ROCPD-T0-INIT-001", PRIORITY_INFO, "Initial Profiling");
        timeline(&w, "rocpd_output", "baseline", "what the GPU does at all");
        end(&w, "no GPU code of a known kind was found", "capture a timeline", "shows what runs");
    }
    SORT_BY(&s->advice, priority);
    choose_first(s);
}
