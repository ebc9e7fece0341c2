/*
 * Kinds of copies and memory. The numbers are CUPTI's and have not changed; where a file brings its
 * own table of names, that is believed. The tables were renamed and misspelt over the years.
 */
#include <string.h>

#include "base/str.h"
#include "ingest/nsys/nsys.h"

static const struct {
    const char *name; /* ends so in every version: CUDA_MEMCPY_KIND_HTOD, CUDA_MEMCPY_OPER_HTOD */
    enum copy_kind kind;
    bool managed;
} copy_kinds[] = {
    /* by number */
    {"_UNKNOWN", COPY_UNKNOWN, false}, {"_HTOD", COPY_H2D, false},    {"_DTOH", COPY_D2H, false},
    {"_HTOA", COPY_H2D, false},        {"_ATOH", COPY_D2H, false},    {"_ATOA", COPY_D2D, false},
    {"_ATOD", COPY_D2D, false},        {"_DTOA", COPY_D2D, false},    {"_DTOD", COPY_D2D, false},
    {"_HTOH", COPY_H2H, false},        {"_PTOP", COPY_P2P, false},    {"_UVM_HTOD", COPY_H2D, true},
    {"_UVM_DTOH", COPY_D2H, true},     {"_UVM_DTOD", COPY_D2D, true},
};

static const struct {
    const char *name;
    enum memory_kind kind;
} memory_kinds[] = {
    {"_PAGEABLE", MEMORY_PAGEABLE},      {"_PINNED", MEMORY_PINNED},
    {"_DEVICE", MEMORY_DEVICE},          {"_ARRAY", MEMORY_DEVICE},
    {"_MANAGED", MEMORY_MANAGED},        {"_DEVICE_STATIC", MEMORY_DEVICE},
    {"_MANAGED_STATIC", MEMORY_MANAGED}, {"_UNKNOWN", MEMORY_UNKNOWN},
};

enum { N_COPY = ARRAY_LEN(copy_kinds), N_MEMORY = ARRAY_LEN(memory_kinds) };

static void put_copy(struct nsys_enums *e, int64_t id, const char *name)
{
    for (size_t i = N_COPY; i-- > 0;) { /* the longest ending first: _UVM_HTOD before _HTOD */
        if (!str_ends(name, copy_kinds[i].name))
            continue;
        e->copy[id] = (uint8_t)copy_kinds[i].kind;
        e->managed[id] = copy_kinds[i].managed;
        return;
    }
}

static void put_memory(struct nsys_enums *e, int64_t id, const char *name)
{
    for (size_t i = N_MEMORY; i-- > 0;) {
        if (!str_ends(name, memory_kinds[i].name))
            continue;
        e->memory[id] = (uint8_t)memory_kinds[i].kind;
        return;
    }
}

static bool read_enum(struct nsys *n, struct nsys_enums *e, const char *table, int64_t most,
                      void (*put)(struct nsys_enums *, int64_t, const char *), struct gs_error *err)
{
    struct db_query q;
    if (!nsys_has_column(n, table, "id") || !nsys_has_column(n, table, "name"))
        return true;
    if (!db_query(&q, n->db, err, "SELECT id, name FROM \"%w\" NOT INDEXED", table))
        return false;
    while (db_next(&q)) {
        int64_t id = sqlite3_column_int64(q.stmt, 0);
        if (id >= 0 && id < most)
            put(e, id, db_text(&q, 1));
    }
    return db_done(&q, err);
}

bool nsys_read_enums(struct nsys *n, struct nsys_enums *e, struct gs_error *err)
{
    *e = (struct nsys_enums){{0}, {0}, {0}};
    for (size_t i = 0; i < N_COPY; i++) {
        e->copy[i] = (uint8_t)copy_kinds[i].kind;
        e->managed[i] = copy_kinds[i].managed;
    }
    for (size_t i = 0; i < N_MEMORY; i++)
        e->memory[i] = (uint8_t)memory_kinds[i].kind;
    return read_enum(n, e, "ENUM_CUDA_MEMCPY_OPER", NSYS_COPY_KINDS, put_copy, err) &&
           read_enum(n, e, "ENUM_CUDA_MEMCPY_KIND", NSYS_COPY_KINDS, put_copy, err) &&
           read_enum(n, e, "ENUM_CUDA_MEM_KIND", NSYS_MEMORY_KINDS, put_memory, err) &&
           read_enum(n, e, "ENUM_CUDA_MEMOPR_MEMORY_KIND", NSYS_MEMORY_KINDS, put_memory, err);
}

enum copy_kind nsys_copy_kind(const struct nsys_enums *e, int64_t kind)
{
    return kind < 0 || kind >= NSYS_COPY_KINDS ? COPY_UNKNOWN : (enum copy_kind)e->copy[kind];
}

enum memory_kind nsys_memory_kind(const struct nsys_enums *e, int64_t kind)
{
    return kind < 0 || kind >= NSYS_MEMORY_KINDS ? MEMORY_UNKNOWN
                                                 : (enum memory_kind)e->memory[kind];
}
