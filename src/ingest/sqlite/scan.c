#include "ingest/sqlite/scan.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>
#include <strings.h>

#include "base/fs.h"
#include "base/parallel.h"
#include "base/str.h"

/*
 * A batch is small, so that its columns stay in the nearest cache; APART keeps them from being a
 * power of two apart, where they would compete for the same few places in it.
 */
enum { BATCH = 256, APART = 8, LEAVES_PER_ITEM = 64, CELLS_AT_ONCE = 128, ABOUT_ROW_BYTES = 90 };

/* Two bytes of pointer and four of cell; a log beside the database may hold some more. */
enum { SMALLEST_ROW = 6, FREE_ROWS = 1000 * 1000 };

/* ---- the table's shape ---- */

struct shape {
    struct db_table *table;
    struct record_plan plan;
    bool present[RECORD_COLS];
    bool keyed; /* the primary key has an index of its own, so that it is not the rowid */
    const char *not_fast;
};

static void note_column(struct shape *sh, const struct scan *s, const struct db_column *col)
{
    if (col->is_computed) { /* as if it were not there: its expression is the file's */
        sh->not_fast = "generated columns";
        return;
    }
    for (size_t c = 0; c < s->n_cols; c++) {
        if (strcasecmp(s->cols[c].name, col->name))
            continue;
        sh->present[c] = true;
        sh->plan.col[c].field = col->position;
        sh->plan.col[c].is_rowid = !sh->keyed && col->is_key;
    }
}

/* INTEGER PRIMARY KEY is the rowid, but not in "INTEGER PRIMARY KEY DESC" and WITHOUT ROWID. */
static bool read_key(struct shape *sh, struct db *db, const struct scan *s, struct gs_error *err)
{
    struct db_query q;
    if (!db_query(&q, db, err, "PRAGMA index_list(%Q)", s->table))
        return false;
    while (db_next(&q))
        sh->keyed |= str_eq(db_text(&q, 3), "pk"); /* origin */
    return db_done(&q, err);
}

/* Binds columns by name; absent optional ones get a column of constants. */
static bool read_shape(struct shape *sh, struct db *db, const struct scan *s, struct gs_error *err)
{
    *sh = (struct shape){.plan.n = s->n_cols};
    for (size_t c = 0; c < s->n_cols; c++) {
        sh->plan.col[c].type = s->cols[c].type;
        sh->plan.col[c].otherwise = s->cols[c].otherwise;
        if (s->cols[c].type == SCAN_TEXT && !db->pages.utf8)
            sh->not_fast = "text is not UTF-8";
    }
    struct gs_error why = {0};
    struct db_table *t = sh->table = schema_columns(db, s->table, &why);
    if (!t)
        return why.code ? fail(err, why.code, "%s", why.text)
                        : fail(err, GS_E_FORMAT, "table '%s' is missing", s->table);
    if (!read_key(sh, db, s, err))
        return false;
    for (size_t i = 0; i < t->n_columns; i++)
        note_column(sh, s, &t->columns[i]);
    for (size_t c = 0; c < s->n_cols; c++)
        if (!sh->present[c] && !s->cols[c].optional)
            return fail(err, GS_E_FORMAT, "table '%s' has no column '%s'", s->table,
                        s->cols[c].name);
    return true;
}

/* ---- the fast way ---- */

struct worker_state {
    struct decoder *decoder;
    void *out[RECORD_COLS]; /* BATCH values a column */
    uint8_t *buf;           /* the leaves of one item */
    struct arena *arena;
};

struct fast_job {
    const struct pages *pages;
    struct progress *progress;
    const struct scan *scan;
    const struct shape *shape;
    struct record_plan plan;      /* of the present columns only */
    uint32_t column[RECORD_COLS]; /* plan column -> scan column */
    struct leaf_list leaves;
    size_t *first_row;   /* per item */
    int64_t first_rowid; /* dense: rowids have no holes, so a leaf's rows are known beforehand */
    bool dense;
    struct worker_state workers[PARALLEL_MAX];
    atomic_bool doubt;
};

