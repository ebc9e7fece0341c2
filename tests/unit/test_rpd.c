/* Focus of this file: rocmProfileData databases, plain and compressed; what is rocpd and what is
 * not. */
#define _GNU_SOURCE /* nftw */
#include "unit.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/fs.h"
#include "base/str.h"
#include "config.h"
#include "ingest/unpack.h"
#include "load_paths.h"
#include "scratch.h"
#include "sql.h"

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

static char packed[128];
static struct trace trace;
static struct gs_error error;

static int make_dir(void **state)
{
    if (scratch_make(state))
        return -1;
    snprintf(packed, sizeof(packed), "%s/b", dir);
    return setenv("TMPDIR", dir, 1);
}

/* The schema as rpd writes it, without what nobody reads. */
static const char schema[] =
    "CREATE TABLE rocpd_string (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, string "
    "varchar(4096) "
    "NOT NULL);"
    "CREATE TABLE rocpd_op (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, gpuId integer NOT NULL, "
    "queueId integer NOT NULL, sequenceId integer NOT NULL, completionSignal varchar(18) NOT NULL, "
    "start integer NOT NULL, \"end\" integer NOT NULL, description_id integer NOT NULL, opType_id "
    "integer NOT NULL);"
    "CREATE TABLE rocpd_api (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, pid integer NOT NULL, "
    "tid "
    "integer NOT NULL, start integer NOT NULL, \"end\" integer NOT NULL, apiName_id integer NOT "
    "NULL, "
    "args_id integer NOT NULL);"
    "CREATE TABLE rocpd_api_ops (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, api_id integer NOT "
    "NULL, op_id integer NOT NULL);"
    "CREATE TABLE rocpd_kernelapi (api_ptr_id integer NOT NULL PRIMARY KEY, stream varchar(18) NOT "
    "NULL, gridX integer, gridY integer, gridZ integer, workgroupX integer, workgroupY integer, "
    "workgroupZ integer, groupSegmentSize integer, privateSegmentSize integer, kernelName_id "
    "integer);"
    "CREATE TABLE rocpd_copyapi (api_ptr_id integer NOT NULL PRIMARY KEY, stream varchar(18) NOT "
    "NULL, "
    "size integer, width integer, height integer, kind integer, dst varchar(18), src varchar(18), "
    "dstDevice integer, srcDevice integer, sync bool, pinned bool);"
    "CREATE TABLE rocpd_metadata (id integer NOT NULL PRIMARY KEY, tag varchar(4096), value "
    "varchar(4096));"
    "CREATE TABLE rocpd_monitor (id integer NOT NULL PRIMARY KEY, deviceType varchar(16), deviceId "
    "integer, monitorType varchar(16), start integer, \"end\" integer, value varchar(255));"
    "INSERT INTO rocpd_metadata(tag, value) VALUES ('schema_version', '2');"
    "INSERT INTO rocpd_string VALUES (1,''),(2,'hipLaunchKernel'),(3,'hipExtModuleLaunchKernel'),"
    "(4,'hipMemcpyAsync'),(5,'hipGraphLaunch'),(6,'UserMarker'),(7,'KernelExecution'),(8,'Task'),"
    "(9,'CopyHostToDevice'),(10,'CopyDeviceToDevice'),(11,'FillBuffer'),(12,'_Z3addPfi.kd'),"
    "(13,'gemm'),(14,'graphExec = 0x1234 | stream = 0x20'),(15,'forward'),"
    "(16,'aten::add, seq = 7, op_id = 12'),(17,'Barrier');";

static void make(const char *more)
{
    unlink(path);
    run_sql_in(path, schema);
    run_sql_in(path, more);
}

static bool load_from(const char *file)
{
    const char *paths[] = {file};
    struct opt_list list = {paths, 1, 1};
    struct ingest_opts o = {.reader = READER_CHECK, .threads = 2};
    trace_init(&trace);
    error = (struct gs_error){0};
    bool ok = load_paths(&trace, &list, &o, &error);
    if (!ok && !strstr(error.text, "cannot read"))
        print_message("%s\n", error.text);
    return ok;
}

