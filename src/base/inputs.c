#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "base/inputs.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/str.h"

/* A file, or, with a name, what is called so in a folder. */
struct known {
    dev_t device;
    ino_t inode;
    bool named;
    bool forgotten;
    const void *thread; /* that added it: its `me` */
    size_t name;        /* in `names` */
};

/*
 * Grown by mmap(): files are added where they are opened, holding things that nobody would release
 * if an allocation unwound (base/mem.h), and a shortage here must not look like one of theirs.
 */
struct pool {
    char *at;
    size_t used, size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pool files, names;
static bool incomplete; /* no memory for one of them: then nothing may be written */
static _Thread_local char me;

static bool put(struct pool *p, const void *data, size_t n)
{
    if (p->used + n > p->size) {
        size_t size = (p->used + n) * 2 + 65536;
        char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED)
            return false;
        if (p->used)
            memcpy(at, p->at, p->used);
        if (p->at)
            munmap(p->at, p->size);
        p->at = at;
        p->size = size;
    }
    memcpy(p->at + p->used, data, n);
    p->used += n;
    return true;
}

static struct known *all(size_t *n)
{
    *n = files.used / sizeof(struct known);
    return (struct known *)(void *)files.at;
}

/* The same file is opened a few times in a row: looked at, mapped, read. */
static bool just_added(const struct stat *st)
{
    enum { LATELY = 8 };
    size_t n;
    const struct known *known = all(&n);
    for (size_t i = n; i > 0 && n - i < LATELY; i--)
        if (!known[i - 1].named && !known[i - 1].forgotten && known[i - 1].thread == &me &&
            known[i - 1].device == st->st_dev && known[i - 1].inode == st->st_ino)
            return true;
    return false;
}

/* `name` and `tail` are one name; NULL: the file itself. */
static void add(const struct stat *st, const char *name, const char *tail)
{
    pthread_mutex_lock(&lock);
    if (!name && just_added(st)) {
        pthread_mutex_unlock(&lock);
        return;
    }
    struct known k = {.device = st->st_dev,
                      .inode = st->st_ino,
                      .named = name != NULL,
                      .thread = &me,
                      .name = names.used};
    bool ok = !name || (put(&names, name, strlen(name)) && put(&names, tail, strlen(tail) + 1));
    if (!ok || !put(&files, &k, sizeof(k)))
        incomplete = true;
    pthread_mutex_unlock(&lock);
}

/*
 * `2>>trace.db`: even what we say about a file must not get into it. Nobody is there to read it
 * then; the exit code still tells. Closed but not free: opened for reading, writing to it fails.
 */
static void keep_messages_out(const struct stat *st)
{
    struct stat messages;
    if (fstat(STDERR_FILENO, &messages) != 0 || messages.st_ino != st->st_ino ||
        messages.st_dev != st->st_dev)
        return;
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || dup2(fd, STDERR_FILENO) < 0)
        close(STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

void inputs_add(const struct stat *st)
{
    if (!S_ISREG(st->st_mode))
        return;
    keep_messages_out(st);
    add(st, NULL, NULL);
}

static bool folder_of(const char *path, struct stat *st)
{
    char dir[PATH_MAX];
    size_t n = (size_t)(fs_basename(path) - path);
    if (n >= sizeof(dir))
        return false;
    memcpy(dir, path, n);
    dir[n] = 0;
    return stat(n ? dir : ".", st) == 0;
}

void inputs_add_beside(const char *path, const char *tail)
{
    struct stat st;
    if (folder_of(path, &st))
        add(&st, fs_basename(path), tail);
}

size_t inputs_mark(void)
{
    size_t n;
    pthread_mutex_lock(&lock);
    all(&n);
    pthread_mutex_unlock(&lock);
    return n;
}

void inputs_forget(size_t mark)
{
    size_t n;
    pthread_mutex_lock(&lock);
    struct known *known = all(&n);
    for (size_t i = mark; i < n; i++) /* what other threads have added since stays */
        known[i].forgotten |= known[i].thread == &me;
    for (; n > mark && known[n - 1].forgotten; n--) {
        names.used = known[n - 1].name;
        files.used = (n - 1) * sizeof(*known);
    }
    pthread_mutex_unlock(&lock);
}

static bool is_known(const struct stat *st, const char *name)
{
    size_t n;
    bool found = false;
    const struct known *known = all(&n);
    for (size_t i = 0; i < n && !found; i++)
        found = !known[i].forgotten && known[i].device == st->st_dev &&
                known[i].inode == st->st_ino && known[i].named == (name != NULL) &&
                (!name || str_eq(names.at + known[i].name, name));
    return found;
}

bool inputs_allow(const char *path, const struct stat *st, struct gs_error *err)
{
    struct stat dir;
    bool in_folder = path && folder_of(path, &dir);
    pthread_mutex_lock(&lock);
    bool unsure = incomplete, read = st && S_ISREG(st->st_mode) && is_known(st, NULL);
    bool beside = in_folder && is_known(&dir, fs_basename(path));
    pthread_mutex_unlock(&lock);
    if (unsure)
        return fail(err, GS_E_IO, "out of memory");
    if (read && !path)
        return fail(err, GS_E_USAGE,
                    "cannot write to standard output: this command reads the file it goes to");
    if (read)
        return fail(err, GS_E_USAGE,
                    "cannot write '%s': this command reads it; give the result another name", path);
    return !beside || fail(err, GS_E_USAGE,
                           "cannot write '%s': it belongs to a trace that this command reads; give "
                           "the result another name",
                           path);
}