static size_t item_end(const struct fast_job *job, size_t item)
{
    size_t end = (item + 1) * LEAVES_PER_ITEM;
    return end < job->leaves.n ? end : job->leaves.n;
}

static void count_item(void *ctx, size_t item, int worker)
{
    struct fast_job *job = ctx;
    size_t rows = 0;
    for (size_t i = item * LEAVES_PER_ITEM; i < item_end(job, item); i++) {
        uint32_t n_cells;
        if (!pages_count(job->pages, worker, job->leaves.v[i].page, &n_cells)) {
            atomic_store(&job->doubt, true);
            return;
        }
        rows += n_cells;
    }
    job->first_row[item + 1] = rows;
}

static size_t value_size(enum scan_type type)
{
    return type == SCAN_TEXT ? sizeof(struct slice) : sizeof(int64_t);
}

/* Arrays of a worker; those of absent columns are filled once, here. */
static void prepare_worker(struct fast_job *job, struct worker_state *w)
{
    if (w->decoder)
        return;
    const struct scan *s = job->scan;
    for (size_t c = 0; c < s->n_cols; c++) {
        w->out[c] = arena_calloc(w->arena, BATCH + APART, value_size(s->cols[c].type));
        for (size_t i = 0; !job->shape->present[c] && i < BATCH; i++) {
            if (s->cols[c].type == SCAN_INT)
                ((int64_t *)w->out[c])[i] = s->cols[c].otherwise;
            else if (s->cols[c].type == SCAN_REAL)
                ((double *)w->out[c])[i] = (double)s->cols[c].otherwise;
        }
    }
    size_t leaves = job->leaves.n < LEAVES_PER_ITEM ? job->leaves.n : LEAVES_PER_ITEM;
    w->buf = arena_alloc(w->arena, leaves * job->pages->page_size + FS_SLACK);
    w->decoder = decoder_new(&job->plan, w->arena);
}

static void emit(const struct fast_job *job, const struct worker_state *w, size_t first, size_t n,
                 int worker)
{
    struct scan_batch b = {.first = first, .n = n, .worker = worker};
    assert(n <= BATCH); /* columns have room for so many */
    for (size_t c = 0; c < job->scan->n_cols; c++)
        b.col[c] = w->out[c];
    if (n)
        job->scan->rows(job->scan->ctx, &b);
}

/* Dense: whether the rowids are those of the rows from `row` on. */
static bool in_place(const struct fast_job *job, const struct cell *c, size_t n, size_t row)
{
    uint64_t first = (uint64_t)job->first_rowid + row, other = 0;
    for (size_t i = 0; i < n; i++)
        other |= (uint64_t)c[i].rowid ^ (first + i);
    return !other;
}

/* `end` is where the item's rows must end: what lies behind belongs to others, or to nobody. */
static bool scan_leaf(struct fast_job *job, struct worker_state *w, void *const *out,
                      const struct leaf *leaf, size_t *first, size_t *n, size_t end, int worker)
{
    if (leaf->n_cells > end - (*first + *n))
        return false;
    uint32_t taken = leaf->content_start;
    for (uint32_t i = 0, some; i < leaf->n_cells; i += some) {
        struct cell cells[CELLS_AT_ONCE];
        size_t room = BATCH - *n;
        some = leaf->n_cells - i < CELLS_AT_ONCE ? leaf->n_cells - i : CELLS_AT_ONCE;
        some = some < room ? some : (uint32_t)room;
        if (!leaf_cells(job->pages, leaf, i, some, cells) ||
            !decoder_rows(w->decoder, cells, some, out, *n) ||
            (job->dense && !in_place(job, cells, some, *first + *n)))
            return false;
        for (uint32_t k = 0; k < some; k++)
            taken += cells[k].local;
        if (taken > job->pages->usable) /* cells that overlap: more rows than there is room for */
            return false;
        *n += some;
        if (*n == BATCH) {
            emit(job, w, *first, *n, worker);
            *first += *n;
            *n = 0;
        }
    }
    return true;
}