static const char sample[] =
    "INSERT INTO rocpd_api VALUES (101,70,71,1000,1100,2,1),(102,70,71,1200,1300,3,1),"
    "(103,70,72,1400,1500,4,1),(104,70,71,1600,1700,5,14),(105,70,71,900,2000,6,15),"
    "(106,70,71,950,1900,6,16);"
    "INSERT INTO rocpd_op VALUES (1,2,0,0,'',2000,2500,12,7),(2,2,0,0,'',2600,2700,13,7),"
    "(3,2,1,0,'',3000,3400,1,9),(4,2,0,0,'',4000,4500,13,8),(5,2,0,0,'',4600,4700,1,10),"
    "(6,2,0,0,'',4800,4900,1,11),(7,2,0,0,'',4950,4960,1,17);"
    "INSERT INTO rocpd_api_ops(api_id, op_id) VALUES (101,1),(102,2),(103,3),(104,4),(104,5);"
    "INSERT INTO rocpd_kernelapi VALUES (101,'0x0',4,2,1,64,1,1,512,16,12),"
    "(102,'0xab',1024,1,1,256,1,1,0,0,13);"
    "INSERT INTO rocpd_copyapi VALUES (103,'0x30',4096,'','',1,'0x1','0x2',0,0,0,1);"
    "INSERT INTO rocpd_monitor(deviceType,deviceId,monitorType,start,\"end\",value) VALUES "
    "('gpu',0,'sclk',1000,2000,'800'),('gpu',0,'sclk',2000,3000,'1700.5');";

static void check_sample(void)
{
    assert_int_equal(trace.kernels.n, 3);
    assert_int_equal(trace.kernels.end_ns[0], 2500);
    assert_string_equal(trace_str(&trace, trace.symbols.v[trace.kernels.symbol[0]].mangled),
                        "_Z3addPfi.kd");
    const struct launch *l = &trace.launches.v[trace.kernels.launch[0]];
    assert_int_equal(l->grid[0], 256); /* blocks times group */
    assert_int_equal(l->grid[1], 2);
    assert_int_equal(l->lds_bytes, 512);
    assert_int_equal(l->scratch_bytes, 16);
    l = &trace.launches.v[trace.kernels.launch[1]];
    assert_int_equal(l->grid[0], 1024); /* work-items: the Ext call */
    assert_int_equal(trace.streams.v[trace.kernels.stream[1]].id, 0xab);
    l = &trace.launches.v[trace.kernels.launch[2]];
    assert_int_equal(l->graph, 1);
    assert_int_equal(l->grid[0], 0);
    assert_int_equal(trace.streams.v[trace.kernels.stream[2]].id, 0x20);
    assert_string_equal(trace_str(&trace, trace.regions.name[trace.kernels.call[2]]),
                        "hipGraphLaunch");
    assert_int_equal(trace.regions.n, 4);
    assert_int_equal(trace.processes.n, 1);
    assert_int_equal(trace.processes.v[0].pid, 70);
    assert_int_equal(trace.threads.n, 2);
    assert_int_equal(trace.gpus.n, 1);
    assert_int_equal(trace.gpus.v[0].node_id, 2);
    assert_int_equal(trace.gpus.v[0].vendor, VENDOR_AMD);
}

static void kernels_have_calls_grids_and_streams(void **state)
{
    (void)state;
    make(sample);
    assert_true(load_from(path));
    assert_int_equal(trace.files.v[0].format, TRACE_RPD);
    assert_string_equal(trace.files.v[0].schema_version, "2");
    check_sample();
    trace_release(&trace);
}

static void copies_have_directions_and_sizes(void **state)
{
    (void)state;
    make(sample);
    assert_true(load_from(path));
    const struct copies *c = &trace.copies;
    assert_int_equal(c->n, 3);
    assert_int_equal(c->kind[0], COPY_H2D);
    assert_int_equal(c->bytes[0], 4096);
    assert_int_equal(c->src_memory[0], MEMORY_PINNED);
    assert_int_equal(c->dst_memory[0], MEMORY_DEVICE);
    assert_int_equal(trace.agents.v[c->src[0]].type, AGENT_CPU);
    assert_int_equal(trace.agents.v[c->dst[0]].type, AGENT_GPU);
    assert_int_equal(c->kind[1], COPY_D2D);
    assert_true(c->bytes[1] == BYTES_UNKNOWN);
    assert_int_equal(c->kind[2], COPY_SET);
    assert_int_equal(c->call[2], NO_INDEX);
    trace_release(&trace);
}

