#include "failures.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace standin {

static const char *const calls[] = {
#define SYMBOL(name) #name,
#include "../driver/symbols.inc"
#undef SYMBOL
};

// known reports whether a name is a call's, its version left out: cuMemAlloc for cuMemAlloc_v2.
static bool known(const std::string &call) {
    return std::any_of(std::begin(calls), std::end(calls), [&](const std::string &name) {
        return name == call || name.substr(0, name.find("_v")) == call;
    });
}

static bool number(const std::string &text, u64 &value) {
    char *end = nullptr;
    value = std::strtoull(text.c_str(), &end, 10);
    return !text.empty() && *end == '\0' && value > 0;
}

std::string Failures::parse(const std::string &text) {
    std::istringstream list(text);
    for (std::string item; std::getline(list, item, ',');) {
        std::istringstream parts(item);
        std::string call, nth_text, status_text;
        std::getline(parts, call, ':');
        std::getline(parts, nth_text, ':');
        std::getline(parts, status_text);
        u64 nth = 0, status = 0;
        if (!known(call) || !number(nth_text, nth) || !number(status_text, status))
            return "\"" + item + "\" is not CALL:NTH:STATUS with a call that gorgonia.org/cu makes";
        left_.push_back({call, nth, int(status)});
    }
    return "";
}

int Failures::due(const std::string &call) {
    int status = success;
    for (Failure &failure : left_)
        if (failure.call == call && failure.nth > 0 && --failure.nth == 0)
            status = failure.status;
    return status;
}

bool lasting(int status) {
    switch (status) {
    case ecc_uncorrectable:
    case illegal_address:
    case launch_timeout:
    case misaligned_address:
    case launch_failed:
    case unknown:
        return true;
    }
    return false;
}

} // namespace standin
