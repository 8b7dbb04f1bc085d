// One PTX instruction, ready to run.

#pragma once

#include "ptx.h"

#include <array>

namespace standin::ptx {

struct Instruction;

// A Thread has a slot for each register, and for each constant, parameter and index that instructions name.
struct Thread {
    u64 *slots;
    Access *access;
};

// A Step runs one instruction and returns the next, null at the end.
using Step = const Instruction *(*)(const Instruction *, Thread &);

struct Instruction {
    Step step;
    u32 target;                // the slot that takes the result; of a store, none
    std::array<u32, 3> source; // slots; of an access, the address and the value; of a branch, its predicate
    std::array<u32, 4> vector; // slots of a vector access
    u64 offset;                // of an access, added to the address
    const Instruction *branch; // where a branch goes
};

// The parts of an instruction's name that say how its operands are written.
enum class Form { plain, load, store, atomic, branch };

struct Operation {
    Step step;
    Form form;
    u32 sources; // of a plain one
    u32 width;   // elements of a vector access
};

// operation_of finds an instruction by its full name, "add.s64". Its step is null where it is not known.
Operation operation_of(const std::string &name);

// The two steps of a branch with a guard.
const Instruction *branch_if(const Instruction *instruction, Thread &thread);
const Instruction *branch_unless(const Instruction *instruction, Thread &thread);

} // namespace standin::ptx
