#include "depend/whatif.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "depend/account.h"
#include "depend/fuse.h"

/* ---- the change in words ---- */

static void say(struct whatif *w, bool applies, const char *text)
{
    if (applies)
        vec_push(&w->changes, w->arena, text);
}

static void describe(struct whatif *w, const struct change *c)
{
    for (size_t i = 0; i < c->kernels.n; i++)
        say(w, true,
            arena_printf(w->arena, "kernels '%s' take %.12g of their time", c->kernels.v[i].pattern,
                         c->kernels.v[i].factor));
    for (int r = 0; r < REMOVALS; r++)
        say(w, c->remove[r], removal_said((enum removal)r));
    say(w, c->graph && !c->graph_to_ns, change_said(SAID_GRAPH));
    say(w, c->graph && c->graph_to_ns,
        arena_printf(w->arena, "%s, from %lld ns to %lld ns of the run", change_said(SAID_GRAPH),
                     (long long)c->graph_from_ns, (long long)c->graph_to_ns));
    say(w, c->merge_copies, change_said(SAID_MERGE));
    say(w, c->fuse & FUSE_OPTIMIZER, change_said(SAID_OPTIMIZER));
    say(w, c->fuse & FUSE_CHAINS, change_said(SAID_CHAINS));
    say(w, c->stay, change_said(SAID_STAY));
    say(w, c->overlap, change_said(SAID_OVERLAP));
    say(w, c->streams > 1,
        arena_printf(w->arena, "kernels that leave room on the device run %u at once", c->streams));
    say(w, c->pinned, change_said(SAID_PINNED));
    say(w, c->link > 0, arena_printf(w->arena, "the link is %.12g times as fast", 1 / c->link));
    say(w, c->host > 0, arena_printf(w->arena, "the host takes %.12g of its time", c->host));
    say(w, c->prefetch, change_said(SAID_PREFETCH));
    say(w, c->rank_typical, change_said(SAID_TYPICAL));
    say(w, c->gpu, c->gpu ? arena_printf(w->arena, "the GPU is an %s", c->gpu->product) : "");
}

static bool link_copies(const struct trace *t)
{
    for (size_t i = 0; i < t->copies.n; i++)
        if (t->copies.kind[i] == COPY_H2D || t->copies.kind[i] == COPY_D2H)
            return true;
    return false;
}

static void remark(struct whatif *w, const struct analysis *a, const struct change *c)
{
    struct arena *arena = w->arena;
    if (w->result.rough)
        vec_push(&w->notes, arena,
                 "the replay does not reproduce the recorded time well: the prediction is rough");
    if (a->path_stats.unlinked)
        vec_push(&w->notes, arena,
                 arena_printf(arena,
                              "%llu of %llu pieces of GPU work have no recorded call: their delays "
                              "stay as they are",
                              (unsigned long long)a->path_stats.unlinked,
                              (unsigned long long)a->path_stats.ops));
    if (c->rank_typical && !a->view.kernel_wait_ns)
        vec_push(&w->notes, arena,
                 "waiting for late ranks is not known: give the traces of all ranks");
    if ((c->overlap || c->pinned || c->link > 0) && !link_copies(a->trace))
        vec_push(&w->notes, arena, "no copies between host and device are in the trace");
    if (c->gpu && (!a->hardware || !a->hardware[0]))
        vec_push(&w->notes, arena,
                 "the GPU of the trace is not in the table: its kernels stay as they are");
    if (w->result.predicted_ns == w->result.recorded_ns && w->changes.n)
        vec_push(&w->notes, arena, "nothing on the critical path changes");
}

/* ---- before and after ---- */

static int by_time(const void *x, const void *y)
{
    const struct whatif_row *a = x, *b = y;
    int64_t m = a->before_ns > a->after_ns ? a->before_ns : a->after_ns;
    int64_t n = b->before_ns > b->after_ns ? b->before_ns : b->after_ns;
    return m != n ? (m < n ? 1 : -1) : strcmp(a->kind, b->kind);
}

static void add_paths(struct whatif *w, const int64_t *before, const int64_t *after)
{
    for (enum path_kind k = 0; k < PATH_KINDS; k++) {
        struct whatif_row row = {path_info(k)->key, path_info(k)->label, before[k], after[k]};
        if (before[k] || after[k])
            vec_push(&w->path, w->arena, row);
    }
    if (w->path.n)
        qsort(w->path.v, w->path.n, sizeof(*w->path.v), by_time);
}

static void add_accounts(struct whatif *w, const struct account *before,
                         const struct account *after)
{
    for (enum cause c = 0; c < CAUSES; c++) {
        struct whatif_row row = {cause_info(c)->key, cause_info(c)->label, before->ns[c],
                                 after->ns[c]};
        if (before->ns[c] || after->ns[c])
            vec_push(&w->ledger, w->arena, row);
    }
    struct whatif_row idle = {"idle", "idle", before->idle_ns, after->idle_ns};
    vec_push(&w->ledger, w->arena, idle);
}

void whatif_room_make(struct whatif_room *room, const struct analysis *a, struct arena *arena)
{
    room->likely = a->replay; /* nobody else replays at the same time */
    replay_init(&room->other, a->depend, arena);
    room->other.times_only = true;
    room->workers = a->view.workers;
    replay_run(room->likely, NULL);
    path_compose(room->likely, room->path);
    replay_account(&room->account, room->likely);
    replay_run(&room->other, NULL); /* its pages are there before the first question */
}

