#include "ingest/rocpd/rocpd.h"

enum { ID, PID, MANGLED, DISPLAY, LDS, SCRATCH, SGPR, VGPR, ACCUM };

static uint32_t count_at(struct db_query *q, int column)
{
    int64_t v = sqlite3_column_int64(q->stmt, column);
    return v < 0 || v > UINT32_MAX ? 0 : (uint32_t)v;
}

/* display_name is demangled unless the profiler was told not to; the mangled name has ".kd". */
static uint32_t add_symbol(struct rocpd *r, const struct symbol *s)
{
    const char *full = trace_str(r->trace, s->name);
    return trace_symbol(r->trace, s, *full ? full : trace_str(r->trace, s->mangled));
}

bool rocpd_read_symbols(struct rocpd *r, struct gs_error *err)
{
    static const char *const columns[] = {"id",
                                          "pid",
                                          "kernel_name",
                                          "display_name",
                                          "group_segment_size",
                                          "private_segment_size",
                                          "sgpr_count",
                                          "arch_vgpr_count",
                                          "accum_vgpr_count",
                                          NULL};
    struct db_query q;
    if (!rocpd_query(&q, r, "info_kernel_symbol", columns, err))
        return false;
    while (db_next(&q)) {
        struct symbol s = {.id = sqlite3_column_int64(q.stmt, ID)};
        s.process = rocpd_process(r, sqlite3_column_int64(q.stmt, PID));
        s.mangled = rocpd_text(r, &q, MANGLED);
        s.name = rocpd_text(r, &q, DISPLAY);
        s.lds_bytes = count_at(&q, LDS);
        s.scratch_bytes = count_at(&q, SCRATCH);
        s.sgprs = count_at(&q, SGPR);
        s.vgprs = count_at(&q, VGPR);
        s.accum_vgprs = count_at(&q, ACCUM);
        idtable_put(&r->symbols, s.id, add_symbol(r, &s));
    }
    idtable_seal(&r->symbols);
    return db_done(&q, err);
}
