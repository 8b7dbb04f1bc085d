#include "process.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace standin {

static const u64 most_devices = 16;

Process &process() {
    static Process *one = new Process;
    return *one;
}

std::vector<Context *> &contexts() {
    thread_local std::vector<Context *> stack;
    return stack;
}

// A context that another thread has destroyed is no longer current.
Context *current() {
    Context *top = contexts().empty() ? nullptr : contexts().back();
    return handle(process().contexts, top);
}

int fail(int status, const std::string &problem) {
    process().fault = status;
    process().problem = problem;
    return status;
}

// injected answers with a failure that was asked for. A launch that dies says so later, as a device's does.
static int injected(const std::string &name) {
    int status = process().failures.due(name);
    if (!lasting(status))
        return status;
    if (name == "cuLaunchKernel") {
        process().pending = status;
        process().problem = "injected into a launch";
        return success;
    }
    return fail(status, "injected into " + name);
}

int begin(const char *name, Kind kind, bool *run) {
    Process &p = process();
    *run = false;
    if (!p.ready)
        return not_initialized;
    int status = injected(name);
    bool waits = kind == Kind::waiting || kind == Kind::release;
    if (waits && p.fault == success && p.pending != success)
        p.fault = p.pending;
    if (kind != Kind::query && p.fault != success)
        status = p.fault;
    if (status == success && kind != Kind::query && current() == nullptr)
        status = invalid_context;
    *run = status == success || (kind == Kind::release && p.fault != success);
    return status;
}

static std::string environment(const char *name) {
    const char *value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// configure reads the environment and returns what is wrong with it, or "".
static std::string configure(Process &p) {
    std::string engine = environment("SHARDPROOF_STANDIN_ENGINE");
    if (engine != "" && engine != "source" && engine != "ptx")
        return "SHARDPROOF_STANDIN_ENGINE=" + engine + ": not source or ptx";
    p.interpret = engine == "ptx";
    std::string devices = environment("SHARDPROOF_STANDIN_DEVICES");
    p.devices = devices == "" ? 1 : std::atoi(devices.c_str());
    if (p.devices < 1 || p.devices > int(most_devices))
        return "SHARDPROOF_STANDIN_DEVICES=" + devices + ": not 1 to " + std::to_string(most_devices);
    std::string problem = p.failures.parse(environment("SHARDPROOF_STANDIN_FAIL"));
    return problem == "" ? "" : "SHARDPROOF_STANDIN_FAIL: " + problem;
}

} // namespace standin

using namespace standin;

EXPORT int cuInit(unsigned) {
    Process &p = process();
    std::lock_guard<std::mutex> lock(p.mutex);
    if (p.ready)
        return success;
    p.problem = configure(p);
    if (p.problem != "") {
        std::fprintf(stderr, "stand-in: %s\n", p.problem.c_str());
        return invalid_value;
    }
    int status = p.failures.due("cuInit");
    p.ready = status == success;
    return status;
}

// standinLive counts what was made and not freed: "allocations", "contexts", "modules", "streams" or "events". -1: no such kind.
EXPORT long long standinLive(const char *kind) {
    Process &p = process();
    std::lock_guard<std::mutex> lock(p.mutex);
    std::string name = kind;
    if (name == "allocations") return p.memory.count();
    if (name == "contexts") return p.contexts.size();
    if (name == "modules") return p.modules.size();
    if (name == "streams") return p.streams.size();
    if (name == "events") return p.events.size();
    return -1;
}

// standinProblem says what the last fault was, or why cuInit refused. It stays as it is until the next one.
EXPORT const char *standinProblem() {
    std::lock_guard<std::mutex> lock(process().mutex);
    return process().problem.c_str();
}

// standinInstructions is how many PTX instructions were interpreted so far.
EXPORT unsigned long long standinInstructions() {
    std::lock_guard<std::mutex> lock(process().mutex);
    return instructions();
}
