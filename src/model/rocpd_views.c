/*
 * Views of rocpd: the suffix-less ones over all sets of a file, and the data views that AMD's
 * tools offer, with their columns in their order. Joins are on (id, guid).
 */
#include <stdio.h>
#include <string.h>

#include "model/rocpd_schema.h"

/*
 * Shorthand: {category} is the category's text of event E; [A table X.column] joins a table as A on
 * A.id = X.column and the same guid as X ([A table X.column Y]: as Y); [?A ...] is a left join. A
 * line that starts with '@' belongs to schema 3.0.5 only.
 */
const struct rocpd_view rocpd_views[] = {
    {"code_objects",
     "SELECT O.id, O.guid, O.nid, P.pid, A.absolute_index AS agent_abs_index, O.uri, "
     "O.load_base, O.load_size, O.load_delta, O.storage_type AS storage_type_str, "
     "json_extract(O.extdata, '$.size') AS code_object_size, json_extract(O.extdata, "
     "'$.storage_type') AS storage_type, json_extract(O.extdata, '$.memory_base') AS "
     "memory_base, json_extract(O.extdata, '$.memory_size') AS memory_size FROM "
     "rocpd_info_code_object O [A info_agent O.agent_id] [P info_process O.pid]"},
    {"kernel_symbols",
     "SELECT S.id, S.guid, S.nid, P.pid, S.code_object_id, S.kernel_name, S.display_name, "
     "S.kernel_object, S.kernarg_segment_size, S.kernarg_segment_alignment, "
     "S.group_segment_size, S.private_segment_size, S.sgpr_count, S.arch_vgpr_count, "
     "S.accum_vgpr_count, json_extract(S.extdata, '$.size') AS kernel_symbol_size, "
     "json_extract(S.extdata, '$.kernel_id') AS kernel_id, json_extract(S.extdata, "
     "'$.kernel_code_entry_byte_offset') AS kernel_code_entry_byte_offset, "
     "json_extract(S.extdata, '$.formatted_kernel_name') AS formatted_kernel_name, "
     "json_extract(S.extdata, '$.demangled_kernel_name') AS demangled_kernel_name, "
     "json_extract(S.extdata, '$.truncated_kernel_name') AS truncated_kernel_name, "
     "json_extract(S.extdata, '$.kernel_address.handle') AS kernel_address FROM "
     "rocpd_info_kernel_symbol S [P info_process S.pid]"},
    {"processes",
     "SELECT N.id AS nid, N.machine_id, N.system_name, N.hostname, N.release AS "
     "system_release, N.version AS system_version, P.guid, P.ppid, P.pid, P.init, P.start, "
     "P.end, P.fini, P.command FROM rocpd_info_process P [N info_node P.nid]"},
    {"threads",
     "SELECT N.id AS nid, N.machine_id, N.system_name, N.hostname, N.release AS "
     "system_release, N.version AS system_version, P.guid, P.ppid, P.pid, T.tid, T.start, "
     "T.end, T.name FROM rocpd_info_thread T [P info_process T.pid] [N info_node T.nid]"},
    {"regions",
     "SELECT R.id, R.guid, {category} AS category, S.string AS name, R.nid, P.pid, T.tid, "
     "R.start, R.end, (R.end - R.start) AS duration, R.event_id, E.stack_id, "
     "E.parent_stack_id, E.correlation_id AS corr_id, E.extdata, E.call_stack, E.line_info "
     "FROM rocpd_region R [E event R.event_id] [S string R.name_id] [P info_process R.pid] "
     "[T info_thread R.tid]"},
    {"region_args",
     "SELECT R.id, R.guid, R.nid, P.pid, A.type, A.name, A.value FROM rocpd_region R "
     "[E event R.event_id] JOIN rocpd_arg A ON A.event_id = E.id AND A.guid = R.guid "
     "[P info_process R.pid]"},
    {"samples",
     "SELECT R.id, R.guid, {category} AS category, (SELECT n.string FROM rocpd_string n "
     "WHERE n.id = T.name_id AND n.guid = T.guid) AS name, T.nid, P.pid, TH.tid, "
     "R.timestamp, R.event_id, E.stack_id, E.parent_stack_id, E.correlation_id AS corr_id, "
     "E.extdata, E.call_stack, E.line_info FROM rocpd_sample R [T track R.track_id] "
     "[E event R.event_id] [P info_process T.pid] [TH info_thread T.tid]"},
    {"sample_regions",
     "SELECT id, guid, category, name, nid, pid, tid, timestamp AS start, timestamp AS end, "
     "0 AS duration, event_id, stack_id, parent_stack_id, corr_id, extdata, call_stack, "
     "line_info FROM samples"},
    {"regions_and_samples", "SELECT * FROM regions UNION ALL SELECT * FROM sample_regions"},
    {"kernels",
     "SELECT K.id, K.guid, T.tid, {category} AS category, R.string AS region, S.display_name "
     "AS name, K.nid, P.pid, A.absolute_index AS agent_abs_index, A.logical_index AS "
     "agent_log_index, A.type_index AS agent_type_index, A.type AS agent_type, "
     "S.code_object_id, K.kernel_id, K.dispatch_id, K.stream_id, K.queue_id, Q.name AS "
     "queue, ST.name AS stream, K.start, K.end, (K.end - K.start) AS duration, K.grid_size_x "
     "AS grid_x, K.grid_size_y AS grid_y, K.grid_size_z AS grid_z, K.workgroup_size_x AS "
     "workgroup_x, K.workgroup_size_y AS workgroup_y, K.workgroup_size_z AS workgroup_z, "
     "K.group_segment_size AS lds_size, K.private_segment_size AS scratch_size, "
     "S.arch_vgpr_count AS vgpr_count, S.accum_vgpr_count, S.sgpr_count, "
     "S.group_segment_size AS static_lds_size, S.private_segment_size AS "
     "static_scratch_size, E.stack_id, E.parent_stack_id, E.correlation_id AS corr_id\n"
     "@, K.graph_exec_id, K.graph_node_id, K.event_id\n"
     "FROM rocpd_kernel_dispatch K [A info_agent K.agent_id] [E event K.event_id] "
     "[R string K.region_name_id] [S info_kernel_symbol K.kernel_id] "
     "[?ST info_stream K.stream_id] [?Q info_queue K.queue_id] [P info_process Q.pid] "
     "[T info_thread K.tid]"},
    {"pmc_info",
     "SELECT I.id, I.guid, I.nid, P.pid, A.absolute_index AS agent_abs_index, I.is_constant, "
     "I.is_derived, I.name, I.description, I.block, I.expression FROM rocpd_info_pmc I "
     "[A info_agent I.agent_id] [P info_process I.pid]"},
    {"pmc_events",
     "SELECT V.id, V.guid, V.pmc_id, V.event_id, {category} AS category, (SELECT "
     "s.display_name FROM rocpd_info_kernel_symbol s WHERE s.id = K.kernel_id AND s.guid = "
     "K.guid) AS name, K.nid, P.pid, K.dispatch_id, K.start, K.end, (K.end - K.start) AS "
     "duration, I.name AS counter_name, V.value AS counter_value FROM rocpd_pmc_event V "
     "[I info_pmc V.pmc_id] [E event V.event_id] JOIN rocpd_kernel_dispatch K ON K.event_id "
     "= E.id AND K.guid = E.guid [P info_process K.pid]"},
    {"events_args",
     "SELECT E.id AS event_id, {category} AS category, E.stack_id, E.parent_stack_id, "
     "E.correlation_id, A.position AS arg_position, A.type AS arg_type, A.name AS arg_name, "
     "A.value AS arg_value, E.call_stack, E.line_info, A.extdata FROM rocpd_event E JOIN "
     "rocpd_arg A ON A.event_id = E.id AND A.guid = E.guid"},
    {"stream_args",
     "SELECT A.id AS argument_id, A.event_id, A.position AS arg_position, A.type AS "
     "arg_type, A.value AS arg_value, json_extract(A.extdata, '$.stream_id') AS stream_id, "
     "S.nid, P.pid, S.name AS stream_name, A.extdata FROM rocpd_arg A JOIN rocpd_info_stream "
     "S ON S.id = json_extract(A.extdata, '$.stream_id') AND S.guid = A.guid "
     "[P info_process S.pid] WHERE A.name = 'stream'"},
    {"memory_copies",
     "SELECT M.id, M.guid, {category} AS category, M.nid, P.pid, T.tid, M.start, M.end, "
     "(M.end - M.start) AS duration, S.string AS name, R.string AS region_name, M.stream_id, "
     "M.queue_id, ST.name AS stream_name, Q.name AS queue_name, M.size, D.name AS "
     "dst_device, D.absolute_index AS dst_agent_abs_index, D.logical_index AS "
     "dst_agent_log_index, D.type_index AS dst_agent_type_index, D.type AS dst_agent_type, "
     "M.dst_address, F.name AS src_device, F.absolute_index AS src_agent_abs_index, "
     "F.logical_index AS src_agent_log_index, F.type_index AS src_agent_type_index, F.type "
     "AS src_agent_type, M.src_address, E.stack_id, E.parent_stack_id, E.correlation_id AS "
     "corr_id FROM rocpd_memory_copy M [S string M.name_id] [?R string M.region_name_id] "
     "[D info_agent M.dst_agent_id] [F info_agent M.src_agent_id] [?Q info_queue M.queue_id] "
     "[?ST info_stream M.stream_id] [E event M.event_id] [P info_process M.pid] "
     "[T info_thread M.tid]"},
    {"memory_allocations",
     "SELECT M.id, M.guid, {category} AS category, M.nid, P.pid, T.tid, M.start, M.end, "
     "(M.end - M.start) AS duration, M.type, M.level, A.name AS agent_name, A.absolute_index "
     "AS agent_abs_index, A.logical_index AS agent_log_index, A.type_index AS "
     "agent_type_index, A.type AS agent_type, M.address, M.size, M.queue_id, Q.name AS "
     "queue_name, M.stream_id, ST.name AS stream_name, E.stack_id, E.parent_stack_id, "
     "E.correlation_id AS corr_id FROM rocpd_memory_allocate M [?A info_agent M.agent_id] "
     "[?Q info_queue M.queue_id] [?ST info_stream M.stream_id] [E event M.event_id] "
     "[P info_process M.pid] [T info_thread M.tid P]"},
    {"scratch_memory",
     "SELECT M.id, M.guid, M.nid, P.pid, M.type AS operation, A.name AS agent_name, "
     "A.absolute_index AS agent_abs_index, A.logical_index AS agent_log_index, A.type_index "
     "AS agent_type_index, A.type AS agent_type, M.queue_id, T.tid, json_extract(M.extdata, "
     "'$.flags') AS alloc_flags, M.start, M.end, (M.end - M.start) AS duration, M.size, "
     "M.address, E.correlation_id, E.stack_id, E.parent_stack_id, E.correlation_id AS "
     "corr_id, {category} AS category, E.extdata AS event_extdata FROM rocpd_memory_allocate "
     "M [?A info_agent M.agent_id] [E event M.event_id] [P info_process M.pid] "
     "[T info_thread M.tid] WHERE M.level = 'SCRATCH' ORDER BY M.start"},
    {"counters_collection",
     "SELECT MIN(V.id) AS id, V.guid, K.dispatch_id, K.kernel_id, E.id AS event_id, "
     "E.correlation_id, E.stack_id, E.parent_stack_id, P.pid, T.tid, K.agent_id, "
     "A.absolute_index AS agent_abs_index, A.logical_index AS agent_log_index, A.type_index "
     "AS agent_type_index, A.type AS agent_type, K.queue_id, K.grid_size_x, K.grid_size_y, "
     "K.grid_size_z, (K.grid_size_x * K.grid_size_y * K.grid_size_z) AS grid_size, "
     "S.display_name AS kernel_name, (SELECT r.string FROM rocpd_string r WHERE r.id = "
     "K.region_name_id AND r.guid = K.guid) AS kernel_region, K.workgroup_size_x, "
     "K.workgroup_size_y, K.workgroup_size_z, (K.workgroup_size_x * K.workgroup_size_y * "
     "K.workgroup_size_z) AS workgroup_size, K.group_segment_size AS lds_block_size, "
     "K.private_segment_size AS scratch_size, S.arch_vgpr_count AS vgpr_count, "
     "S.accum_vgpr_count, S.sgpr_count, I.name AS counter_name, I.symbol AS counter_symbol, "
     "I.component, I.description, I.block, I.expression, I.value_type, I.id AS counter_id, "
     "SUM(V.value) AS value, K.start, K.end, I.is_constant, I.is_derived, (K.end - K.start) "
     "AS duration, {category} AS category, K.nid, E.extdata, S.code_object_id FROM "
     "rocpd_pmc_event V [I info_pmc V.pmc_id] [E event V.event_id] JOIN "
     "rocpd_kernel_dispatch K ON K.event_id = E.id AND K.guid = E.guid "
     "[A info_agent K.agent_id] [S info_kernel_symbol K.kernel_id] [P info_process K.pid] "
     "[T info_thread K.tid]\n"
     "@ WHERE V.sample_id IS NULL\n"
     " GROUP BY V.guid, K.dispatch_id, I.name, K.agent_id"},
    {"top_kernels",
     "SELECT S.display_name AS name, COUNT(K.kernel_id) AS total_calls, SUM(K.end - K.start) "
     "/ 1000.0 AS total_duration, (SUM(K.end - K.start) / COUNT(K.kernel_id)) / 1000.0 AS "
     "average, SUM(K.end - K.start) * 100.0 / (SELECT SUM(a.end - a.start) FROM "
     "rocpd_kernel_dispatch a) AS percentage FROM rocpd_kernel_dispatch K "
     "[S info_kernel_symbol K.kernel_id] GROUP BY S.display_name ORDER BY total_duration "
     "DESC"},
    {"busy",
     "SELECT A.agent_id, AG.type, A.GpuTime, W.WallTime, A.GpuTime * 1.0 / W.WallTime AS "
     "Busy FROM (SELECT agent_id, guid, SUM(d) AS GpuTime FROM (SELECT agent_id, guid, (end "
     "- start) AS d FROM rocpd_kernel_dispatch UNION ALL SELECT dst_agent_id, guid, (end - "
     "start) FROM rocpd_memory_copy) GROUP BY agent_id, guid) A JOIN (SELECT MAX(end) - "
     "MIN(start) AS WallTime FROM (SELECT start, end FROM rocpd_kernel_dispatch UNION ALL "
     "SELECT start, end FROM rocpd_memory_copy)) W [AG info_agent A.agent_id]"},
    {"top",
     "SELECT name, COUNT(*) AS total_calls, SUM(d) / 1000.0 AS total_duration, (SUM(d) / "
     "COUNT(*)) / 1000.0 AS average, SUM(d) * 100.0 / SUM(SUM(d)) OVER () AS percentage FROM "
     "(SELECT S.display_name AS name, (K.end - K.start) AS d FROM rocpd_kernel_dispatch K "
     "[S info_kernel_symbol K.kernel_id] UNION ALL SELECT S.string, (M.end - M.start) FROM "
     "rocpd_memory_copy M [S string M.name_id] UNION ALL SELECT S.string, (R.end - R.start) "
     "FROM rocpd_region R [S string R.name_id]) GROUP BY name ORDER BY total_duration DESC"},
    {"@graph_launches",
     "SELECT G.id, G.guid, G.nid, G.pid, G.tid, G.agent_id, G.queue_id, G.start, G.end, "
     "(G.end - G.start) AS duration, G.graph_exec_id, G.kernel_dispatch_count FROM "
     "rocpd_graph_launch G"},
    {NULL, NULL},
};

