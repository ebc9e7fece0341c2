#include "field/field.h"
#include "report/source_report.h"

static const struct field kernel_fields[] = {
    FIELD(struct source_kernel, name, FIELD_TEXT, "kernel", NO_UNIT,
          "name as written, without namespace and template arguments"),
    FIELD(struct source_kernel, file, FIELD_TEXT, "file", NO_UNIT,
          "file of the definition, or of the first launch when none is in the folder"),
    FIELD(struct source_kernel, line, FIELD_U32, "line", NO_UNIT, "its line, from 1"),
    FIELD(struct source_kernel, launch_type, FIELD_TEXT, "found by", NO_UNIT,
          "id of the pattern that found it"),
    FIELD(struct source_kernel, defined, FIELD_BOOL, "defined", NO_UNIT,
          "whether the definition is in the folder"),
    FIELD(struct source_kernel, attributes, FIELD_TEXT, "attributes", NO_UNIT,
          "launch bounds and other attributes of the definition"),
    FIELD(struct source_kernel, launches, FIELD_U32, "launch sites", NO_UNIT,
          "places that launch it"),
    FIELD(struct source_kernel, loop_launches, FIELD_U32, "in loops", NO_UNIT,
          "of them inside a loop"),
    FIELD(struct source_kernel, launch_file, FIELD_TEXT, "launched in", NO_UNIT,
          "file of the first launch"),
    FIELD(struct source_kernel, launch_line, FIELD_U32, "at line", NO_UNIT,
          "line of the first launch; 0: none"),
    FIELD(struct source_kernel, configuration, FIELD_TEXT, "configuration", NO_UNIT,
          "grid, block, memory and stream of the first launch, as written"),
};
const struct fields source_kernel_fields =
    FIELDS("kernels", "kernels of the source", struct source_kernel, kernel_fields);

static const struct field fact_fields[] = {
    FIELD(struct source_fact_row, kind, FIELD_TEXT, "kind", NO_UNIT,
          "kernel, launch, sync, copy, memset, alloc, free, stream, event, graph, library, "
          "collective, marker, mpi, kernel_name or framework"),
    FIELD(struct source_fact_row, name, FIELD_TEXT, "name", NO_UNIT,
          "the call; of kernels and launches, the kernel"),
    FIELD(struct source_fact_row, pattern_id, FIELD_TEXT, "pattern", NO_UNIT,
          "pattern it counts for"),
    FIELD(struct source_fact_row, file, FIELD_TEXT, "file", NO_UNIT, "below the folder scanned"),
    FIELD(struct source_fact_row, line, FIELD_U32, "line", NO_UNIT, "from 1"),
    FIELD(struct source_fact_row, function, FIELD_TEXT, "function", NO_UNIT,
          "function or macro around it"),
    FIELD(struct source_fact_row, in_loop, FIELD_BOOL, "in loop", NO_UNIT,
          "whether a loop of the same function is around it"),
    FIELD(struct source_fact_row, loop_depth, FIELD_U32, "loops", NO_UNIT,
          "loops around it inside its function"),
    FIELD(struct source_fact_row, in_macro, FIELD_BOOL, "in macro", NO_UNIT,
          "in the body of a macro: happens where the macro is used"),
    FIELD(struct source_fact_row, detail, FIELD_TEXT, "detail", NO_UNIT,
          "launch configuration, attributes or arguments, as written"),
};
const struct fields source_fact_fields =
    FIELDS("facts", "places of interest, by file and line", struct source_fact_row, fact_fields);

static const struct field file_fields[] = {
    FIELD(struct source_file_row, path, FIELD_TEXT, "file", NO_UNIT, "below the folder scanned"),
    FIELD(struct source_file_row, language, FIELD_TEXT, "language", NO_UNIT, "how it was read"),
    FIELD(struct source_file_row, bytes, FIELD_U64, "size", IN_BYTES, "its size"),
    FIELD(struct source_file_row, lines, FIELD_U64, "lines", NO_UNIT, "its lines"),
};
const struct fields source_file_fields =
    FIELDS("files", "files that were read", struct source_file_row, file_fields);

