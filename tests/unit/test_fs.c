/* Files: mapping, listing, writing safely, in a scratch folder of its own. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/str.h"

static struct arena arena;
static char scratch[64];
static struct gs_error err;

static const char *in_scratch(const char *name)
{
    return arena_printf(&arena, "%s/%s", scratch, name);
}

static void put(const char *name, const char *text)
{
    assert_true(fs_write(in_scratch(name), text, strlen(text), &err));
}

static size_t files_in_scratch(struct fs_list *list)
{
    *list = (struct fs_list){0};
    assert_true(fs_list(list, scratch, &arena, &err));
    return list->n;
}

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena);
    snprintf(scratch, sizeof(scratch), "/tmp/gpusight-test-XXXXXX");
    return mkdtemp(scratch) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    struct fs_list list;
    files_in_scratch(&list);
    for (size_t i = 0; i < list.n; i++)
        unlink(list.v[i]);
    rmdir(in_scratch("sub"));
    int failed = rmdir(scratch);
    arena_release(&arena);
    return failed;
}

static void what_is_written_can_be_mapped(void **state)
{
    (void)state;
    put("a", "some text");
    struct mapping m;
    assert_true(map_file(&m, in_scratch("a"), &err));
    assert_int_equal(m.size, 9);
    assert_memory_equal(m.data, "some text", 9);
    for (size_t i = 0; i < FS_SLACK; i++)
        assert_int_equal(m.data[m.size + i], 0);
    unmap_file(&m);
    assert_null(m.data);
    unmap_file(&m); /* twice does no harm */
    assert_int_equal(fs_size(in_scratch("a")), 9);
}

static void files_of_whole_pages_have_slack_too(void **state)
{
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *text = arena_alloc(&arena, page);
    memset(text, 'x', page);
    assert_true(fs_write(in_scratch("page"), text, page, &err));
    struct mapping m;
    assert_true(map_file(&m, in_scratch("page"), &err));
    assert_int_equal(m.data[page - 1], 'x');
    assert_int_equal(m.data[page + FS_SLACK - 1], 0);
    unmap_file(&m);
    put("empty", "");
    assert_true(map_file(&m, in_scratch("empty"), &err));
    assert_int_equal(m.size, 0);
    assert_int_equal(m.data[FS_SLACK - 1], 0);
    unmap_file(&m);
}

static void what_cannot_be_mapped_is_said(void **state)
{
    (void)state;
    struct mapping m;
    assert_false(map_file(&m, "/nowhere/x", &err));
    assert_int_equal(err.code, GS_E_IO);
    assert_string_equal(err.text, "cannot open '/nowhere/x': No such file or directory");
    assert_false(map_file(&m, scratch, &err));
    assert_true(str_has(err.text, "Is a directory"));
}

static void writing_replaces_and_leaves_nothing_behind(void **state)
{
    (void)state;
    put("b", "old and longer");
    put("b", "new");
    struct mapping m;
    assert_true(map_file(&m, in_scratch("b"), &err));
    assert_int_equal(m.size, 3);
    unmap_file(&m);
    struct fs_list list;
    files_in_scratch(&list);
    for (size_t i = 0; i < list.n; i++)
        assert_false(str_ends(list.v[i], ".tmp"));
}

static void a_failed_write_is_an_error(void **state)
{
    (void)state;
    assert_false(fs_write("/nowhere/x", "a", 1, &err));
    assert_int_equal(err.code, GS_E_IO);
    assert_string_equal(err.text, "cannot write '/nowhere/x': No such file or directory");
    assert_false(fs_write("/dev/full", "a", 1, &err));
    assert_string_equal(err.text, "cannot write '/dev/full': No space left on device");
    assert_true(fs_write("/dev/null", "a", 1, &err));
    char name[5000];
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = 0;
    assert_false(fs_write(name, "a", 1, &err));
}

static void a_failed_write_keeps_the_old_file(void **state)
{
    (void)state;
    assert_int_equal(mkdir(in_scratch("sub"), 0777), 0);
    struct fs_list before, after;
    files_in_scratch(&before);
    assert_false(fs_write(in_scratch("sub"), "a", 1, &err)); /* a folder is in the way */
    assert_true(fs_is_dir(in_scratch("sub")));
    assert_int_equal(files_in_scratch(&after), before.n);
}

static void listing_is_sorted_and_holds_only_files(void **state)
{
    (void)state;
    put("z", "");
    put("c", "");
    put(".hidden", "");
    struct fs_list list;
    files_in_scratch(&list);
    for (size_t i = 0; i < list.n; i++) {
        assert_false(fs_is_dir(list.v[i]));
        assert_true(fs_basename(list.v[i])[0] != '.');
        assert_true(!i || strcmp(list.v[i - 1], list.v[i]) < 0);
    }
    assert_string_equal(fs_basename(list.v[list.n - 1]), "z");
    unlink(in_scratch(".hidden"));
    assert_false(fs_list(&list, "/nowhere", &arena, &err));
    assert_string_equal(err.text, "cannot open '/nowhere': No such file or directory");
}

static void questions_about_files(void **state)
{
    (void)state;
    assert_true(fs_exists(scratch) && fs_is_dir(scratch));
    assert_false(fs_exists("/nowhere") || fs_is_dir("/nowhere"));
    assert_int_equal(fs_size("/nowhere"), -1);
    assert_string_equal(fs_basename("/a/b.db"), "b.db");
    assert_string_equal(fs_basename("b.db"), "b.db");
    assert_string_equal(fs_basename("a/"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit_test(what_is_written_can_be_mapped),
        unit_test(files_of_whole_pages_have_slack_too),
        unit_test(what_cannot_be_mapped_is_said),
        unit_test(writing_replaces_and_leaves_nothing_behind),
        unit_test(a_failed_write_is_an_error),
        unit_test(a_failed_write_keeps_the_old_file),
        unit_test(listing_is_sorted_and_holds_only_files),
        unit_test(questions_about_files),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
