#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "llm/target.h"

/* Read through the descriptor that was checked, so that nothing can be put in its place. */
static bool may_be_read(int fd, const char *path, struct gs_error *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return fail(err, GS_E_USAGE, "the key file '%s' is no regular file", path);
    if (st.st_uid != geteuid() && st.st_uid != 0)
        return fail(err, GS_E_USAGE, "the key file '%s' belongs to someone else", path);
    if (st.st_mode & 077)
        return fail(err, GS_E_USAGE,
                    "others can read the key file '%s'; run 'chmod 600' on it first", path);
    return true;
}

const char *llm_key_file(const char *path, struct arena *a, struct gs_error *err)
{
    char *key = arena_alloc(a, 8192);
    int fd = fs_open(path, err);
    if (fd < 0)
        return NULL;
    ptrdiff_t n = may_be_read(fd, path, err) ? fs_read_up_to(fd, key, 8191) : -2;
    close(fd);
    if (n == -2)
        return NULL;
    if (n < 0) {
        fail(err, GS_E_IO, "cannot read the key file '%s'", path);
        return NULL;
    }
    key += strspn(key, " \t\r\n");
    key[strcspn(key, " \t\r\n")] = 0;
    if (*key)
        return key;
    fail(err, GS_E_USAGE, "the key file '%s' is empty", path);
    return NULL;
}
