/*
 * As much of AMD's instruction set as causes need: which unit runs an instruction, what a wait
 * waits for, where a branch goes, which vector registers are written and read. Works on the
 * disassembler's text, so any generation does; what is not known is UNIT_OTHER.
 */
#ifndef GS_ATT_ISA_H
#define GS_ATT_ISA_H

#include <stdbool.h>
#include <stdint.h>

#include "att/att.h"

enum att_unit isa_unit(const char *text);

/* Counters of outstanding operations; the last six are gfx12's, which divides the first ones. */
enum isa_counter {
    CNT_VM,
    CNT_VS,
    CNT_LGKM,
    CNT_EXP,
    CNT_LOAD,
    CNT_STORE,
    CNT_SAMPLE,
    CNT_BVH,
    CNT_DS,
    CNT_KM,
    CNT_COUNT
};

struct isa_wait {
    uint32_t most[CNT_COUNT]; /* operations that may stay outstanding; UINT32_MAX: any number */
    bool any;                 /* it is about counters at all */
};

/* What a wait asks for. `gfx` is 9, 10, 11, 12: how a bare number is coded; 0: as 9. */
void isa_wait(struct isa_wait *w, const char *text, int gfx);

/* Whether an instruction of this unit raises a counter; `split`: stores have one of their own. */
bool isa_counts(const char *text, enum att_unit unit, enum isa_counter c, bool split);

/*
 * A branch: its target when that is a distance in words of 4 bytes, as the disassembler prints it,
 * or an address. False: none is given as a number (then a label may be, see isa_label()).
 */
bool isa_target(const char *text, uint64_t address, uint64_t *target);
/* The operand as it stands, for branches to labels; "" when there is none. */
const char *isa_operand(const char *text);
bool isa_falls_through(const char *text, enum att_unit unit); /* the next instruction may follow */

struct isa_registers {
    char file; /* 'v' or 'a' */
    uint32_t first, last;
};
enum { ISA_OPERANDS = 8 };

/* Vector registers of the operands in order, destination first; how many. */
int isa_registers(const char *text, struct isa_registers *out);

#endif
