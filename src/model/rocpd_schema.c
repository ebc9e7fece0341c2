/* Tables of rocpd; the views are in rocpd_views.c. */
#include "model/rocpd_schema.h"

#include <string.h>

#define ID "\"id\" INTEGER NOT NULL PRIMARY KEY,\n\"guid\" TEXT DEFAULT '{g}' NOT NULL,\n"
#define EXT "\"extdata\" JSONB DEFAULT '{}' NOT NULL"
#define REF(col, table)                                                                            \
    ",\nFOREIGN KEY (" #col ") REFERENCES \"rocpd_" #table "{u}\" (\"id\") ON UPDATE CASCADE"
#define NID "\"nid\" INTEGER NOT NULL,\n"
#define NID_PID NID "\"pid\" INTEGER NOT NULL,\n"
#define FK_NID REF(nid, info_node)
#define FK_NID_PID FK_NID REF(pid, info_process)
#define TIMES "\"start\" BIGINT NOT NULL,\n\"end\" BIGINT NOT NULL,\n"

const struct rocpd_table rocpd_tables[] = {
    {"metadata", "\"id\" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,\n"
                 "\"tag\" TEXT NOT NULL,\n\"value\" TEXT NOT NULL"},
    {"string", ID "\"string\" TEXT NOT NULL UNIQUE ON CONFLICT ABORT"},
    {"info_node",
     ID "\"hash\" BIGINT NOT NULL UNIQUE,\n\"machine_id\" TEXT NOT NULL UNIQUE,\n"
        "\"system_name\" TEXT,\n\"hostname\" TEXT,\n\"release\" TEXT,\n\"version\" TEXT,\n"
        "\"hardware_name\" TEXT,\n\"domain_name\" TEXT"},
    {"info_process",
     ID NID "\"ppid\" INTEGER,\n\"pid\" INTEGER NOT NULL,\n\"init\" BIGINT,\n\"fini\" BIGINT,\n"
            "\"start\" BIGINT,\n\"end\" BIGINT,\n\"command\" TEXT,\n"
            "\"environment\" JSONB DEFAULT '{}' NOT NULL,\n" EXT FK_NID},
    {"info_thread", ID NID
     "\"ppid\" INTEGER,\n\"pid\" INTEGER NOT NULL,\n\"tid\" INTEGER NOT NULL,\n\"name\" TEXT,\n"
     "\"start\" BIGINT,\n\"end\" BIGINT,\n" EXT FK_NID_PID},
    {"info_agent",
     ID NID_PID "\"type\" TEXT CHECK (\"type\" IN ('CPU', 'GPU')),\n"
                "\"absolute_index\" INTEGER,\n\"logical_index\" INTEGER,\n\"type_index\" INTEGER,\n"
                "\"uuid\" INTEGER,\n\"name\" TEXT,\n\"model_name\" TEXT,\n\"vendor_name\" TEXT,\n"
                "\"product_name\" TEXT,\n\"user_name\" TEXT,\n" EXT FK_NID_PID},
    {"info_queue", ID NID_PID "\"name\" TEXT,\n" EXT FK_NID_PID},
    {"info_stream", ID NID_PID "\"name\" TEXT,\n" EXT FK_NID_PID},
    {"info_pmc", ID NID_PID
     "\"agent_id\" INTEGER,\n\"target_arch\" TEXT CHECK (\"target_arch\" IN ('CPU', 'GPU')),\n"
     "\"event_code\" INT,\n\"instance_id\" INTEGER,\n\"name\" TEXT NOT NULL,\n"
     "\"symbol\" TEXT NOT NULL,\n\"description\" TEXT,\n\"long_description\" TEXT DEFAULT '',\n"
     "\"component\" TEXT,\n\"units\" TEXT DEFAULT '',\n"
     "\"value_type\" TEXT CHECK (\"value_type\" IN ('ABS', 'ACCUM', 'RELATIVE')),\n"
     "\"block\" TEXT,\n\"expression\" TEXT,\n\"is_constant\" INTEGER,\n\"is_derived\" INTEGER,\n"
     "@\"spm_support\" INTEGER,\n" EXT FK_NID_PID REF(agent_id, info_agent)},
    {"info_code_object", ID NID_PID
     "\"agent_id\" INTEGER,\n\"uri\" TEXT,\n\"load_base\" BIGINT,\n\"load_size\" BIGINT,\n"
     "\"load_delta\" BIGINT,\n\"storage_type\" TEXT CHECK (\"storage_type\" IN ('FILE', "
     "'MEMORY')),\n" EXT FK_NID_PID REF(agent_id, info_agent)},
    {"info_kernel_symbol", ID NID_PID
     "\"code_object_id\" INTEGER NOT NULL,\n\"kernel_name\" TEXT,\n\"display_name\" TEXT,\n"
     "\"kernel_object\" INTEGER,\n\"kernarg_segment_size\" INTEGER,\n"
     "\"kernarg_segment_alignment\" INTEGER,\n\"group_segment_size\" INTEGER,\n"
     "\"private_segment_size\" INTEGER,\n\"sgpr_count\" INTEGER,\n\"arch_vgpr_count\" INTEGER,\n"
     "\"accum_vgpr_count\" INTEGER,\n" EXT FK_NID_PID REF(code_object_id, info_code_object)},
    {"track", ID NID "\"pid\" INTEGER,\n\"tid\" INTEGER,\n\"name_id\" INTEGER,\n" EXT FK_NID_PID
                  REF(tid, info_thread) REF(name_id, string)},
    {"event", ID "\"category_id\" INTEGER,\n\"stack_id\" INTEGER,\n\"parent_stack_id\" INTEGER,\n"
                 "\"correlation_id\" INTEGER,\n\"call_stack\" JSONB DEFAULT '{}' NOT NULL,\n"
                 "\"line_info\" JSONB DEFAULT '{}' NOT NULL,\n" EXT REF(category_id, string)},
    {"arg",
     ID "\"event_id\" INTEGER NOT NULL,\n\"position\" INTEGER NOT NULL,\n\"type\" TEXT NOT NULL,\n"
        "\"name\" TEXT NOT NULL,\n\"value\" TEXT,\n" EXT REF(event_id, event)},
    {"pmc_event",
     ID "\"event_id\" INTEGER,\n@\"sample_id\" INTEGER,\n\"pmc_id\" INTEGER NOT NULL,\n"
        "\"value\" REAL DEFAULT 0.0,\n@\"xcc\" INTEGER,\n@\"shader_engine\" INTEGER,\n"
        "@\"instance\" INTEGER,\n@\"shader_array\" INTEGER,\n@\"wgp\" INTEGER,\n"
        "\"extdata\" JSONB DEFAULT '{}'" REF(pmc_id, info_pmc) REF(event_id, event)},
    {"region", ID NID_PID
     "\"tid\" INTEGER NOT NULL,\n" TIMES
     "\"name_id\" INTEGER NOT NULL,\n\"event_id\" INTEGER,\n" EXT FK_NID_PID REF(tid, info_thread)
         REF(name_id, string) REF(event_id, event)},
    {"sample", ID
     "\"track_id\" INTEGER NOT NULL,\n\"timestamp\" BIGINT NOT NULL,\n\"event_id\" INTEGER,\n" EXT
         REF(track_id, track) REF(event_id, event)},
    {"kernel_dispatch", ID NID_PID
     "\"tid\" INTEGER,\n\"agent_id\" INTEGER NOT NULL,\n\"kernel_id\" INTEGER NOT NULL,\n"
     "\"dispatch_id\" INTEGER NOT NULL,\n\"queue_id\" INTEGER NOT NULL,\n"
     "\"stream_id\" INTEGER NOT NULL,\n" TIMES
     "\"private_segment_size\" INTEGER,\n\"group_segment_size\" INTEGER,\n"
     "\"workgroup_size_x\" INTEGER NOT NULL,\n\"workgroup_size_y\" INTEGER NOT NULL,\n"
     "\"workgroup_size_z\" INTEGER NOT NULL,\n\"grid_size_x\" INTEGER NOT NULL,\n"
     "\"grid_size_y\" INTEGER NOT NULL,\n\"grid_size_z\" INTEGER NOT NULL,\n"
     "@\"graph_exec_id\" INTEGER NOT NULL DEFAULT 0,\n"
     "@\"graph_node_id\" INTEGER NOT NULL DEFAULT 0,\n"
     "\"region_name_id\" INTEGER,\n\"event_id\" INTEGER,\n" EXT FK_NID_PID REF(tid, info_thread)
         REF(agent_id, info_agent) REF(kernel_id, info_kernel_symbol) REF(queue_id, info_queue)
             REF(stream_id, info_stream) REF(region_name_id, string) REF(event_id, event)},
    {"memory_copy", ID NID_PID
     "\"tid\" INTEGER,\n" TIMES
     "\"name_id\" INTEGER NOT NULL,\n\"dst_agent_id\" INTEGER,\n\"dst_address\" INTEGER,\n"
     "\"src_agent_id\" INTEGER,\n\"src_address\" INTEGER,\n\"size\" INTEGER NOT NULL,\n"
     "\"queue_id\" INTEGER,\n\"stream_id\" INTEGER,\n"
     "@\"graph_exec_id\" INTEGER NOT NULL DEFAULT 0,\n"
     "@\"graph_node_id\" INTEGER NOT NULL DEFAULT 0,\n"
     "\"region_name_id\" INTEGER,\n\"event_id\" INTEGER,\n" EXT FK_NID_PID REF(tid, info_thread)
         REF(name_id, string) REF(dst_agent_id, info_agent) REF(src_agent_id, info_agent)
             REF(stream_id, info_stream) REF(queue_id, info_queue) REF(region_name_id, string)
                 REF(event_id, event)},
    {"memory_allocate", ID NID_PID
     "\"tid\" INTEGER,\n\"agent_id\" INTEGER,\n"
     "\"type\" TEXT CHECK (\"type\" IN ('ALLOC', 'FREE', 'REALLOC', 'RECLAIM')),\n"
     "\"level\" TEXT CHECK (\"level\" IN ('REAL', 'VIRTUAL', 'SCRATCH')),\n" TIMES
     "\"address\" INTEGER,\n\"size\" INTEGER NOT NULL,\n\"queue_id\" INTEGER,\n"
     "\"stream_id\" INTEGER,\n\"event_id\" INTEGER,\n" EXT FK_NID_PID REF(tid, info_thread)
         REF(agent_id, info_agent) REF(stream_id, info_stream) REF(queue_id, info_queue)
             REF(event_id, event)},
    {"@graph_launch", ID NID_PID
     "\"tid\" INTEGER,\n\"agent_id\" INTEGER,\n\"queue_id\" INTEGER,\n" TIMES
     "\"graph_exec_id\" INTEGER NOT NULL,\n\"kernel_dispatch_count\" INTEGER DEFAULT 0,\n"
     "\"event_id\" INTEGER,\n" EXT FK_NID_PID},
    {"@hip_event", ID NID_PID
     "\"tid\" INTEGER,\n\"agent_id\" INTEGER,\n\"queue_id\" INTEGER,\n"
     "\"source_queue_id\" INTEGER,\n\"stream_id\" INTEGER,\n\"hip_event_handle\" INTEGER,\n" TIMES
     "\"event_id\" INTEGER,\n" EXT FK_NID_PID},
    {NULL, NULL},
};

