/* The decoded folder: which waves there are, occupancy, wave states, the clock. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "att/att_in.h"
#include "base/fs.h"
#include "base/sat.h"
#include "base/sort.h"
#include "base/str.h"

enum { BINS = 50, MOST_EVENTS = 20 * 1000 * 1000 };

bool att_json_open(struct att *t, const char *path)
{
    struct gs_error err;
    if (!input_open_within(&t->input, t->root, path, &err)) {
        att_note(t, "%s", err.text);
        return false;
    }
    jr_stream(&t->json, input_read, &t->input);
    return true;
}

/* "folder/file", for notes. */
static const char *tail(const char *path)
{
    const char *p = fs_basename(path);
    if (p > path)
        for (p--; p > path && p[-1] != '/';)
            p--;
    return p;
}

bool att_json_close(struct att *t, const char *path)
{
    struct gs_error err;
    bool ok = jr_end(&t->json, &err);
    if (!input_error(&t->input, &err))
        ok = false;
    if (!ok)
        att_note(t, "'%s' is damaged or cut off: %s", tail(path), err.text);
    jr_release(&t->json);
    input_close(&t->input);
    return ok;
}

static const char *member(struct att *t, const char *dir, const char *name)
{
    const char *path = arena_printf(&t->arena, "%s/%s", dir, name);
    return fs_exists(path) ? path : NULL;
}

/* ---- filenames.json ---- */

/* wave_filenames: {engine: {simd: {slot: {id: [file, begin, end]}}}}; depth 4 counts waves. */
static uint32_t count_waves(struct jread *j, int depth)
{
    uint32_t n = 0;
    if (depth == 4)
        return jr_skip(j), 1;
    if (!jr_object(j))
        return 0;
    while (jr_key(j))
        n += count_waves(j, depth + 1);
    return n;
}

static void read_filenames(struct att *t, const char *dir, struct att_ui *ui)
{
    const char *path = member(t, dir, "filenames.json");
    struct jread *j = &t->json;
    if (!path) {
        att_note(t, "'%s' has no filenames.json", fs_basename(dir));
        return;
    }
    if (!att_json_open(t, path))
        return;
    if (jr_object(j))
        while (jr_key(j)) {
            if (jr_is(j, "gfxip"))
                ui->gfx = (int)jr_int(j, 0);
            else if (jr_is(j, "wave_filenames"))
                ui->waves_listed = count_waves(j, 0);
            else
                jr_skip(j);
        }
    att_json_close(t, path);
    if (ui->gfx < 0 || ui->gfx > 99)
        ui->gfx = 0;
}

/* ---- realtime.json: pairs of the shader clock and a clock of known frequency ---- */

static void read_clock(struct att *t, const char *dir, struct att_ui *ui)
{
    const char *path = member(t, dir, "realtime.json");
    struct jread *j = &t->json;
    double frequency = NAN, cycles = 0, ticks = 0;
    if (!path || !att_json_open(t, path))
        return;
    if (jr_object(j))
        while (jr_key(j)) {
            if (jr_is(j, "metadata") && jr_type(j) == J_OBJECT) {
                jr_object(j);
                while (jr_key(j)) {
                    if (jr_is(j, "frequency"))
                        frequency = jr_num(j, NAN);
                    else
                        jr_skip(j);
                }
                continue;
            }
            double first[2] = {0}, last[2] = {0};
            size_t n = 0;
            if (!jr_array(j))
                continue;
            while (jr_item(j)) {
                int i = 0;
                if (!jr_array(j))
                    continue;
                for (; jr_item(j); i++)
                    if (i < 2)
                        last[i] = jr_num(j, NAN);
                    else
                        jr_skip(j);
                if (!n++)
                    memcpy(first, last, sizeof(first));
            }
            if (n > 1 && last[1] > first[1] && last[0] > first[0]) {
                cycles += last[0] - first[0];
                ticks += last[1] - first[1];
            }
        }
    att_json_close(t, path);
    double mhz = cycles / ticks * frequency / 1e6;
    if (isfinite(mhz) && mhz > 1 && mhz < 100000)
        ui->clock_mhz = mhz;
}

/* ---- occupancy.json: [time, cu, simd, slot, begins, kernel] per engine ---- */

struct events {
    VEC(int64_t) time;
    VEC(int8_t) change;
};

static void read_engine(struct att *t, struct events *e, uint64_t *bad)
{
    struct jread *j = &t->json;
    if (!jr_array(j))
        return;
    while (jr_item(j)) {
        int64_t v[6] = {-1, -1, -1, -1, -1, -1};
        int i = 0;
        if (!jr_array(j)) {
            ++*bad;
            continue;
        }
        for (; jr_item(j); i++)
            if (i < 6)
                v[i] = jr_int(j, -1);
            else
                jr_skip(j);
        if (v[0] < 0 || v[4] < 0 || v[4] > 1 || e->time.n >= MOST_EVENTS) {
            ++*bad;
            continue;
        }
        vec_push(&e->time, &t->arena, bound_moment(v[0]));
        vec_push(&e->change, &t->arena, (int8_t)(v[4] ? 1 : -1));
    }
}

/* Adds `waves` between two moments to the stretches they fall in. */
static void spread(struct att_ui *ui, int64_t from, int64_t to, uint32_t waves, double width,
                   int64_t first)
{
    size_t last = ui->occupancy.n - 1;
    for (size_t b = count_from((double)(from - first) / width); b <= last && from < to; b++) {
        struct att_occupancy_row *row = &ui->occupancy.v[b];
        int64_t end = b == last || (int64_t)row->end_cycle > to ? to : (int64_t)row->end_cycle;
        if (end <= from)
            continue;
        row->waves += (double)waves * (double)(end - from);
        if (waves > row->most)
            row->most = waves;
        from = end;
    }
}

