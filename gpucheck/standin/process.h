// The stand-in's state, and what every call goes through.

#pragma once

#include "failures.h"
#include "kernel.h"

#include <mutex>
#include <set>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace standin {

struct Context {
    int device;
    u64 peers;   // a bit for each device whose memory kernels of this context may touch
    int retained; // of a primary context: how often
};

struct Module {
    Kernels kernels;
};

struct Stream {
    int device;
};

struct Event {
    bool recorded;
    double milliseconds; // since some fixed moment
};

// How a call behaves once something has gone wrong.
enum class Kind {
    query,   // asks about devices: answers always
    work,    // needs a context; a kernel's fault may not have come up yet
    waiting, // like work, but waits for the device: a kernel's fault comes up here
    release, // like waiting, but frees what it names even after a fault, and answers with the fault
};

struct Process {
    std::mutex mutex;
    bool ready = false;
    int devices = 1;
    bool interpret = false;
    Failures failures;

    int pending = success; // a kernel's fault that no call has reported yet
    int fault = success;   // the fault that every call answers with from now on
    std::string problem;   // its description, or why cuInit refused

    Memory memory;
    std::set<Context *> contexts;
    std::set<Module *> modules;
    std::set<Stream *> streams;
    std::set<Event *> events;
    std::map<int, Context *> primary; // by device
};

// process is never destroyed: a program's other threads may still call when it ends.
Process &process();

// contexts is the calling thread's stack of contexts.
std::vector<Context *> &contexts();
Context *current();

// fail keeps a lasting fault that a call answers with itself.
int fail(int status, const std::string &problem);

// begin counts a call and returns what it must answer at once, if anything. *run says whether the body runs all the same.
int begin(const char *name, Kind kind, bool *run);

// call wraps the body of every call but cuInit: one at a time, failures first.
template <typename Body> int call(const char *name, Kind kind, Body body) {
    std::lock_guard<std::mutex> lock(process().mutex);
    bool run = false;
    int status = begin(name, kind, &run);
    int answer = run ? body() : success;
    return status != success ? status : answer;
}

// handle returns the object that a handle names, or null.
template <typename T> T *handle(const std::set<T *> &live, void *name) {
    auto found = live.find(static_cast<T *>(name));
    return found == live.end() ? nullptr : *found;
}

} // namespace standin
