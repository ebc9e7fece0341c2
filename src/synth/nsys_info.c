/* The small tables of the Nsight Systems writer: who ran, where, on what. Written last. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "synth/nsys_in.h"

/* Runs one statement made like sqlite3_mprintf(); %Q quotes texts. */
static void put(struct nsys_writer *w, struct nfile *f, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *sql = sqlite3_vmprintf(fmt, ap);
    va_end(ap);
    if (sql)
        nsysw_exec(w, f, sql);
    sqlite3_free(sql);
}

static void put_machine(struct nsys_writer *w, struct nfile *f, const struct nprocess *p)
{
    sqlite3_int64 vm = nsysw_machine(p);
    put(w, f, "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (%lld,'Local (CLI)','Hostname',619,%Q)",
        vm, names_text(w->names, p->rec.host));
    put(w, f, "INSERT INTO ANALYSIS_DETAILS VALUES (%lld,%lld,0,%lld)", vm,
        p->rec.end_ns - f->origin_ns, p->rec.end_ns - f->origin_ns);
    for (size_t i = 0; i < p->agents.n; i++) {
        const struct rec_agent *a = &p->agents.v[i];
        const struct gpu_spec *g = a->gpu;
        int major = 0, minor = 0;
        if (str_starts(g->arch, "sm_"))
            sscanf(g->arch + 3, "%d", &major);
        minor = major % 10;
        major /= 10;
        put(w, f,
            "INSERT INTO TARGET_INFO_GPU VALUES (%lld,%d,%Q,'0000:%02x:00.0',1,%lld,%lld,%lld,%lld,"
            "%d,%lld,%lld,%lld,%d,%d)",
            vm, a->gpu_index, g->product, (unsigned)(a->gpu_index * 16 + 3) & 0xff, g->memory_bytes,
            g->memory_bw, g->clock_mhz * 1000000, g->cu, a->gpu_index, g->lds_kib * 1024, g->wave,
            g->waves_per_simd * g->simd_per_cu, major, minor);
        for (int m = METRIC_CLOCK; m <= METRIC_BUSY && f->metrics; m++)
            put(w, f, "INSERT INTO TARGET_INFO_GPU_METRICS VALUES (%lld,0,'GPU',%d,%Q)",
                vm | a->gpu_index, m,
                m == METRIC_CLOCK ? "GPC Clock Frequency [MHz]" : "GR Active [Throughput %]");
    }
}

static void put_process(struct nsys_writer *w, struct nfile *f, const struct nprocess *p)
{
    const char *command = names_text(w->names, p->rec.command);
    int len = (int)strcspn(command, " ");
    put(w, f, "INSERT INTO PROCESSES VALUES (%lld,%lld,'%.*q')", nsysw_global(p, 0), p->rec.pid,
        len, command);
    put(w, f, "INSERT INTO ProcessStreams VALUES (%lld,0,0)", nsysw_global(p, 0));
    for (size_t i = 0; i < p->threads.n; i++)
        if (p->threads.v[i].name)
            put(w, f, "INSERT INTO ThreadNames VALUES (%lld,20,%lld)",
                nsysw_string(w, f, p->threads.v[i].name), nsysw_global(p, p->threads.v[i].tid));
    for (size_t i = 0; i < p->agents.n; i++) {
        int gpu = p->agents.v[i].gpu_index;
        put(w, f, "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (%d,%d,%lld,NULL,%lld)", gpu, gpu,
            p->rec.pid, p->agents.v[i].gpu->cu);
        put(w, f, "INSERT INTO TARGET_INFO_CUDA_STREAM VALUES (7,0,1,%lld,%d,0,3)", p->rec.pid,
            gpu + 1);
    }
    for (size_t i = 0; i < p->streams.n; i++)
        if (p->streams.v[i].id)
            put(w, f, "INSERT INTO TARGET_INFO_CUDA_STREAM VALUES (%lld,0,1,%lld,%d,0,2)",
                nsysw_stream(p->streams.v[i].id), p->rec.pid, p->streams.v[i].gpu + 1);
    int64_t tid = p->threads.n ? p->threads.v[0].tid : p->rec.pid;
    if (f->mpi && p->rec.rank >= 0)
        NROW(w, f, NI_MPI_RANKS, nsysw_global(p, tid), p->rec.rank);
    if (f->nccl)
        put(w, f,
            "INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, domainId) VALUES "
            "(0,75,'NCCL',%lld,1)",
            nsysw_global(p, tid));
}

/* The launched program: that of the first process. */
static void put_capture(struct nsys_writer *w, struct nfile *f, const struct nprocess *p)
{
    const char *word = names_text(w->names, p->rec.command);
    for (int i = -1; *word; i++) {
        int n = (int)strcspn(word, " ");
        if (i < 0)
            put(w, f, "INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:COMMAND','%.*q')", n, word);
        else
            put(w, f, "INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ARGUMENT_%d','%.*q')", i, n,
                word);
        word += n;
        word += strspn(word, " ");
    }
    for (size_t i = 0; i < p->rec.env_n; i++)
        put(w, f,
            "INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ENVIRONMENT_VARIABLE','%q=\"%q\"')",
            names_text(w->names, p->rec.env[i].name), names_text(w->names, p->rec.env[i].value));
}

static void put_start(struct nsys_writer *w, struct nfile *f)
{
    time_t seconds = (time_t)(f->origin_ns / 1000000000);
    struct tm tm;
    char text[32] = "";
    if (gmtime_r(&seconds, &tm))
        strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
    put(w, f, "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (%lld,%Q,%Q)", f->origin_ns, text,
        text);
}

static void put_strings(struct nsys_writer *w, struct nfile *f)
{
    sqlite3_stmt *st = NULL;
    if (sqlite3_prepare_v2(f->db, "INSERT INTO StringIds VALUES (?,?)", -1, &st, NULL) != SQLITE_OK)
        nsysw_fail(w, f->db, "StringIds");
    for (uint32_t i = 0; i < f->used.n && !w->sink.failed; i++) {
        struct name name = names_get(w->names, i);
        if (!f->used.v[i])
            continue;
        sqlite3_bind_int64(st, 1, (int64_t)i + 1);
        sqlite3_bind_text(st, 2, name.s, (int)name.n, SQLITE_STATIC);
        if (sqlite3_step(st) != SQLITE_DONE)
            nsysw_fail(w, f->db, "StringIds");
        sqlite3_reset(st);
    }
    sqlite3_finalize(st);
}

void nsysw_info(struct nsys_writer *w, struct nfile *f)
{
    for (size_t i = 0; i < w->processes.n; i++) {
        const struct nprocess *p = &w->processes.v[i];
        bool known = false;
        if (p->file != f)
            continue;
        for (size_t k = 0; k < i; k++)
            known |= w->processes.v[k].file == f && w->processes.v[k].rec.node == p->rec.node;
        if (!known)
            put_machine(w, f, p);
        put_process(w, f, p);
    }
    put_capture(w, f, &w->processes.v[f->first_process]);
    put_start(w, f);
    put_strings(w, f);
}