static bool scan_leaves(struct fast_job *job, struct worker_state *w, size_t item, int worker)
{
    size_t from = item * LEAVES_PER_ITEM, to = item_end(job, item);
    void *out[RECORD_COLS];
    for (size_t i = 0; i < job->plan.n; i++)
        out[i] = w->out[job->column[i]];
    if (!pages_read(job->pages, worker, &job->leaves.v[from], to - from, w->buf))
        return false;
    size_t first = job->first_row[item], end = job->first_row[item + 1], n = 0;
    for (size_t i = from; i < to; i++) {
        struct leaf leaf;
        const uint8_t *page = w->buf + (i - from) * job->pages->page_size;
        if (!leaf_open_at(job->pages, page, job->leaves.v[i].page, &leaf) ||
            !scan_leaf(job, w, out, &leaf, &first, &n, end, worker))
            return false;
    }
    if (first + n != end)
        return false;
    emit(job, w, first, n, worker);
    return true;
}

static bool wants_again(const struct scan *s)
{
    return s->again && atomic_load(s->again);
}

static void scan_item(void *ctx, size_t item, int worker)
{
    struct fast_job *job = ctx;
    struct worker_state *w = &job->workers[worker];
    if (atomic_load(&job->doubt) || wants_again(job->scan))
        return;
    prepare_worker(job, w);
    if (!scan_leaves(job, w, item, worker))
        atomic_store(&job->doubt, true);
    size_t leaves = item_end(job, item) - item * LEAVES_PER_ITEM;
    progress_add(job->progress, (uint64_t)leaves * job->pages->page_size);
}

struct fast_call {
    struct db *db;
    const struct scan *scan;
    struct fast_job *job;
    struct arena *arena;
};

/* The rowid of the first or last cell of a leaf; buf has room for a page. */
static bool edge_rowid(const struct pages *p, const struct leaf_ref *ref, bool last, uint8_t *buf,
                       int64_t *rowid)
{
    struct leaf leaf;
    struct cell cell;
    if (!pages_read(p, 0, ref, 1, buf) || !leaf_open_at(p, buf, ref->page, &leaf) ||
        !leaf.n_cells || !leaf_cells(p, &leaf, last ? leaf.n_cells - 1 : 0, 1, &cell))
        return false;
    *rowid = cell.rowid;
    return true;
}

/* Whether some leaves, from all over the table, have as many rows as rowids without holes. */
static bool looks_dense(const struct fast_job *job, uint8_t *buf)
{
    enum { SAMPLES = 16 };
    const struct leaf_list *l = &job->leaves;
    for (size_t k = 0; k < SAMPLES; k++) {
        size_t i = k * l->n / SAMPLES; /* of the last one nothing is known beforehand */
        int64_t before = i ? l->v[i - 1].last_rowid : (int64_t)((uint64_t)job->first_rowid - 1);
        struct leaf leaf;
        if (i + 1 >= l->n)
            continue;
        if (!pages_read(job->pages, 0, &l->v[i], 1, buf) ||
            !leaf_open_at(job->pages, buf, l->v[i].page, &leaf) ||
            (uint64_t)l->v[i].last_rowid - (uint64_t)before != leaf.n_cells)
            return false;
    }
    return true;
}

/*
 * Supposes that rowids have no holes, as profilers write them: then the pages above the leaves
 * tell how many rows each leaf has, and no leaf need be visited twice. Checked while scanning.
 */
static bool suppose_dense(struct fast_job *job, size_t items, struct arena *a)
{
    const struct leaf_list *l = &job->leaves;
    uint8_t *buf = arena_array(a, uint8_t, job->pages->page_size + FS_SLACK);
    int64_t last;
    if (!edge_rowid(job->pages, &l->v[0], false, buf, &job->first_rowid) ||
        !edge_rowid(job->pages, &l->v[l->n - 1], true, buf, &last))
        return false;
    if (!looks_dense(job, buf))
        return false;
    uint64_t rows = (uint64_t)last - (uint64_t)job->first_rowid + 1;
    if (last < job->first_rowid || rows > l->n * (uint64_t)job->pages->usable / SMALLEST_ROW)
        return false;
    for (size_t i = 0; i < items; i++) {
        int64_t key = i + 1 == items ? last : l->v[item_end(job, i) - 1].last_rowid;
        uint64_t end = (uint64_t)key - (uint64_t)job->first_rowid + 1;
        if (key < job->first_rowid || end < job->first_row[i] || end > rows)
            return false;
        job->first_row[i + 1] = (size_t)end;
    }
    return true;
}

