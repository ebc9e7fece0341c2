/*
 * Builds with the address sanitizer watch more than others: what is no longer valid is hidden from
 * the program, so that reading it ends there and does not just give another text.
 *
 *     watch_hide(buf, n);                  these bytes are not to be touched ...
 *     watch_show(buf, n);                  ... until here: before they are written or given back
 *
 * Nothing happens in other builds. Hidden bytes stay hidden when an arena uses them again: only for
 * memory of mem_alloc().
 */
#ifndef GS_BASE_WATCH_H
#define GS_BASE_WATCH_H

#if defined(__has_feature) /* clang */
#if __has_feature(address_sanitizer)
#define WATCHED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) /* gcc */
#define WATCHED 1
#endif

#ifdef WATCHED
#include <sanitizer/asan_interface.h>
#define watch_hide(p, n) ASAN_POISON_MEMORY_REGION(p, n)
#define watch_show(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
#else
#define WATCHED 0
#define watch_hide(p, n) ((void)(p), (void)(n))
#define watch_show(p, n) ((void)(p), (void)(n))
#endif

#endif
