#include "seed_files.h"

#include "synth/nsys.h"
#include "synth/rocpd.h"
#include "synth/synth.h"

static const char program_text[] =
    "gpu MI300X\nstream w\nkernel axpy vgpr=16 wg=256 blocks=64 dur=40us\n"
    "kernel gemm mangled=\"_Z4gemmPf\" vgpr=32 wg=256 blocks=9 dur=4us\ncopy h2d size=1MiB\n"
    "loop 12 as i { marker range \"round {i}\" { launch axpy stream=w\n launch gemm }\n"
    " sync stream=w }\nmalloc size=9\n";

static bool write_with(struct sink *w,
                       bool (*finish)(struct sink *, bool, struct opt_list *, struct gs_error *),
                       struct arena *a)
{
    struct program *p;
    struct gs_error err = {0};
    struct opt_list files = {0};
    struct synth_options o = {.seed = 1};
    bool ok = synth_parse(&p, program_text, sizeof(program_text) - 1, a, &err) &&
              synth_run(p, &o, w, &err);
    return finish(w, ok, &files, &err) && ok;
}

bool write_rocpd(const char *path)
{
    struct arena a;
    arena_init(&a);
    struct rocpd_options r = {.flavor = ROCPD_V305, .path = path, .page_size = 512, .args = 1};
    bool ok = write_with(rocpdw_new(&r, &a), rocpdw_finish, &a);
    arena_release(&a);
    return ok;
}

bool write_nsys(const char *path)
{
    struct arena a;
    arena_init(&a);
    struct nsys_options n = {.path = path, .page_size = 512};
    bool ok = write_with(nsysw_new(&n, &a), nsysw_finish, &a);
    arena_release(&a);
    return ok;
}