static bool count_leaves(struct fast_call *call, size_t items)
{
    struct fast_job *job = call->job;
    memset(job->first_row, 0, (items + 1) * sizeof(*job->first_row));
    parallel_for(call->db->threads, items, count_item, job);
    for (size_t i = 0; i < items; i++)
        job->first_row[i + 1] += job->first_row[i];
    return !atomic_load(&job->doubt);
}

static bool scan_items(struct fast_call *call, size_t items)
{
    struct fast_job *job = call->job;
    do {
        call->scan->begin(call->scan->ctx, job->first_row[items]);
        parallel_for(call->db->threads, items, scan_item, job);
    } while (wants_again(call->scan) && !atomic_load(&job->doubt));
    return !atomic_load(&job->doubt);
}

static bool run_fast(struct fast_call *call)
{
    struct fast_job *job = call->job;
    if (!pages_leaves(job->pages, job->shape->table->root, &job->leaves, call->arena))
        return false;
    size_t items = (job->leaves.n + LEAVES_PER_ITEM - 1) / LEAVES_PER_ITEM;
    job->first_row = arena_array(call->arena, size_t, items + 1);
    job->dense = suppose_dense(job, items, call->arena);
    if (job->dense && scan_items(call, items))
        return true;
    job->dense = false;
    atomic_store(&job->doubt, false);
    return count_leaves(call, items) && scan_items(call, items);
}

static void plan_present(struct fast_job *job, const struct shape *sh)
{
    for (size_t c = 0; c < sh->plan.n; c++) {
        if (!sh->present[c])
            continue;
        job->column[job->plan.n] = (uint32_t)c;
        job->plan.col[job->plan.n++] = sh->plan.col[c];
    }
}

static bool scan_fast(struct db *db, const struct scan *s, const struct shape *sh)
{
    struct arena *arena = arena_scratch();
    struct fast_job job = {.pages = &db->pages, .progress = db->progress, .scan = s, .shape = sh};
    plan_present(&job, sh);
    for (int i = 0; i < PARALLEL_MAX; i++)
        job.workers[i].arena = arena_child(arena);
    bool ok = run_fast(&(struct fast_call){db, s, &job, arena});
    arena_release(arena);
    return ok;
}

/* ---- through libsqlite3 ---- */

static void select_columns(struct str *sql, const struct scan *s, const struct shape *sh)
{
    str_puts(sql, "SELECT ");
    for (size_t c = 0; c < s->n_cols; c++) {
        str_puts(sql, c ? ", " : "");
        if (sh->present[c])
            str_printf(sql, "\"%s\"", s->cols[c].name);
        else
            str_puts(sql, "NULL");
    }
}

static void store_value(struct db_query *q, const struct scan *s, int c, void *out, size_t row,
                        struct arena *texts)
{
    int type = sqlite3_column_type(q->stmt, c);
    bool null = type == SQLITE_NULL, number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
    int64_t otherwise = s->cols[c].otherwise;
    switch (s->cols[c].type) {
    case SCAN_INT:
        ((int64_t *)out)[row] = null ? otherwise : sqlite3_column_int64(q->stmt, c);
        break;
    case SCAN_REAL:
        ((double *)out)[row] = !number ? (double)otherwise : sqlite3_column_double(q->stmt, c);
        break;
    case SCAN_TEXT:
        ((struct slice *)out)[row] = (struct slice){0};
        if (!null) {
            const char *p = db_text(q, c);
            size_t n = db_bytes(q, c);
            ((struct slice *)out)[row] = (struct slice){arena_strndup(texts, p, n), n};
        }
        break;
    }
}

