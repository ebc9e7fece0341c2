/* What may be written and in which form: inputs, sets of files, unfinished names, renderers. */
#include "unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/fs_set.h"
#include "base/fs_text.h"
#include "base/inputs.h"
#include "base/mem.h"
#include "base/unfinished.h"
#include "render/renderers.h"

static struct arena arena;
static char scratch[64];
static struct gs_error err;

static const char *in_scratch(const char *name)
{
    return arena_printf(&arena, "%s/%s", scratch, name);
}

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena);
    inputs_forget(0);
    snprintf(scratch, sizeof(scratch), "/tmp/gpusight-test-XXXXXX");
    return mkdtemp(scratch) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    struct fs_list list = {0};
    fs_list(&list, scratch, &arena, &err);
    for (size_t i = 0; i < list.n; i++)
        unlink(list.v[i]);
    rmdir(scratch);
    arena_release(&arena);
    return 0;
}

static void put(const char *name)
{
    assert_true(fs_write(in_scratch(name), name, strlen(name), &err));
}

static void read_it(const char *name)
{
    struct mapping m;
    assert_true(map_file(&m, in_scratch(name), &err));
    unmap_file(&m);
}

static bool may_write(const char *name)
{
    err = (struct gs_error){0};
    return fs_out_check(in_scratch(name), &err);
}

static void what_was_read_is_not_written(void **state)
{
    (void)state;
    put("a");
    put("b");
    read_it("a");
    assert_int_equal(link(in_scratch("a"), in_scratch("hard")), 0);
    assert_int_equal(symlink("a", in_scratch("soft")), 0);
    const char *same[] = {"a", "./a", "hard", "soft"};
    for (size_t i = 0; i < 4; i++) {
        assert_false(may_write(same[i]));
        assert_int_equal(err.code, GS_E_USAGE);
        assert_false(fs_write(in_scratch(same[i]), "x", 1, &err));
    }
    assert_int_equal(fs_size(in_scratch("a")), 1);
    assert_true(may_write("b"));
    assert_true(may_write("new"));
    inputs_add_beside(in_scratch("a"), "-wal");
    assert_false(may_write("a-wal"));
    assert_true(may_write("b-wal"));
}

static void *add_beside(void *path)
{
    inputs_add_beside(path, "-wal");
    return NULL;
}

/* Two threads look at files at the same time: one forgets only what it has seen itself. */
static void one_thread_forgets_nothing_of_another(void **state)
{
    (void)state;
    pthread_t other;
    size_t mark = inputs_mark();
    inputs_add_beside(in_scratch("mine"), "-wal");
    assert_int_equal(pthread_create(&other, NULL, add_beside, (void *)in_scratch("theirs")), 0);
    assert_int_equal(pthread_join(other, NULL), 0);
    inputs_forget(mark);
    assert_true(may_write("mine-wal"));
    assert_false(may_write("theirs-wal"));
}

static void what_was_only_looked_at_may_be_written(void **state)
{
    (void)state;
    put("a");
    put("b");
    read_it("a");
    size_t mark = inputs_mark();
    read_it("b");
    read_it("a");
    inputs_add_beside(in_scratch("b"), "-wal");
    inputs_forget(mark);
    assert_true(may_write("b"));
    assert_true(may_write("b-wal"));
    assert_false(may_write("a"));
    for (int i = 0; i < 5000; i++) /* more than fits at first */
        inputs_add_beside(in_scratch("c"), arena_printf(&arena, "-%d", i));
    assert_false(may_write("c-0"));
    assert_false(may_write("c-4999"));
    assert_true(may_write("c-5000"));
}

static void a_set_appears_together_or_not_at_all(void **state)
{
    (void)state;
    struct fs_set set;
    fs_set_init(&set, &arena);
    const char *folder = in_scratch("new/deep");
    assert_true(fs_set_folder(&set, folder, &err));
    assert_true(fs_set_write(&set, in_scratch("new/deep/x"), "x", 1, &err));
    assert_true(fs_set_write(&set, in_scratch("y"), "y", 1, &err));
    assert_false(fs_set_write(&set, in_scratch("./y"), "z", 1, &err)); /* twice */
    assert_int_equal(err.code, GS_E_USAGE);
    assert_false(fs_exists(in_scratch("y")));
    fs_set_abandon(&set);
    assert_false(fs_exists(in_scratch("new")));

    assert_true(fs_set_folder(&set, folder, &err));
    assert_true(fs_set_write(&set, in_scratch("new/deep/x"), "x", 1, &err));
    assert_true(fs_set_close(&set, &err));
    assert_int_equal(fs_size(in_scratch("new/deep/x")), 1);
    unlink(in_scratch("new/deep/x"));
    rmdir(folder);
    rmdir(in_scratch("new"));
}

/* Lines of eight bytes with their numbers, more than are held by far. */
enum { LINES = 5 * FS_TEXT_HELD / 8 };

static bool write_lines(struct fs_set *set, const char *path)
{
    struct fs_text *t = arena_new(&arena, struct fs_text);
    fs_text_init(t, set, path);
    for (int i = 0; i < LINES; i++) {
        str_printf(&t->text, "%07d\n", i);
        fs_text_pour(t);
        assert_true(t->stays || t->text.len < FS_TEXT_HELD);
    }
    return fs_text_done(t, &err);
}

/* How many of these lines, in order, are all that there is. */
static int lines_in(int fd)
{
    char line[16];
    int n = 0;
    FILE *f = fdopen(fd, "r");
    while (fgets(line, sizeof(line), f) && line[7] == '\n' && atoi(line) == n)
        n++;
    n = feof(f) ? n : -1;
    fclose(f);
    return n;
}