/* Writes the join that stands between brackets at p; returns its end. */
static const char *put_join(struct str *out, const char *p)
{
    char as[8], table[32], column[32], same[8] = "";
    bool left = p[1] == '?';
    if (sscanf(p + 1 + left, "%7s %31s %31[^] ] %7[A-Z]", as, table, column, same) < 4)
        snprintf(same, sizeof(same), "%.*s", (int)strcspn(column, "."), column);
    str_printf(out, "%sJOIN rocpd_%s %s ON %s.id = %s AND %s.guid = %s.guid", left ? "LEFT " : "",
               table, as, as, column, as, same);
    return strchr(p, ']');
}

void rocpd_view_sql(struct str *out, const struct rocpd_view *v, bool v305)
{
    static const char category[] = "{category}";
    str_printf(out, "CREATE VIEW \"%s\" AS ", rocpd_plain_name(v->name));
    for (const char *sql = v->sql; *sql; sql++) {
        if (*sql == '[') {
            sql = put_join(out, sql);
        } else if (!strncmp(sql, category, strlen(category))) {
            str_puts(out, "(SELECT c.string FROM rocpd_string c WHERE c.id = E.category_id AND "
                          "c.guid = E.guid)");
            sql += strlen(category) - 1;
        } else if (*sql == '@' && !v305) {
            sql += strcspn(sql, "\n");
            if (!*sql)
                break;
        } else if (*sql != '@') {
            str_putc(out, *sql);
        }
    }
}

/* rocpd_x over the sets of the file: one for most files, several in a merged one. */
/* SQLite takes so many terms at once: more are unions of unions. */
void rocpd_union_sql(struct str *out, const char *table, const char *const *suffixes, size_t n)
{
    enum { MOST_TERMS = 500 };
    bool deep = n > MOST_TERMS;
    str_printf(out, "CREATE VIEW rocpd_%s AS ", table);
    for (size_t i = 0; i < n; i++) {
        if (deep && i % MOST_TERMS == 0)
            str_puts(out, i ? ") UNION ALL SELECT * FROM (" : "SELECT * FROM (");
        str_printf(out, "%sSELECT * FROM \"rocpd_%s%s\"",
                   i && !(deep && i % MOST_TERMS == 0) ? " UNION ALL " : "", table, suffixes[i]);
    }
    str_puts(out, deep ? ")" : "");
}