static void make_bins(struct att *t, struct att_ui *ui, int64_t first, int64_t last)
{
    double width = (double)(last - first) / BINS;
    for (int b = 0; b < BINS; b++) {
        struct att_occupancy_row *row = vec_add(&ui->occupancy, &t->arena);
        *row =
            (struct att_occupancy_row){.start_cycle = (uint64_t)(first + ns_from(b * width)),
                                       .end_cycle = (uint64_t)(first + ns_from((b + 1) * width))};
    }
    ui->occupancy.v[BINS - 1].end_cycle = (uint64_t)last;
}

static void integrate(struct att *t, struct att_ui *ui, const struct events *e)
{
    size_t n = e->time.n;
    uint32_t *order = arena_array(&t->arena, uint32_t, n), waves = 0;
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    sort_rows(order, n, e->time.v, &t->arena);
    int64_t first = e->time.v[order[0]], last = e->time.v[order[n - 1]];
    double area = 0, present = 0, width = (double)(last - first) / BINS;
    if (last - first < BINS)
        return;
    make_bins(t, ui, first, last);
    for (size_t i = 0; i < n; i++) {
        int64_t now = e->time.v[order[i]], next = i + 1 < n ? e->time.v[order[i + 1]] : now;
        if (e->change.v[order[i]] > 0) {
            size_t b = count_from((double)(now - first) / width);
            ui->occupancy.v[b < BINS ? b : BINS - 1].started++;
            waves++;
        } else if (waves) {
            waves--;
        }
        ui->most_waves = waves > ui->most_waves ? waves : ui->most_waves;
        if (waves && next > now) {
            area += (double)waves * (double)(next - now);
            present += (double)(next - now);
            spread(ui, now, next, waves, width, first);
        }
    }
    for (size_t b = 0; b < ui->occupancy.n; b++) {
        struct att_occupancy_row *row = &ui->occupancy.v[b];
        row->waves /= (double)(row->end_cycle - row->start_cycle);
    }
    if (present > 0)
        ui->mean_waves = area / present;
}

static void read_occupancy(struct att *t, const char *dir, struct att_ui *ui)
{
    const char *path = member(t, dir, "occupancy.json");
    struct jread *j = &t->json;
    struct events e = {0};
    uint64_t bad = 0;
    if (!path) {
        att_note(t, "'%s' has no occupancy.json: occupancy over time is not known",
                 fs_basename(dir));
        return;
    }
    if (!att_json_open(t, path))
        return;
    if (jr_object(j))
        while (jr_key(j)) {
            if (jr_type(j) == J_ARRAY)
                read_engine(t, &e, &bad);
            else
                jr_skip(j);
        }
    bool whole = att_json_close(t, path);
    if (bad)
        att_note(t, "'%s': %llu events are not understood", tail(path), (unsigned long long)bad);
    if (whole && e.time.n && e.time.n < UINT32_MAX) /* half of the events would not end waves */
        integrate(t, ui, &e);
}

/* ---- wstatesN.json: how many waves are in state N; used when no wave says it itself ---- */

static void read_state(struct att *t, const char *path, struct att_ui *ui, int state)
{
    struct jread *j = &t->json;
    VEC(uint64_t) count = {0}, time = {0};
    if (!att_json_open(t, path))
        return;
    if (jr_object(j))
        while (jr_key(j)) {
            bool counts = jr_is(j, "state"), times = jr_is(j, "time");
            if ((!counts && !times) || jr_type(j) != J_ARRAY) {
                jr_skip(j);
                continue;
            }
            jr_array(j);
            while (jr_item(j)) {
                uint64_t v = jr_uint(j, 0);
                if (counts)
                    vec_push(&count, &t->arena, v);
                else
                    vec_push(&time, &t->arena, v);
            }
        }
    if (!att_json_close(t, path))
        return;
    for (size_t i = 0; i + 1 < count.n && i + 1 < time.n; i++)
        if (time.v[i + 1] > time.v[i] && count.v[i] < 100000 &&
            time.v[i + 1] - time.v[i] < UINT64_MAX / 100000) {
            ui->state_cycles[state] =
                att_add(ui->state_cycles[state], count.v[i] * (time.v[i + 1] - time.v[i]));
            ui->has_states = true;
        }
}

static void read_states(struct att *t, const char *dir, struct att_ui *ui)
{
    for (int s = 0; s < 8; s++) {
        char name[32];
        snprintf(name, sizeof(name), "wstates%d.json", s);
        const char *path = member(t, dir, name);
        if (path)
            read_state(t, path, ui, s);
    }
}

void att_read_ui(struct att *t, const char *dir, struct att_ui *ui)
{
    ui->clock_mhz = ui->mean_waves = NAN;
    read_filenames(t, dir, ui);
    read_clock(t, dir, ui);
    read_occupancy(t, dir, ui);
    att_read_waves(t, dir, ui);
    if (!ui->has_states)
        read_states(t, dir, ui);
    if (ui->waves + ui->waves_bad < ui->waves_listed)
        att_note(t, "'%s': %u of %u wave files are missing", fs_basename(dir),
                 ui->waves_listed - ui->waves - ui->waves_bad, ui->waves_listed);
    if (ui->too_many)
        att_note(t, "'%s': more waves than are kept; the last are left out of hidden stall",
                 fs_basename(dir));
}