struct slow_call {
    struct db *db;
    const struct scan *scan;
    const struct shape *shape;
    struct db_query query;
    struct arena *arena, *texts;
    struct gs_error *err;
};

/*
 * Where the pages could be checked, that has counted. Else step by step, up to what the file has
 * room for: count(*) alone is a single step for SQLite, however long it takes.
 */
static bool count_rows(struct slow_call *call, size_t *rows)
{
    struct db_query q;
    int64_t most = (int64_t)(db_room(call->db) / SMALLEST_ROW) + FREE_ROWS;
    if (!db_query(&q, call->db, call->err,
                  "SELECT count(*) FROM (SELECT 1 FROM \"%w\" NOT INDEXED LIMIT %lld)",
                  call->scan->table, (long long)most + 1))
        return false;
    bool counted = call->shape->table->is_checked; /* by db_query() */
    *rows = counted ? (size_t)call->shape->table->rows : 0;
    if (!counted && db_next(&q))
        *rows = (size_t)sqlite3_column_int64(q.stmt, 0);
    if (!db_done(&q, call->err))
        return false;
    return *rows <= (size_t)most || fail(call->err, GS_E_FORMAT,
                                         "damaged database: table '%s' has more rows than there is "
                                         "room for",
                                         call->scan->table);
}

static bool run_slow(struct slow_call *call)
{
    const struct scan *s = call->scan;
    size_t rows;
    if (!count_rows(call, &rows))
        return false;
    struct str sql;
    str_init(&sql, call->arena);
    select_columns(&sql, s, call->shape);
    s->begin(s->ctx, rows);
    struct scan_batch b = {0};
    void *out[RECORD_COLS];
    for (size_t c = 0; c < s->n_cols; c++)
        b.col[c] = out[c] = arena_calloc(call->arena, BATCH, value_size(s->cols[c].type));
    if (!db_query(&call->query, call->db, call->err, "%s FROM \"%w\" NOT INDEXED", sql.buf,
                  s->table))
        return false;
    while (b.first + b.n < rows && db_next(&call->query)) {
        for (size_t c = 0; c < s->n_cols; c++)
            store_value(&call->query, s, (int)c, out[c], b.n, call->texts);
        if (++b.n == BATCH) {
            s->rows(s->ctx, &b);
            progress_add(call->db->progress, b.n * ABOUT_ROW_BYTES);
            b.first += b.n;
            b.n = 0;
            arena_release(call->texts);
        }
    }
    if (b.n)
        s->rows(s->ctx, &b);
    if (call->query.rc != SQLITE_ROW && call->query.rc != SQLITE_DONE &&
        call->query.rc != SQLITE_OK)
        return db_fail(call->db, call->err);
    return b.first + b.n == rows ||
           db_damaged(call->db, arena_printf(call->texts, "table '%s' ends too early", s->table),
                      call->err);
}

static bool scan_slow(struct db *db, const struct scan *s, const struct shape *sh,
                      struct gs_error *err)
{
    struct arena *arena = arena_scratch();
    struct slow_call call = {db, s, sh, .arena = arena, .texts = arena_child(arena), .err = err};
    bool ok = run_slow(&call);
    sqlite3_finalize(call.query.stmt);
    arena_release(arena);
    return ok;
}

bool scan_table(struct db *db, const struct scan *s, struct gs_error *err)
{
    struct shape sh;
    if (!read_shape(&sh, db, s, err))
        return false;
    if (db->not_fast) /* then the pages tell nothing, their encoding neither */
        sh.not_fast = db->not_fast;
    if (db->mode != READER_SQLITE && !sh.not_fast) {
        if (scan_fast(db, s, &sh)) {
            db->fast_scans++;
            return true;
        }
        sh.not_fast = "unusual records";
    }
    db->slow_scans++;
    if (db->mode != READER_SQLITE && !db->slow_reason)
        db->slow_reason = sh.not_fast;
    return scan_slow(db, s, &sh, err);
}
