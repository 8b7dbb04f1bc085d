// PTX as text: a module's kernels and their statements, not yet resolved.

#pragma once

#include "kernel.h"

#include <map>

namespace standin::ptx {

// A Statement is one instruction: "@!%p1 bra $L1;" has the guard "!%p1", the name "bra" and the operand "$L1".
// Operands that belong together keep their brackets: "[%rd1+8]", "{%r1, %r2}".
struct Statement {
    std::string guard, name;
    std::vector<std::string> operands;
};

struct Function {
    Entry entry;
    std::vector<std::string> parameters;  // names
    std::map<std::string, u32> registers; // by name: "%rd" has registers %rd0 to %rd(n-1)
    std::map<std::string, u32> labels;    // the statement that each stands before
    std::vector<Statement> statements;
};

// parse splits a module. It throws a Refusal where something else than kernels with 8-byte arguments is in it.
std::vector<Function> parse(const std::string &module);

// number reads a whole text as a number, decimal or 0x, with or without a sign. It returns false where it is none.
bool number(const std::string &text, u64 &value);

} // namespace standin::ptx
