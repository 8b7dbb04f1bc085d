// usage: harness LIBRARY PTX copies|comparisons|large|effort|all [SEED [CASES]]
//        harness LIBRARY PTX measure
//        harness LIBRARY PTX scenario NAME
//
// Status 0: the kernels did what they should; 1: they did not, and the last line says what.

#include "harness.h"

#include <sys/resource.h>

// limit_time ends a kernel that does not end itself: HARNESS_SECONDS of the processor's time, usually 300.
static void limit_time() {
    const char *seconds = std::getenv("HARNESS_SECONDS");
    rlim_t most = seconds == nullptr ? 300 : std::strtoull(seconds, nullptr, 10);
    const rlimit limit = {most, most + 1};
    setrlimit(RLIMIT_CPU, &limit);
}

static void check(Driver &driver, const std::string &what, u64 seed, u64 cases) {
    bool all = what == "all";
    if (all || what == "comparisons")
        check_comparisons(driver, seed, cases);
    if (all || what == "copies")
        check_copies(driver, seed, cases);
    if (all || what == "large")
        check_large(driver, seed);
    if (all || what == "effort")
        check_effort(driver);
}

static void run(const char *library, const char *ptx, const std::string &what, const char *first, const char *second) {
    if (what == "scenario")
        return run_scenario(library, ptx, first);
    Driver driver(library, ptx);
    if (what == "measure")
        measure(driver);
    else
        check(driver, what, std::strtoull(first, nullptr, 10), std::strtoull(second, nullptr, 10));
}

int main(int count, char **arguments) {
    if (count < 4)
        return std::fprintf(stderr, "usage: harness LIBRARY PTX WHAT [SEED [CASES]]\n"), 2;
    limit_time();
    try {
        run(arguments[1], arguments[2], arguments[3], count > 4 ? arguments[4] : "1", count > 5 ? arguments[5] : "1000");
    } catch (const Wrong &wrong) {
        std::printf("%s\n", wrong.problem.c_str());
        return 1;
    }
    return 0;
}
