#define _GNU_SOURCE /* O_TMPFILE, MAP_ANONYMOUS, fallocate */
#include "base/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/human.h"

enum { LARGE = 256 << 10, DROPPED = 16 << 20 };
#define WINDOW_MOST (UINT64_C(1) << 40)

/*
 * Addresses are set aside for the whole file: byte n of it is always at base + n. So an address alone
 * says whether it lies here, and neighbours are one mapping.
 */
static char *base;
static size_t window;
static size_t page;
static int file = -1, statm = -1;
static char folder[4096];
static uint64_t limit;

struct block {
    size_t at, size; /* whole pages */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *blocks; /* by address; in its own mapping, since mem.c stands on this */
static size_t n_blocks, cap_blocks;
static atomic_size_t used, most_used;
static atomic_size_t last; /* where the last block ends */
static atomic_bool full, watching;
static bool elsewhere; /* in a child: the file is the parent's, nothing is added or taken away */

/* ---- the start ---- */

static bool is_memory(int fd)
{
    struct statfs fs;
    return fstatfs(fd, &fs) == 0 && (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
}

/* A file without a name, or one that has lost it. */
static int open_in(const char *dir)
{
    int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT))
        return fd;
    char name[sizeof(folder) + 32];
    snprintf(name, sizeof(name), "%s/gpusight-XXXXXX", dir);
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        unlink(name);
    return fd;
}

static bool open_file(struct gs_error *err)
{
    const char *given = getenv("TMPDIR");
    const char *const dirs[] = {given && *given ? given : "/var/tmp", "/tmp"};
    int problem = 0;
    bool in_memory = false;
    for (int i = 0; i < (given && *given ? 1 : 2); i++) {
        file = open_in(dirs[i]);
        if (file < 0) {
            problem = errno;
            continue;
        }
        snprintf(folder, sizeof(folder), "%s", dirs[i]);
        if (!is_memory(file))
            return true;
        in_memory = true;
        close(file);
        file = -1;
    }
    if (in_memory)
        return fail(err, GS_E_IO,
                    "'--memory' needs a disk, and '%s' is kept in memory; set TMPDIR to a folder "
                    "on a disk",
                    folder);
    return fail(err, GS_E_IO,
                "'--memory' cannot make a file in '%s': %s; set TMPDIR to a folder "
                "on a disk",
                dirs[0], strerror(problem));
}

/* As many addresses as there are to have; half of them where they are rationed (ulimit -v). */
static bool set_aside(void)
{
    struct rlimit most;
    uint64_t want = WINDOW_MOST;
    if (getrlimit(RLIMIT_AS, &most) == 0 && most.rlim_cur != RLIM_INFINITY &&
        most.rlim_cur / 2 < want)
        want = most.rlim_cur / 2;
    for (want &= ~(uint64_t)(page - 1); want >= LARGE; want = want / 2 & ~(uint64_t)(page - 1)) {
        void *p = mmap(NULL, want, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p != MAP_FAILED) {
            base = p;
            window = want;
            return true;
        }
    }
    return false;
}

/* A child gives the addresses back that nothing lies at: it may have few of its own. */
static void in_child(void)
{
    size_t end = atomic_load(&last);
    elsewhere = true;
    munmap(base + end, window - end);
    window = end;
}

bool spill_limit(uint64_t bytes, struct gs_error *err)
{
    char given[HUMAN_MAX];
    if (bytes < (uint64_t)SPILL_LEAST_MIB << 20)
        return fail(err, GS_E_USAGE, "'--memory' of %s cannot be kept; at least %d MiB are needed",
                    human_bytes(given, bytes), SPILL_LEAST_MIB);
    if (file >= 0) {
        limit = bytes;
        return true;
    }
    page = (size_t)sysconf(_SC_PAGESIZE);
    statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (statm < 0)
        return fail(err, GS_E_IO, "'--memory' needs '/proc/self/statm': %s", strerror(errno));
    if (!open_file(err))
        return false;
    if (!set_aside())
        return fail(err, GS_E_IO, "'--memory' finds no addresses; raise 'ulimit -v'");
    pthread_atfork(NULL, NULL, in_child);
    mallopt(M_MMAP_THRESHOLD, LARGE); /* what is given back goes back: mem_keep() is undone */
    mallopt(M_TRIM_THRESHOLD, LARGE);
    limit = bytes;
    return true;
}

/* ---- the watcher ---- */

static uint64_t resident(void)
{
    char text[128];
    ssize_t n = pread(statm, text, sizeof(text) - 1, 0);
    if (n <= 0)
        return 0;
    text[n] = 0;
    const char *second = strchr(text, ' ');
    return second ? strtoull(second, NULL, 10) * page : 0;
}