static void a_long_text_goes_ahead_but_appears_at_the_end(void **state)
{
    (void)state;
    struct fs_set set;
    fs_set_init(&set, &arena);
    assert_true(write_lines(&set, in_scratch("a")));
    assert_false(fs_exists(in_scratch("a")));
    assert_true(fs_set_close(&set, &err));
    assert_int_equal(lines_in(open(in_scratch("a"), O_RDONLY)), LINES);

    read_it("a"); /* now it is an input */
    assert_false(write_lines(&set, in_scratch("a")));
    assert_int_equal(err.code, GS_E_USAGE);
    assert_false(write_lines(&set, in_scratch("none/b")));
    assert_int_equal(err.code, GS_E_IO);
    fs_set_abandon(&set);
    assert_int_equal(lines_in(open(in_scratch("a"), O_RDONLY)), LINES);
}

/* What a child writes into a pipe whose temporary files have a folder, and no room for `most`. */
static int lines_through_a_pipe(const char *folder, rlim_t most)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (!child) {
        struct fs_set set;
        close(ends[0]);
        setenv("TMPDIR", folder, 1);
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){most, most});
        fs_set_init(&set, &arena);
        bool ok = write_lines(&set, arena_printf(&arena, "/dev/fd/%d", ends[1]));
        ok = ok && fs_set_close(&set, &err);
        _exit(!ok);
    }
    int status;
    close(ends[1]);
    int n = lines_in(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return n;
}

static void what_waits_for_a_pipe_needs_no_room_on_a_disk(void **state)
{
    (void)state;
    assert_int_equal(lines_through_a_pipe(scratch, RLIM_INFINITY), LINES);
    assert_int_equal(lines_through_a_pipe(in_scratch("none"), RLIM_INFINITY), LINES);
    for (rlim_t held = 1; held <= 5; held++) /* it ends in each piece, and in the last line */
        assert_int_equal(lines_through_a_pipe(scratch, held * FS_TEXT_HELD - 4), LINES);
    struct fs_list left = {0};
    assert_true(fs_list(&left, scratch, &arena, &err));
    assert_int_equal(left.n, 0);
}

static void permissions_are_kept(void **state)
{
    (void)state;
    struct stat st;
    put("a");
    assert_int_equal(chmod(in_scratch("a"), 0600), 0);
    put("a");
    assert_int_equal(stat(in_scratch("a"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static void databases_need_a_file(void **state)
{
    (void)state;
    struct fs_out out;
    assert_false(fs_out_database(&out, "/dev/null", &err));
    assert_int_equal(err.code, GS_E_USAGE);
    assert_true(fs_out_database(&out, in_scratch("d"), &err));
    assert_true(str_ends(out.temp, ".tmp") && fs_exists(out.temp));
    struct fs_out again; /* a name that a killed process has left is no obstacle */
    assert_true(fs_out_database(&again, in_scratch("d"), &err));
    fs_out_abandon(&again);
    assert_false(fs_exists(out.temp));
    fs_out_abandon(&out);
    assert_true(fs_out_database(&out, in_scratch("d"), &err));
    assert_true(fs_out_close(&out, &err));
    assert_true(fs_exists(in_scratch("d")));
}

static void signals_remove_what_is_unfinished(void **state)
{
    (void)state;
    const char *name = in_scratch("half.tmp"), *log = in_scratch("half.tmp-wal");
    pid_t child = fork();
    if (!child) {
        unfinished_on_signals();
        unfinished_add(name);
        close(open(name, O_CREAT | O_WRONLY, 0600));
        close(open(log, O_CREAT | O_WRONLY, 0600));
        raise(SIGTERM);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    assert_false(fs_exists(name) || fs_exists(log));
}

static void every_form_has_a_name_and_an_extension(void **state)
{
    (void)state;
    for (size_t i = 0; renderers[i]; i++) {
        const struct renderer *r = renderers[i];
        const struct renderer *found = renderer_find(r->name);
        assert_ptr_equal(found, r->same_as ? r->same_as : r);
        assert_true(r->same_as || !r->render != !r->write);
        if (r->same_as)
            continue;
        const char *path = arena_printf(&arena, "a.b/c%s", renderer_extension(r, &arena));
        /* Many things are CSV: only commands that write such a table take the name for it. */
        assert_ptr_equal(renderer_by_extension(path), r == &renderer_csv ? NULL : r);
    }
    assert_true(str_starts(RENDERER_CHOICES, "text|json|"));
    assert_true(str_ends(RENDERER_CHOICES_AND(shell), "|shell"));
    assert_null(renderer_by_extension("a.html/b"));
    assert_null(renderer_by_extension(".html"));
    assert_null(renderer_by_extension("x."));
    assert_null(renderer_by_extension("x.v2"));
    assert_ptr_equal(renderer_by_extension("x.HTM"), &renderer_html);
}

int main(void)
{
#define IN_SCRATCH(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(what_was_read_is_not_written),
        IN_SCRATCH(what_was_only_looked_at_may_be_written),
        IN_SCRATCH(one_thread_forgets_nothing_of_another),
        IN_SCRATCH(a_set_appears_together_or_not_at_all),
        IN_SCRATCH(a_long_text_goes_ahead_but_appears_at_the_end),
        IN_SCRATCH(what_waits_for_a_pipe_needs_no_room_on_a_disk),
        IN_SCRATCH(permissions_are_kept),
        IN_SCRATCH(databases_need_a_file),
        IN_SCRATCH(signals_remove_what_is_unfinished),
        IN_SCRATCH(every_form_has_a_name_and_an_extension),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