void rocpd_expand(struct str *out, const char *sql, const char *suffix, const char *guid, bool v305)
{
    str_puts(out, "");
    while (*sql) {
        if (!strncmp(sql, "{u}", 3) || !strncmp(sql, "{g}", 3)) {
            str_puts(out, sql[1] == 'u' ? suffix : guid);
            sql += 3;
        } else if (*sql == '@') {
            sql += v305 ? 1 : strcspn(sql, "\n") + 1;
        } else {
            str_putc(out, *sql++);
        }
    }
}

void rocpd_table_sql(struct str *out, const struct rocpd_table *t, const char *suffix,
                     const char *guid, bool v305)
{
    str_printf(out, "CREATE TABLE \"rocpd_%s%s\" (\n", rocpd_plain_name(t->name), suffix);
    rocpd_expand(out, t->columns, suffix, guid, v305);
    str_puts(out, ")");
}

/* What AUTOINCREMENT would have left behind. */
void rocpd_finish_sql(struct str *out, const char *suffix, bool v305)
{
    for (const struct rocpd_table *t = rocpd_tables + 1; t->name; t++)
        if (rocpd_in_version(t->name, v305))
            str_printf(out,
                       "INSERT INTO sqlite_sequence(name, seq) SELECT 'rocpd_%s%s', max(id) FROM "
                       "\"rocpd_%s%s\" HAVING count(*) > 0;",
                       rocpd_plain_name(t->name), suffix, rocpd_plain_name(t->name), suffix);
}

const char rocpd_autoincrement_sql[] =
    "PRAGMA writable_schema=ON;"
    "UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL PRIMARY KEY,', "
    "'NOT NULL PRIMARY KEY AUTOINCREMENT,') WHERE type = 'table' AND name LIKE 'rocpd%'";
