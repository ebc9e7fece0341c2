/* Limits of containers, in a tree of our own: the real one is the machine's. */
#include "unit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cgroup.h"

static char root[] = "/tmp/cgroup-XXXXXX";

static void put(const char *path, const char *text)
{
    char whole[512];
    snprintf(whole, sizeof(whole), "%s%s", root, path);
    for (char *c = whole + sizeof(root); *c; c++)
        if (*c == '/') {
            *c = 0;
            mkdir(whole, 0700);
            *c = '/';
        }
    FILE *f = fopen(whole, "w");
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

static void the_least_limit_counts(void **state)
{
    (void)state;
    assert_true(cgroup_memory("/does/not/exist") == UINT64_MAX);
    strcpy(root, "/tmp/cgroup-XXXXXX");
    assert_true(mkdtemp(root) != NULL);
    assert_true(cgroup_memory(root) == UINT64_MAX);
    put("/proc/self/cgroup", "12:cpu:/a\n0::/a/b\n");
    assert_true(cgroup_memory(root) == UINT64_MAX);
    put("/sys/fs/cgroup/a/b/memory.max", "max\n");
    assert_true(cgroup_memory(root) == UINT64_MAX);
    put("/sys/fs/cgroup/a/memory.max", "3000000\n"); /* of the group around it */
    assert_true(cgroup_memory(root) == 3000000);
    put("/sys/fs/cgroup/a/b/memory.max", "2000000\n");
    assert_true(cgroup_memory(root) == 2000000);
    put("/sys/fs/cgroup/memory.max", "1000000\n"); /* the root of a namespace has one */
    assert_true(cgroup_memory(root) == 1000000);
    put("/proc/self/cgroup", "4:memory:/x\n0::/\n");
    put("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "9223372036854771712\n");
    assert_true(cgroup_memory(root) == 1000000);
    put("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "500000\n");
    assert_true(cgroup_memory(root) == 500000);
    char remove[64];
    put("/proc/self/cgroup", "no colons\n::\n0::\n");
    assert_true(cgroup_memory(root) == 1000000);
    snprintf(remove, sizeof(remove), "rm -r %s", root);
    assert_int_equal(system(remove), 0);
}

static void processors_are_counted_by_quota(void **state)
{
    char command[64];
    (void)state;
    strcpy(root, "/tmp/cgroup-XXXXXX");
    assert_true(mkdtemp(root) != NULL);
    assert_int_equal(cgroup_cpus(root), INT_MAX);
    put("/proc/self/cgroup", "0::/a/b\n");
    put("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    assert_int_equal(cgroup_cpus(root), INT_MAX);
    put("/sys/fs/cgroup/a/cpu.max", "400000 100000\n"); /* of the group around it */
    assert_int_equal(cgroup_cpus(root), 4);
    put("/sys/fs/cgroup/a/b/cpu.max", "150000 100000\n");
    assert_int_equal(cgroup_cpus(root), 2);
    put("/sys/fs/cgroup/a/b/cpu.max", "100000 100000\n");
    assert_int_equal(cgroup_cpus(root), 1);
    put("/sys/fs/cgroup/a/b/cpu.max", "1000 100000\n");
    assert_int_equal(cgroup_cpus(root), 1);
    put("/sys/fs/cgroup/a/b/cpu.max", "99999999999999999999 7\n");
    assert_int_equal(cgroup_cpus(root), 4);
    put("/sys/fs/cgroup/a/b/cpu.max", "100000 0\n");
    assert_int_equal(cgroup_cpus(root), 4);
    put("/proc/self/cgroup", "5:cpu,cpuacct:/x\n4:cpuset:/y\n");
    put("/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "-1\n");
    put("/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us", "100000\n");
    assert_int_equal(cgroup_cpus(root), INT_MAX);
    put("/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "250000\n");
    assert_int_equal(cgroup_cpus(root), 3);
    snprintf(command, sizeof(command), "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processors_are_counted_by_quota),
        cmocka_unit_test(the_least_limit_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
