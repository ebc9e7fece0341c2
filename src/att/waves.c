/*
 * se*_sm*_sl*_wv*.json: one wave each, instruction by instruction. From them come the stall that
 * other waves of the same SIMD hid, the states of waves, and what each wait really waited for.
 */
#include <stdlib.h>
#include <string.h>

#include "att/att_in.h"
#include "base/fs.h"
#include "base/str.h"

enum { MOST_RECORDS = 20 * 1000 * 1000, STATES = 8 };

struct wave {
    uint64_t cu, simd, engine;
    VEC(struct att_span) issue;
    VEC(struct att_stall) stalls;
    VEC(struct att_feed) feeds;
    uint64_t states[STATES];
    bool has_states;
};

/* The first n numbers of an array; false: it is none, or has fewer. */
static bool numbers(struct jread *j, uint64_t *v, int n)
{
    int i = 0;
    if (!jr_array(j))
        return false;
    for (; jr_item(j); i++) {
        if (i < n)
            v[i] = jr_uint(j, UINT64_MAX);
        else
            jr_skip(j);
    }
    for (int k = 0; k < n && k < i; k++)
        if (v[k] == UINT64_MAX)
            return false;
    return i >= n;
}

/* [time, category, stall, duration, line] */
static void read_instructions(struct att *t, struct wave *w)
{
    struct jread *j = &t->json;
    uint64_t v[5];
    if (!jr_array(j))
        return;
    while (jr_item(j)) {
        if (!numbers(j, v, 5) || v[0] > INT64_MAX || v[3] > INT64_MAX || v[2] > v[3])
            continue;
        if (w->issue.n + w->stalls.n >= MOST_RECORDS)
            continue;
        uint64_t issued = v[0] + v[2], end = v[0] + v[3];
        if (end > issued)
            vec_push(&w->issue, &t->arena, ((struct att_span){issued, end}));
        if (v[2] && v[4] < ATT_NO_LINE)
            vec_push(&w->stalls, &t->arena, ((struct att_stall){v[0], issued, (uint32_t)v[4], 0}));
    }
}

static void read_timeline(struct jread *j, struct wave *w)
{
    uint64_t v[2];
    if (!jr_array(j))
        return;
    while (jr_item(j))
        if (numbers(j, v, 2) && v[0] < STATES) {
            w->states[v[0]] = att_add(w->states[v[0]], v[1]);
            w->has_states = true;
        }
}

/* [line of the wait, [[line of what it waited for, ...], ...]] */
static void read_waits(struct att *t, struct wave *w)
{
    struct jread *j = &t->json;
    uint64_t line, feeder[1];
    if (!jr_array(j))
        return;
    while (jr_item(j)) {
        if (!jr_array(j))
            continue;
        line = UINT64_MAX;
        if (jr_item(j))
            line = jr_uint(j, UINT64_MAX);
        while (jr_item(j)) {
            if (!jr_array(j))
                continue;
            while (jr_item(j))
                if (numbers(j, feeder, 1) && line < ATT_NO_LINE && feeder[0] < ATT_NO_LINE &&
                    w->feeds.n < MOST_RECORDS)
                    vec_push(&w->feeds, &t->arena,
                             ((struct att_feed){(uint32_t)line, (uint32_t)feeder[0]}));
        }
    }
}

static void read_wave(struct att *t, struct wave *w)
{
    struct jread *j = &t->json;
    if (!jr_object(j))
        return;
    while (jr_key(j)) {
        if (jr_is(j, "cu"))
            w->cu = jr_uint(j, 0);
        else if (jr_is(j, "simd"))
            w->simd = jr_uint(j, 0);
        else if (jr_is(j, "instructions"))
            read_instructions(t, w);
        else if (jr_is(j, "timeline"))
            read_timeline(j, w);
        else if (jr_is(j, "waitcnt"))
            read_waits(t, w);
        else
            jr_skip(j);
    }
}

static uint32_t simd_of(struct att *t, struct att_ui *ui, const struct wave *w)
{
    uint64_t key = (w->engine & 0xffff) << 32 | (w->cu & 0xffff) << 16 | (w->simd & 0xffff);
    for (size_t i = ui->simds.n; i-- > 0;)
        if (ui->simds.v[i].key == key)
            return (uint32_t)i;
    struct att_simd *s = vec_add(&ui->simds, &t->arena);
    *s = (struct att_simd){.key = key};
    return (uint32_t)(ui->simds.n - 1);
}

/* Only whole waves count: half of one would look like a wave that ended early. */
static void keep(struct att *t, struct att_ui *ui, const struct wave *w)
{
    uint32_t simd = simd_of(t, ui, w);
    ui->waves++;
    if (ui->stalls.n + w->stalls.n + w->issue.n > MOST_RECORDS) {
        ui->too_many = true;
        return;
    }
    for (size_t i = 0; i < w->issue.n; i++)
        vec_push(&ui->simds.v[simd].issue, &t->arena, w->issue.v[i]);
    for (size_t i = 0; i < w->stalls.n; i++) {
        struct att_stall s = w->stalls.v[i];
        s.simd = simd;
        vec_push(&ui->stalls, &t->arena, s);
    }
    for (size_t i = 0; i < w->feeds.n; i++)
        vec_push(&ui->feeds, &t->arena, w->feeds.v[i]);
    for (int s = 0; s < STATES; s++)
        ui->state_cycles[s] = att_add(ui->state_cycles[s], w->states[s]);
    ui->has_states |= w->has_states;
}

static bool is_wave(const char *name)
{
    return str_starts(name, "se") && strstr(name, "_sm") && strstr(name, "_wv") &&
           str_ends(name, ".json");
}

void att_read_waves(struct att *t, const char *dir, struct att_ui *ui)
{
    struct fs_list files = {0};
    struct gs_error err;
    if (!fs_list(&files, dir, &t->arena, &err)) {
        att_note(t, "%s", err.text);
        return;
    }
    for (size_t i = 0; i < files.n; i++) {
        const char *name = fs_basename(files.v[i]);
        if (!is_wave(name) || !att_json_open(t, files.v[i]))
            continue;
        struct wave w = {.engine = strtoul(name + 2, NULL, 10)};
        bool any = false;
        if (jr_object(&t->json))
            while (jr_key(&t->json)) {
                if (jr_is(&t->json, "wave")) {
                    read_wave(t, &w);
                    any = true;
                } else {
                    jr_skip(&t->json);
                }
            }
        bool whole = att_json_close(t, files.v[i]);
        if (whole && any)
            keep(t, ui, &w);
        else
            ui->waves_bad++;
    }
}
