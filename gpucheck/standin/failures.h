// Failures on demand: what a driver would answer when a device runs out of memory or dies.

#pragma once

#include "abi.h"

#include <string>
#include <vector>

namespace standin {

// A Failure answers the nth call of one name since the process began, counted from 1, with a status.
struct Failure {
    std::string call; // without its version: cuMemAlloc
    u64 nth;
    int status;
};

// Failures counts calls and says which fail.
class Failures {
  public:
    // parse reads "cuMemAlloc:3:2,cuLaunchKernel:1:719". It returns what is wrong, or "".
    std::string parse(const std::string &text);

    // due counts one call and returns the status that it fails with, or success.
    int due(const std::string &call);

  private:
    std::vector<Failure> left_;
};

// lasting reports whether a status stays until the process ends: after it nothing on the device can be trusted.
bool lasting(int status);

} // namespace standin