/*
 * From here on pages are dropped. What threads can touch before somebody looks again must fit above
 * it: the system maps pages of a file that lie together at once.
 */
static uint64_t high_mark(void)
{
    uint64_t room = limit / 2 < 192u << 20 ? limit / 2 : 192u << 20;
    return limit - (room > limit / 4 ? room : limit / 4);
}

/*
 * Round and round over the blocks. Dropping pages of a shared mapping loses nothing: what was written
 * to them is the file's. So no thread has to be stopped, nor asked.
 */
static void drop_pages(void)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    static size_t hand;
    uint64_t low = high_mark() / 2;
    size_t end = atomic_load(&last);
    if (pthread_mutex_trylock(&one) != 0)
        return; /* somebody is at it */
    for (size_t seen = 0; seen < end && resident() > low; seen += DROPPED) {
        if (hand >= end)
            hand = 0;
        size_t n = end - hand < DROPPED ? end - hand : DROPPED;
        madvise(base + hand, n, MADV_DONTNEED);
        hand += DROPPED;
    }
    pthread_mutex_unlock(&one);
}

void spill_pace(void)
{
    if (atomic_load_explicit(&used, memory_order_relaxed) && resident() > high_mark())
        drop_pages();
}

/*
 * On a busy machine threads wait for their turn, and meanwhile those that have theirs touch memory by
 * the gigabyte. So it asks to come before them for the microseconds that it needs: where that is not
 * allowed, for a short slice, which lets it run soon after it wakes (since Linux 6.12).
 */
static void ask_for_promptness(void)
{
#ifdef SYS_sched_setattr
    enum { NORMAL = 0, ROUND_ROBIN = 2, ATTRIBUTES = 48 };
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime_ns, deadline_ns, period_ns;
    } first = {.size = ATTRIBUTES, .policy = ROUND_ROBIN, .priority = 1},
      soon = {.size = ATTRIBUTES, .policy = NORMAL, .runtime_ns = 100000};
    if (syscall(SYS_sched_setattr, 0, &first, 0) != 0)
        syscall(SYS_sched_setattr, 0, &soon, 0);
#endif
}

static void *watch(void *nothing)
{
    (void)nothing;
    ask_for_promptness();
    for (;;) {
        spill_pace();
        struct timespec pause = {0, 500000}; /* the system maps megabytes at one touch */
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static void start_watcher(void)
{
    pthread_t thread;
    pthread_attr_t small;
    sigset_t all, before;
    if (atomic_exchange(&watching, true))
        return;
    sigfillset(&all); /* signals are for the others */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&small);
    pthread_attr_setdetachstate(&small, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&small, 256 << 10);
    if (pthread_create(&thread, &small, watch, NULL) != 0)
        atomic_store(&watching, false); /* the next block tries again */
    pthread_attr_destroy(&small);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- blocks ---- */

bool spill_wants(size_t size, size_t held)
{
    if (!limit || size < LARGE || elsewhere)
        return false;
    size_t in_file = atomic_load_explicit(&used, memory_order_relaxed);
    size_t in_memory = held > in_file ? held - in_file : 0;
    return size > limit / 4 || in_memory > limit / 4 - size;
}

bool spill_has(const void *p)
{
    return limit && (const char *)p >= base && (const char *)p < base + window;
}

/* The first block that does not end before `at`. */
static size_t find(size_t at)
{
    size_t from = 0;
    BISECT(from, n_blocks, i, blocks[i].at + blocks[i].size <= at);
    return from;
}

static bool room_for_one(void)
{
    if (n_blocks < cap_blocks)
        return true;
    size_t cap = cap_blocks ? cap_blocks * 2 : 4096;
    void *p = mmap(NULL, cap * sizeof(*blocks), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                   -1, 0);
    if (p == MAP_FAILED)
        return false;
    if (n_blocks)
        memcpy(p, blocks, n_blocks * sizeof(*blocks));
    if (blocks)
        munmap(blocks, cap_blocks * sizeof(*blocks));
    blocks = p;
    cap_blocks = cap;
    return true;
}

/* Where a block of this size fits: the first gap. Returns the index it will have. */
static bool find_gap(size_t size, size_t *index, size_t *at)
{
    *at = 0;
    for (*index = 0; *index < n_blocks; ++*index) {
        if (blocks[*index].at - *at >= size)
            return true;
        *at = blocks[*index].at + blocks[*index].size;
    }
    return window - *at >= size;
}

/* Room on the disk first: a page that finds none when it is written to would end the process. */
static bool back(size_t at, size_t size)
{
    int problem;
    do
        problem = posix_fallocate(file, (off_t)at, (off_t)size);
    while (problem == EINTR);
    if (problem) {
        atomic_store(&full, true);
        return false;
    }
    return mmap(base + at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, (off_t)at) !=
           MAP_FAILED;
}

/* Back to the disk and to the addresses set aside; zeroes are there when it is taken again. */
static void unback(size_t at, size_t size)
{
    if (fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)size) != 0)
        memset(base + at, 0, size);
    mmap(base + at, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
         0);
}

