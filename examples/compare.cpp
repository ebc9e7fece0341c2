// Whether the second trace is faster than the first; the exit code is 1 when it is slower.
//
//     c++ compare.cpp $(pkg-config --cflags --libs gpusight) -o compare && ./compare a.db b.db
#include <gpusight/gpusight.h>

#include <cstdio>
#include <memory>
#include <string>

namespace
{

struct Close {
    void operator()(gs_run *run) const
    {
        gs_close(run);
    }
    void operator()(gs_comparison *c) const
    {
        gs_comparison_close(c);
    }
};
using Run = std::unique_ptr<gs_run, Close>;

Run open(const char *path)
{
    gs_error err;
    Run run(gs_open(&path, 1, nullptr, nullptr, &err));
    if (!run)
        std::fprintf(stderr, "%s\n", err.text);
    return run;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    Run a = open(argv[1]), b = open(argv[2]);
    if (!a || !b)
        return 3;
    gs_error err;
    gs_run *before = a.get(), *after = b.get();
    std::unique_ptr<gs_comparison, Close> c(gs_compare(&before, 1, &after, 1, nullptr, &err));
    if (!c)
        return std::fprintf(stderr, "%s\n", err.text), 3;
    std::printf("%s\n", gs_comparison_headline(c.get()));
    return std::string(gs_comparison_verdict(c.get())) == "slower" ? 1 : 0;
}
