/*
 * Lanes: intervals of one track as a sequence of beginnings and ends in which everything nests.
 *
 * Forms that draw time as stacks (Perfetto, Chrome, OTF2, speedscope) know only "begin" and "end";
 * an interval that overlaps another without containing it cannot stand in the same stack. Nothing is
 * moved or cut: it goes to a further lane. On the tracks of the host calls nest; on those of GPUs
 * nothing does.
 *
 *     struct lane_rows rows = lane_rows_of_thread(...);
 *     lanes_walk(&rows, &(struct lane_events){begin, end, ctx}, arena);
 *
 * Within a lane events come in order of time; at one moment ends come before beginnings, except for
 * those of intervals without a length. The lanes themselves come one after the other or interleaved.
 */
#ifndef GS_CONVERT_LANES_H
#define GS_CONVERT_LANES_H

#include "base/sort.h"
#include "convert/convert.h"

struct lane_item {
    int64_t start_ns, end_ns; /* end_ns >= start_ns */
    uint32_t row;             /* the caller's */
};

struct lane_events {
    void (*begin)(void *ctx, uint32_t lane, const struct lane_item *item);
    void (*end)(void *ctx, uint32_t lane, const struct lane_item *item);
    void *ctx;
};

/* Sorts the items, outer ones before inner ones, and walks. Flat: nothing nests. */
void lanes_walk(struct lane_item *items, size_t n, bool flat, const struct lane_events *e,
                struct arena *a);

#endif