static void account_for(void *after, const struct replay *likely)
{
    replay_account(after, likely);
}

void whatif_make_in(struct whatif *w, struct whatif_room *room, const struct analysis *a,
                    const struct change *c, struct arena *arena)
{
    struct prediction p;
    struct account after;
    struct predict_rooms rooms = {room->likely, &room->other, room->workers, account_for, &after};
    *w = (struct whatif){.arena = arena};
    predict_in(&p, &rooms, c, arena);
    w->result = (struct whatif_result){
        .recorded_ns = p.recorded_ns,
        .predicted_ns = p.predicted_ns,
        .low_ns = p.low_ns,
        .high_ns = p.high_ns,
        .speedup = p.speedup,
        .speedup_low = p.speedup_low,
        .speedup_high = p.speedup_high,
        .replay_error_pct = a->path_stats.replay_error_pct,
        .rough = a->path_stats.rough,
        .limit_before = path_info(path_largest(room->path))->label,
        .limit_after = path_info(p.next)->label,
        .reasons = p.reasons,
    };
    describe(w, c);
    remark(w, a, c);
    add_paths(w, room->path, p.path);
    add_accounts(w, &room->account, &after);
}

void whatif_make(struct whatif *w, const struct analysis *a, const struct change *c,
                 struct arena *arena)
{
    struct arena *temporary = arena_scratch();
    struct whatif_room *room = arena_new(temporary, struct whatif_room);
    whatif_room_make(room, a, temporary);
    whatif_make_in(w, room, a, c, arena);
    arena_release(temporary);
}

/* ---- fields ---- */

#define F(member, type, label, unit, doc)                                                          \
    FIELD(struct whatif_result, member, type, label, unit, doc)
static const struct field result_v[] = {
    F(recorded_ns, FIELD_I64, "recorded", IN_NS,
      "from the first call that led to GPU work to the end of the last work, or of its wait"),
    F(predicted_ns, FIELD_I64, "predicted", IN_NS, "the same after the change, by replay"),
    F(low_ns, FIELD_I64, "low", IN_NS, "the same with what is uncertain taken from its good side"),
    F(high_ns, FIELD_I64, "high", IN_NS, "... from its bad side"),
    F(speedup, FIELD_NUM, "speed-up", NO_UNIT, "recorded_ns / predicted_ns"),
    F(speedup_low, FIELD_NUM, "at least", NO_UNIT, "recorded_ns / high_ns"),
    F(speedup_high, FIELD_NUM, "at most", NO_UNIT, "recorded_ns / low_ns"),
    F(replay_error_pct, FIELD_NUM, "replay error", IN_PERCENT,
      "how far a replay without changes is from recorded_ns"),
    F(rough, FIELD_BOOL, "rough", NO_UNIT, "that is above 2 %"),
    F(limit_before, FIELD_TEXT, "limit before", NO_UNIT, "largest part of the critical path"),
    F(limit_after, FIELD_TEXT, "limit after", NO_UNIT, "the same after the change"),
    F(reasons, FIELD_TEXT, "because", NO_UNIT, "why low and high differ"),
};
#undef F
#define F(member, type, label, unit, doc) FIELD(struct whatif_row, member, type, label, unit, doc)
static const struct field row_v[] = {
    F(kind, FIELD_TEXT, "kind", NO_UNIT, "what the time is"),
    F(label, FIELD_TEXT, "part", NO_UNIT, "the same in words"),
    F(before_ns, FIELD_I64, "before", IN_NS, "as recorded"),
    F(after_ns, FIELD_I64, "after", IN_NS, "after the change"),
};
#undef F
const struct fields whatif_fields =
    FIELDS("result", "The time after the change.", struct whatif_result, result_v);
const struct fields whatif_path_fields =
    FIELDS("critical_path", "Parts of the critical path; each column adds up to its time.",
           struct whatif_row, row_v);
const struct fields whatif_ledger_fields =
    FIELDS("ledger", "GPU time by cause over all GPUs with work.", struct whatif_row, row_v);

#define T struct whatif
static const struct field document_list[] = {
    FIXED("schema_version", "1", "version of this document"),
    ALWAYS(T, changes, FIELD_LIST, "changes", "what was changed", .of = &field_texts),
    ALWAYS(T, result, FIELD_OBJECT, "result", "time before and after", .of = &whatif_fields),
    ALWAYS(T, notes, FIELD_LIST, "notes", "what was assumed", .of = &field_texts),
    ALWAYS(T, path, FIELD_LIST, "critical_path", "what limits, before and after",
           .of = &whatif_path_fields),
    ALWAYS(T, ledger, FIELD_LIST, "ledger", "GPU time by cause, before and after",
           .of = &whatif_ledger_fields),
};
#undef T
const struct fields whatif_document_fields = FIELDS("whatif", "", struct whatif, document_list);

void whatif_json_schema(struct str *out)
{
    fields_schema_document(
        out, "urn:gpusight:whatif:1", "gpusight whatif",
        "What 'gpusight whatif --format json' writes. docs/whatif.md explains it. "
        "Made by 'gpusight --generate whatif-schema'.",
        &whatif_document_fields);
}
