// The PTX engine: resolves a module's names to slots, then runs it thread after thread.

#include "ptx_step.h"

namespace standin {

namespace {

using namespace ptx;

u64 instructions_run;

const u64 junk = 0xCDCDCDCDCDCDCDCD; // what a register holds before it is written

// The indices of a thread, in the order of their slots.
const char *const indices[] = {"%tid.x",   "%tid.y",   "%tid.z",   "%ctaid.x",  "%ctaid.y",  "%ctaid.z",
                               "%ntid.x",  "%ntid.y",  "%ntid.z",  "%nctaid.x", "%nctaid.y", "%nctaid.z"};

// A Program is one kernel, resolved. Its branches point into its instructions.
struct Program {
    std::vector<Instruction> instructions;
    std::vector<u64> slots; // as a thread finds them: the indices, the parameters, the registers, the constants
};

// A Resolver makes a Program of a Function: names become slots.
class Resolver {
  public:
    explicit Resolver(const Function &function) : function_(function) {
        for (const char *index : indices)
            add_slot(index, 0);
        // A parameter is written as an address, but has a slot like a register.
        for (const std::string &parameter : function.parameters)
            add_slot("[" + parameter + "]", 0);
        for (const auto &[name, count] : function.registers)
            for (u32 i = 0; i < count; i++)
                add_slot(name + std::to_string(i), junk);
    }

    Program program() {
        const std::vector<Statement> &statements = function_.statements;
        program_.instructions.resize(statements.size() + 1);
        for (std::size_t i = 0; i < statements.size(); i++)
            program_.instructions[i] = resolve(statements[i]);
        program_.instructions.back().step = operation_of("ret").step;
        return std::move(program_);
    }

  private:
    [[noreturn]] void refuse(const Statement &statement, const std::string &problem) const {
        std::string text = statement.guard.empty() ? statement.name : "@" + statement.guard + " " + statement.name;
        for (const std::string &operand : statement.operands)
            text += " " + operand;
        throw Refusal{function_.entry.name + ": " + text + ": " + problem};
    }

    void add_slot(const std::string &name, u64 value) {
        slot_of_[name] = program_.slots.size();
        program_.slots.push_back(value);
    }

    // slot returns where an operand is: a register, an index, a parameter or a number.
    u32 slot(const Statement &statement, const std::string &operand) {
        auto found = slot_of_.find(operand);
        if (found != slot_of_.end())
            return found->second;
        u64 value = 0;
        if (!number(operand, value))
            refuse(statement, "operand " + operand);
        add_slot(operand, value);
        return slot_of_[operand];
    }

    static std::string inside(const std::string &operand) { return operand.substr(1, operand.size() - 2); }

    // set_address reads "[%rd1+-8]".
    void set_address(const Statement &statement, const std::string &operand, Instruction &instruction) {
        if (operand.size() < 3 || operand[0] != '[' || operand.back() != ']')
            refuse(statement, "no address: " + operand);
        std::string text = inside(operand);
        std::size_t plus = text.find('+');
        instruction.source[0] = slot(statement, text.substr(0, plus));
        if (plus != std::string::npos)
            instruction.offset = program_.slots[slot(statement, text.substr(plus + 1))];
    }

    // set_vector reads "%r1" or "{%r1, %r2}".
    void set_vector(const Statement &statement, const std::string &operand, u32 width, Instruction &instruction) {
        std::string list = width == 1 ? operand : inside(operand);
        for (u32 k = 0; k < width; k++) {
            std::size_t comma = list.find(',');
            if ((comma == std::string::npos) != (k + 1 == width))
                refuse(statement, "not " + std::to_string(width) + " values: " + operand);
            instruction.vector[k] = slot(statement, list.substr(0, comma));
            list = comma == std::string::npos ? "" : list.substr(list.find_first_not_of(' ', comma + 1));
        }
    }

    void need(const Statement &statement, std::size_t operands) const {
        if (statement.operands.size() != operands)
            refuse(statement, "not " + std::to_string(operands) + " operands");
    }

    void set_branch(const Statement &statement, Instruction &instruction) {
        need(statement, 1);
        auto label = function_.labels.find(statement.operands[0]);
        if (label == function_.labels.end())
            refuse(statement, "no such label");
        instruction.branch = &program_.instructions[label->second];
        if (statement.guard.empty())
            return;
        bool negated = statement.guard[0] == '!';
        instruction.step = negated ? branch_unless : branch_if;
        instruction.source[0] = slot(statement, statement.guard.substr(negated));
    }

    // set_plain takes the target and the sources in order.
    void set_plain(const Statement &statement, u32 sources, Instruction &instruction) {
        need(statement, sources == 0 ? 0 : sources + 1);
        if (sources == 0)
            return;
        instruction.target = slot(statement, statement.operands[0]);
        for (u32 i = 0; i < sources; i++)
            instruction.source[i] = slot(statement, statement.operands[i + 1]);
    }

    Instruction resolve(const Statement &statement) {
        Operation operation = operation_of(statement.name);
        if (operation.step == nullptr)
            refuse(statement, "unknown instruction");
        if (!statement.guard.empty() && operation.form != Form::branch)
            refuse(statement, "a guard on other than a branch");
        Instruction instruction = {operation.step, 0, {}, {}, 0, nullptr};
        switch (operation.form) {
        case Form::plain:
            set_plain(statement, operation.sources, instruction);
            break;
        case Form::branch:
            set_branch(statement, instruction);
            break;
        case Form::load:
            need(statement, 2);
            set_vector(statement, statement.operands[0], operation.width, instruction);
            set_address(statement, statement.operands[1], instruction);
            break;
        case Form::store:
            need(statement, 2);
            set_address(statement, statement.operands[0], instruction);
            set_vector(statement, statement.operands[1], operation.width, instruction);
            break;
        case Form::atomic:
            need(statement, 3);
            instruction.target = slot(statement, statement.operands[0]);
            set_address(statement, statement.operands[1], instruction);
            instruction.source[1] = slot(statement, statement.operands[2]);
            break;
        }
        return instruction;
    }

    const Function &function_;
    Program program_;
    std::map<std::string, u32> slot_of_;
};

class InterpretedKernel : public Kernel {
  public:
    explicit InterpretedKernel(const Function &function) : Kernel(function.entry), program_(Resolver(function).program()) {}

    void run(const Launch &launch) override {
        std::vector<u64> fresh = program_.slots, slots = fresh;
        for (u32 i = 0; i < entry.arguments; i++)
            fresh[std::size(indices) + i] = *static_cast<u64 *>(launch.arguments[i]);
        Index block, thread;
        for_each(launch.grid, block, [&] {
            for_each(launch.block, thread, [&] {
                slots = fresh;
                u32 values[] = {thread.x,       thread.y,       thread.z,       block.x,       block.y,       block.z,
                                launch.block.x, launch.block.y, launch.block.z, launch.grid.x, launch.grid.y, launch.grid.z};
                std::copy(std::begin(values), std::end(values), slots.begin());
                Thread state = {slots.data(), &launch.access};
                run_thread(state);
            });
        });
    }

  private:
    void run_thread(Thread &thread) {
        u64 count = 0;
        for (const Instruction *next = program_.instructions.data(); next != nullptr; count++)
            next = next->step(next, thread);
        instructions_run += count;
    }

    Program program_;
};

} // namespace

Kernels interpreted_kernels(const std::string &ptx) {
    Kernels kernels;
    for (const ptx::Function &function : ptx::parse(ptx))
        kernels.push_back(std::make_shared<InterpretedKernel>(function));
    return kernels;
}

u64 instructions() { return instructions_run; }

} // namespace standin