static void markers_and_monitors_are_read(void **state)
{
    (void)state;
    make(sample);
    assert_true(load_from(path));
    assert_int_equal(trace.markers.n, 2);
    assert_string_equal(trace_str(&trace, trace.markers.name[0]), "forward");
    assert_int_equal(trace.markers.domain[0], 0);
    assert_string_equal(trace_str(&trace, trace.markers.name[1]), "aten::add");
    assert_string_equal(trace_str(&trace, trace.markers.domain[1]), "autograd");
    assert_int_equal(trace.telemetry.n, 2);
    assert_true(trace.telemetry.value[1] == 1700.5);
    assert_int_equal(trace.series.v[0].gpu, 0); /* one of each: they are the same */
    assert_string_equal(trace_str(&trace, trace.series.v[0].units), "MHz");
    trace_release(&trace);
}

static void an_unclear_monitor_keeps_its_number(void **state)
{
    (void)state;
    make(sample);
    run_sql_in(path, "INSERT INTO rocpd_monitor VALUES (9,'gpu',3,'sclk',1,2,'5')");
    assert_true(load_from(path));
    assert_int_equal(trace.series.n, 2);
    assert_int_equal(trace.series.v[1].gpu, NO_INDEX);
    assert_string_equal(trace_str(&trace, trace.series.v[1].name), "gpu 3 sclk");
    trace_release(&trace);
}

static void dangling_ids_are_noted(void **state)
{
    (void)state;
    make("INSERT INTO rocpd_api VALUES (1,5,5,10,20,999,1);"
         "INSERT INTO rocpd_op VALUES (1,0,0,0,'',30,40,998,7),(2,-1,0,0,'',50,60,13,7);"
         "INSERT INTO rocpd_api_ops(api_id, op_id) VALUES (77,1),(1,78);"
         "DROP TABLE rocpd_kernelapi");
    assert_true(load_from(path));
    assert_int_equal(trace.kernels.n, 2);
    assert_int_equal(trace.kernels.call[0], NO_INDEX);
    assert_int_equal(trace.streams.v[trace.kernels.stream[1]].gpu, NO_INDEX);
    assert_string_equal(trace_str(&trace, trace.symbols.v[trace.kernels.symbol[0]].name),
                        "(unknown kernel)");
    assert_true(trace.notes.n >= 4);
    trace_release(&trace);
}

static void each_reader_takes_its_own(void **state)
{
    (void)state;
    static const char *const ours[] = {"rocpd_string", "rocpd_op", "rocpd_api", "rocpd_api_ops",
                                       NULL};
    static const char *const theirs[] = {"rocpd_string_0001", "rocpd_info_process_0001",
                                         "rocpd_kernel_dispatch_0001", NULL};
    static const char *const neither[] = {"rocpd_op", "other", NULL};
    struct probe p = {.path = "x", .head = "", .is_sqlite = true, .tables = ours};
    assert_true(format_rpd.detect(&p));
    assert_false(format_rocpd.detect(&p));
    p.tables = theirs;
    assert_false(format_rpd.detect(&p));
    assert_true(format_rocpd.detect(&p));
    p.tables = neither;
    assert_false(format_rpd.detect(&p));
    assert_false(format_rocpd.detect(&p));
}

/* ---- compressed ---- */

struct bytes {
    unsigned char *data;
    size_t n;
};

static struct bytes slurp(const char *file)
{
    struct mapping m;
    assert_true(map_file(&m, file, &error));
    struct bytes b = {malloc(m.size), m.size};
    assert_non_null(b.data);
    memcpy(b.data, m.data, m.size);
    unmap_file(&m);
    return b;
}