static const struct field place_fields[] = {
    FIELD(struct source_place_row, severity, FIELD_ENUM, "severity", NO_UNIT,
          "high, medium, low or info", .words = source_severity_words),
    FIELD(struct source_place_row, description, FIELD_TEXT, "description", NO_UNIT, "what it is"),
    FIELD(struct source_place_row, count, FIELD_U32, "count", NO_UNIT, "places"),
    FIELD(struct source_place_row, in_loop, FIELD_U32, "in loops", NO_UNIT,
          "of them inside a loop"),
    FIELD(struct source_place_row, first, FIELD_TEXT, "first place", NO_UNIT,
          "the first of them, one in a loop before others"),
};
const struct fields source_place_fields =
    FIELDS("source_places", "what the code does, most serious first", struct source_place_row,
           place_fields);

static const struct field skip_fields[] = {
    FIELD(struct source_skip, path, FIELD_TEXT, "file", NO_UNIT, "below the folder scanned"),
    FIELD(struct source_skip, reason, FIELD_TEXT, "reason", NO_UNIT, "why it was left out"),
};
const struct fields source_skip_fields =
    FIELDS("skipped", "files that were left out", struct source_skip, skip_fields);

static const struct field link_fields[] = {
    FIELD(struct source_link, rank, FIELD_U32, "#", NO_UNIT, "rank among the hotspots"),
    FIELD(struct source_link, kernel, FIELD_TEXT, "kernel", NO_UNIT, "short name in the trace"),
    FIELD(struct source_link, definition, FIELD_TEXT, "defined at", NO_UNIT,
          "file and line; null: not in the folder"),
    FIELD(struct source_link, launch, FIELD_TEXT, "launched at", NO_UNIT,
          "file and line of the first launch; null: none"),
    FIELD(struct source_link, launches, FIELD_U32, "launch sites", NO_UNIT,
          "places that launch it"),
    FIELD(struct source_link, loop_launches, FIELD_U32, "in loops", NO_UNIT,
          "of them inside a loop"),
    FIELD(struct source_link, candidates, FIELD_U32, "candidates", NO_UNIT,
          "kernels of that name; above 1 the link may be wrong"),
    FIELD(struct source_link, configuration, FIELD_TEXT, "configuration", NO_UNIT,
          "of the first launch, as written"),
};
const struct fields source_link_fields =
    FIELDS("kernel_links", "hot kernels and their lines", struct source_link, link_fields);

static const struct field call_fields[] = {
    FIELD(struct source_call, name, FIELD_TEXT, "call", NO_UNIT,
          "host call in the trace that the source makes by the same name"),
    FIELD(struct source_call, calls, FIELD_U64, "calls", NO_UNIT, "in the trace"),
    FIELD(struct source_call, total_ns, FIELD_I64, "total", IN_NS,
          "in the trace, calls inside it counted"),
    FIELD(struct source_call, sites, FIELD_U32, "sites", NO_UNIT, "places in the source"),
    FIELD(struct source_call, loop_sites, FIELD_U32, "in loops", NO_UNIT, "of them inside a loop"),
    FIELD(struct source_call, places, FIELD_TEXT, "where", NO_UNIT,
          "the first of them, those in loops before others"),
};
const struct fields source_call_fields =
    FIELDS("call_links", "host calls and their lines", struct source_call, call_fields);

struct source_fact_row source_fact_row(const struct source_scan *s, const struct source_fact *f)
{
    return (struct source_fact_row){.kind = fact_kind_name(f->kind),
                                    .name = f->name,
                                    .pattern_id = source_pattern_name(f->pattern),
                                    .file = s->files.v[f->file].path,
                                    .function = f->function,
                                    .detail = f->detail,
                                    .line = f->line,
                                    .loop_depth = f->loop_depth,
                                    .in_loop = f->loop_depth > 0,
                                    .in_macro = f->in_macro};
}

struct source_file_row source_file_row(const struct source_file *f)
{
    return (struct source_file_row){f->path, source_language_name(f->language), f->bytes, f->lines};
}
