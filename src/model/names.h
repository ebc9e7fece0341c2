/*
 * Kernel names: what the compiler called it, what the programmer called it, what fits a table.
 *
 *     const char *full = name_demangle(arena, "_ZN2at6native12fooIfEEvPT_.kd");
 *     const char *cell = name_short(arena, full);
 *
 * A kernel group is its full name; two groups may share one short name, so the short form is for
 * people, never a key. Names are data from strangers: both functions take any bytes, take time
 * linear in the length, and keep control characters and malformed UTF-8 as they are (printing
 * escapes them, see base/utf8.h).
 *
 * The result lives in the arena, or is the argument itself when there was nothing to change.
 *
 * Thread-safety: all functions, each thread with its own arena.
 */
#ifndef GS_MODEL_NAMES_H
#define GS_MODEL_NAMES_H

#include <stddef.h>

#include "base/arena.h"

enum {
    NAME_FULL_MAX = 64 * 1024, /* longer results stay mangled; see also demangle.h */
    NAME_SHORT_MAX = 200,      /* bytes of a short name, the ellipsis included */
};

/*
 * The C++ form of an Itanium-mangled name ("_Z…", "__Z…"), without AMD's kernel descriptor suffix
 * (".kd", " [clone .kd]"). A name that is not mangled, or that cannot be demangled within bounds,
 * or any name in a build without libiberty, comes back with only that suffix removed.
 */
const char *name_demangle(struct arena *a, const char *mangled);

/*
 * A readable form for tables: no return type, parameters, clone suffix, anonymous namespaces or
 * library namespaces, and only so many template arguments ("…" stands for the others).
 *
 *     void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>,
 *         std::array<char*, 3ul> >(int, …)    →  vectorized_elementwise_kernel<4,
 * CUDAFunctor_add<float>> hydro::Grid::step(double*)              →  Grid::step
 *     foo(int)::{lambda(int)#1}::operator()(int) const  →  foo::{lambda#1}
 *     Memcpy HtoD (Pageable -> Device)        →  unchanged: that is no C++
 *
 * At most NAME_SHORT_MAX bytes, cut between characters. Empty only for an empty name.
 */
const char *name_short(struct arena *a, const char *full);

#endif