static void spit(const void *data, size_t n)
{
    FILE *f = fopen(packed, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static struct bytes gzipped(const void *data, size_t n)
{
    struct bytes b = {malloc(n + 1024), n + 1024};
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)data, .avail_in = (uInt)n};
    assert_non_null(b.data);
    z.next_out = b.data;
    z.avail_out = (uInt)b.n;
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    b.n = z.total_out;
    deflateEnd(&z);
    return b;
}

/* Only the two files of the test are there: nothing was left behind. */
static void folder_is_clean(void)
{
    struct fs_list list = {0};
    struct arena a;
    arena_init(&a);
    assert_true(fs_list(&list, dir, &a, &error));
    assert_int_equal(list.n, 2);
    arena_release(&a);
}

static void compressed_databases_are_read(void **state)
{
    (void)state;
    make(sample);
    struct bytes raw = slurp(path), z = gzipped(raw.data, raw.n);
    spit(z.data, z.n);
    assert_true(load_from(packed));
    check_sample();
    assert_string_equal(trace.files.v[0].path, packed);
    trace_release(&trace);
    folder_is_clean();
#ifdef HAVE_ZSTD
    size_t n = ZSTD_compress(z.data, z.n, raw.data, raw.n, 3);
    if (!ZSTD_isError(n)) {
        spit(z.data, n);
        assert_true(load_from(packed));
        check_sample();
        trace_release(&trace);
    }
#endif
    free(raw.data);
    free(z.data);
}

static void cut_and_odd_archives_are_errors(void **state)
{
    (void)state;
    make(sample);
    struct bytes raw = slurp(path), z = gzipped(raw.data, raw.n);
    static const double shares[] = {0.01, 0.3, 0.7, 0.99};
    for (size_t i = 0; i < 4; i++) {
        spit(z.data, (size_t)((double)z.n * shares[i]));
        assert_false(load_from(packed));
        assert_null(strchr(error.text, '\n'));
        trace_release(&trace);
    }
    struct unpacked u;
    struct bytes text = gzipped("hello", 5);
    spit(text.data, text.n);
    assert_false(unpack_open(&u, packed, UNPACK_ALL, &error));
    assert_int_equal(error.code, GS_E_FORMAT);
    assert_false(load_from(packed));
    trace_release(&trace);
    folder_is_clean();
    free(raw.data);
    free(z.data);
    free(text.data);
}

/* A header that says more than there can be is refused before anything is written. */
static void a_huge_claim_is_refused(void **state)
{
    (void)state;
    make(sample);
    struct bytes raw = slurp(path);
    memset(raw.data + 28, 0x7f, 4); /* number of pages */
    struct bytes z = gzipped(raw.data, raw.n);
    spit(z.data, z.n);
    struct unpacked u;
    assert_false(unpack_open(&u, packed, UNPACK_ALL, &error));
    assert_non_null(strstr(error.text, "unpack"));
    folder_is_clean();
    free(raw.data);
    free(z.data);
}

static void no_room_for_temporary_files_is_an_error(void **state)
{
    (void)state;
    make(sample);
    struct bytes raw = slurp(path), z = gzipped(raw.data, raw.n);
    spit(z.data, z.n);
    setenv("TMPDIR", "/does/not/exist", 1);
    assert_false(load_from(packed));
    assert_int_equal(error.code, GS_E_IO);
    assert_non_null(strstr(error.text, "/does/not/exist"));
    setenv("TMPDIR", dir, 1);
    trace_release(&trace);
    free(raw.data);
    free(z.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(kernels_have_calls_grids_and_streams),
        unit_test(copies_have_directions_and_sizes),
        unit_test(markers_and_monitors_are_read),
        unit_test(an_unclear_monitor_keeps_its_number),
        unit_test(dangling_ids_are_noted),
        unit_test(each_reader_takes_its_own),
        unit_test(compressed_databases_are_read),
        unit_test(cut_and_odd_archives_are_errors),
        unit_test(a_huge_claim_is_refused),
        unit_test(no_room_for_temporary_files_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_dir, scratch_remove);
}