static void count(size_t size)
{
    size_t now = atomic_fetch_add(&used, size) + size, top = atomic_load(&most_used);
    while (now > top && !atomic_compare_exchange_weak(&most_used, &top, now))
        ;
}

static void set_last(void)
{
    atomic_store(&last, n_blocks ? blocks[n_blocks - 1].at + blocks[n_blocks - 1].size : 0);
}

static bool add_block(size_t size, size_t *at)
{
    size_t index;
    pthread_mutex_lock(&lock);
    bool ok = room_for_one() && find_gap(size, &index, at);
    if (ok) {
        memmove(blocks + index + 1, blocks + index, (n_blocks - index) * sizeof(*blocks));
        blocks[index] = (struct block){*at, size};
        n_blocks++;
        set_last();
    }
    pthread_mutex_unlock(&lock);
    return ok;
}

static void remove_block(size_t at)
{
    pthread_mutex_lock(&lock);
    size_t i = find(at);
    memmove(blocks + i, blocks + i + 1, (n_blocks - i - 1) * sizeof(*blocks));
    n_blocks--;
    set_last();
    pthread_mutex_unlock(&lock);
}

/* The disk may take its time; nobody else waits for it, as the lock is not held meanwhile. */
void *spill_take(size_t size)
{
    size_t at, whole = (size + page - 1) & ~(page - 1);
    start_watcher();
    if (whole < size || !add_block(whole, &at))
        return NULL;
    if (!back(at, whole)) {
        remove_block(at);
        return NULL;
    }
    count(whole);
    return base + at;
}

size_t spill_size(const void *p)
{
    pthread_mutex_lock(&lock);
    size_t size = blocks[find((size_t)((const char *)p - base))].size;
    pthread_mutex_unlock(&lock);
    return size;
}

static bool resize(size_t at, size_t size)
{
    pthread_mutex_lock(&lock);
    size_t i = find(at), end = i + 1 < n_blocks ? blocks[i + 1].at : window;
    bool ok = end - at >= size;
    if (ok)
        blocks[i].size = size;
    set_last();
    pthread_mutex_unlock(&lock);
    return ok;
}

/* Where the addresses behind it are free: in place. */
static bool grow_in_place(void *p, size_t old, size_t whole)
{
    size_t at = (size_t)((char *)p - base);
    if (!resize(at, whole))
        return false;
    if (!back(at + old, whole - old)) {
        resize(at, old);
        return false;
    }
    count(whole - old);
    return true;
}

void *spill_grow(void *p, size_t size)
{
    size_t old = spill_size(p), whole = (size + page - 1) & ~(page - 1);
    if (size <= old)
        return p;
    if (elsewhere)
        return NULL;
    if (whole >= size && grow_in_place(p, old, whole))
        return p;
    void *q = spill_take(size);
    if (!q)
        return NULL;
    memcpy(q, p, old);
    spill_free(p);
    return q;
}

void spill_free(void *p)
{
    size_t at = (size_t)((char *)p - base), size = spill_size(p);
    if (elsewhere)
        return;
    unback(at, size);
    remove_block(at);
    atomic_fetch_sub(&used, size);
}

/* ---- what is known of it ---- */

const char *spill_full(void)
{
    return atomic_load(&full) ? folder : NULL;
}

uint64_t spill_peak(void)
{
    return atomic_load(&most_used);
}

uint64_t spill_bound(void)
{
    return limit;
}

bool spill_fits(uint64_t bytes, struct gs_error *err)
{
    struct statfs fs;
    char need[HUMAN_MAX], have[HUMAN_MAX], bound[HUMAN_MAX];
    if (!limit || bytes <= limit / 4 || fstatfs(file, &fs) != 0)
        return true;
    uint64_t more = bytes - limit / 4, room = (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize;
    return more <= room ||
           fail(err, GS_E_IO,
                "'--memory' of %s cannot be kept: about %s more are needed on a disk, and '%s' has "
                "%s; set TMPDIR to a folder with more",
                human_bytes(bound, limit), human_bytes(need, more), folder,
                human_bytes(have, room));
}
