// The instructions that NVRTC makes of the replay kernels, and their nearest kin. Others are refused.

#include "ptx_step.h"

#include <cstring>
#include <limits>
#include <type_traits>

namespace standin::ptx {

namespace {

template <typename T> T get(const Thread &thread, u32 slot) { return static_cast<T>(thread.slots[slot]); }

template <typename T> void set(Thread &thread, u32 slot, T value) {
    if constexpr (std::is_same_v<T, bool>)
        thread.slots[slot] = value;
    else
        thread.slots[slot] = static_cast<std::make_unsigned_t<T>>(value);
}

// Arithmetic wraps, as on the device: it is done on 64 bits without a sign where C++ leaves overflow undefined.
template <typename T> struct Add { static T of(T a, T b) { return T(u64(a) + u64(b)); } };
template <typename T> struct Sub { static T of(T a, T b) { return T(u64(a) - u64(b)); } };
template <typename T> struct MulLo { static T of(T a, T b) { return T(u64(a) * u64(b)); } };
template <typename T> struct Min { static T of(T a, T b) { return a < b ? a : b; } };
template <typename T> struct Max { static T of(T a, T b) { return a > b ? a : b; } };
template <typename T> struct And { static T of(T a, T b) { return T(a & b); } };
template <typename T> struct Or { static T of(T a, T b) { return T(a | b); } };
template <typename T> struct Xor { static T of(T a, T b) { return T(a ^ b); } };

// PTX leaves a division by zero open; the devices answer all ones.
template <typename T> bool no_quotient(T a, T b) {
    return b == 0 || (std::is_signed_v<T> && a == std::numeric_limits<T>::min() && b == T(-1));
}
template <typename T> struct Div { static T of(T a, T b) { return no_quotient(a, b) ? T(-1) : T(a / b); } };
template <typename T> struct Rem { static T of(T a, T b) { return no_quotient(a, b) ? a : T(a % b); } };

// Shifts past the width give 0, or all copies of the sign.
template <typename T> struct Shl { static T of(T a, T b) { return u32(b) < 8 * sizeof(T) ? T(u64(a) << u32(b)) : T(0); } };
template <typename T> struct Shr {
    static T of(T a, T b) {
        u32 most = 8 * sizeof(T) - 1;
        return u32(b) <= most ? T(a >> u32(b)) : std::is_signed_v<T> ? T(a >> most) : T(0);
    }
};

template <typename T> struct Not { static T of(T a) { return std::is_same_v<T, bool> ? T(!a) : T(~u64(a)); } };
template <typename T> struct Neg { static T of(T a) { return T(0 - u64(a)); } };
template <typename T> struct Same { static T of(T a) { return a; } };

template <typename T> struct Eq { static bool of(T a, T b) { return a == b; } };
template <typename T> struct Ne { static bool of(T a, T b) { return a != b; } };
template <typename T> struct Lt { static bool of(T a, T b) { return a < b; } };
template <typename T> struct Le { static bool of(T a, T b) { return a <= b; } };
template <typename T> struct Gt { static bool of(T a, T b) { return a > b; } };
template <typename T> struct Ge { static bool of(T a, T b) { return a >= b; } };

template <template <typename> class Of> struct Unary {
    template <typename T> static const Instruction *step(const Instruction *i, Thread &thread) {
        set<T>(thread, i->target, Of<T>::of(get<T>(thread, i->source[0])));
        return i + 1;
    }
};

template <template <typename> class Of> struct Binary {
    template <typename T> static const Instruction *step(const Instruction *i, Thread &thread) {
        set(thread, i->target, Of<T>::of(get<T>(thread, i->source[0]), get<T>(thread, i->source[1])));
        return i + 1;
    }
};

struct MulWide {
    template <typename T> static const Instruction *step(const Instruction *i, Thread &thread) {
        using Wider = std::conditional_t<std::is_signed_v<T>, std::int64_t, u64>;
        Wider product = Wider(get<T>(thread, i->source[0])) * Wider(get<T>(thread, i->source[1]));
        set<u64>(thread, i->target, sizeof(T) == 2 ? u32(product) : u64(product));
        return i + 1;
    }
};

struct Select {
    template <typename T> static const Instruction *step(const Instruction *i, Thread &thread) {
        set<T>(thread, i->target, get<T>(thread, get<bool>(thread, i->source[2]) ? i->source[0] : i->source[1]));
        return i + 1;
    }
};

template <typename From> struct Convert {
    template <typename T> static const Instruction *step(const Instruction *i, Thread &thread) {
        set<T>(thread, i->target, T(get<From>(thread, i->source[0])));
        return i + 1;
    }
};

// reach returns where an access goes, after it is checked.
u8 *reach(const Instruction *i, Thread &thread, u64 size) {
    u64 address = thread.slots[i->source[0]] + i->offset;
    thread.access->check(address, size);
    return reinterpret_cast<u8 *>(address);
}

template <u32 width> struct Load {
    template <typename T> static const Instruction *step(const Instruction *i, Thread &thread) {
        T values[width];
        std::memcpy(values, reach(i, thread, sizeof values), sizeof values);
        for (u32 k = 0; k < width; k++)
            set<T>(thread, i->vector[k], values[k]);
        return i + 1;
    }
};

template <u32 width> struct Store {
    template <typename T> static const Instruction *step(const Instruction *i, Thread &thread) {
        T values[width];
        for (u32 k = 0; k < width; k++)
            values[k] = get<T>(thread, i->vector[k]);
        std::memcpy(reach(i, thread, sizeof values), values, sizeof values);
        return i + 1;
    }
};

template <template <typename> class Of> struct Atomic {
    template <typename T> static const Instruction *step(const Instruction *i, Thread &thread) {
        u8 *place = reach(i, thread, sizeof(T));
        T value;
        std::memcpy(&value, place, sizeof value);
        T result = Of<T>::of(value, get<T>(thread, i->source[1]));
        std::memcpy(place, &result, sizeof result);
        set<T>(thread, i->target, value);
        return i + 1;
    }
};

const Instruction *branch(const Instruction *i, Thread &) { return i->branch; }
const Instruction *end(const Instruction *, Thread &) { return nullptr; }

template <typename Of> Step for_integer(const std::string &type) {
    if (type == "u16" || type == "b16") return Of::template step<u16>;
    if (type == "u32" || type == "b32") return Of::template step<u32>;
    if (type == "u64" || type == "b64") return Of::template step<u64>;
    if (type == "s16") return Of::template step<std::int16_t>;
    if (type == "s32") return Of::template step<std::int32_t>;
    if (type == "s64") return Of::template step<std::int64_t>;
    return nullptr;
}

template <typename Of> Step for_memory(const std::string &type) {
    if (type == "u8" || type == "b8") return Of::template step<u8>;
    if (type == "s8") return Of::template step<std::int8_t>;
    return for_integer<Of>(type);
}

template <typename Of> Step for_bits(const std::string &type) {
    if (type == "pred") return Of::template step<bool>;
    return type[0] == 'b' ? for_integer<Of>(type) : nullptr;
}

// mul.wide.u64 is none: no register holds 128 bits.
Step for_narrow(const std::string &type) { return type[1] == '6' ? nullptr : for_integer<MulWide>(type); }

Step for_move(const std::string &type) {
    return type == "pred" ? Unary<Same>::step<bool> : for_integer<Unary<Same>>(type);
}

Step for_conversion(const std::string &types) {
    std::size_t dot = types.find('.');
    std::string to = types.substr(0, dot), from = dot == std::string::npos ? "" : types.substr(dot + 1);
    if (from == "u8") return for_memory<Convert<u8>>(to);
    if (from == "u16") return for_memory<Convert<u16>>(to);
    if (from == "u32") return for_memory<Convert<u32>>(to);
    if (from == "u64") return for_memory<Convert<u64>>(to);
    if (from == "s8") return for_memory<Convert<std::int8_t>>(to);
    if (from == "s16") return for_memory<Convert<std::int16_t>>(to);
    if (from == "s32") return for_memory<Convert<std::int32_t>>(to);
    if (from == "s64") return for_memory<Convert<std::int64_t>>(to);
    return nullptr;
}

// A Family is all instructions whose names differ in the type at the end alone.
struct Family {
    const char *name; // with its dot
    Step (*for_type)(const std::string &type);
    Form form;
    u32 sources, width;
};

const Family families[] = {
    {"add.", for_integer<Binary<Add>>, Form::plain, 2, 0},
    {"sub.", for_integer<Binary<Sub>>, Form::plain, 2, 0},
    {"mul.lo.", for_integer<Binary<MulLo>>, Form::plain, 2, 0},
    {"mul.wide.", for_narrow, Form::plain, 2, 0},
    {"div.", for_integer<Binary<Div>>, Form::plain, 2, 0},
    {"rem.", for_integer<Binary<Rem>>, Form::plain, 2, 0},
    {"min.", for_integer<Binary<Min>>, Form::plain, 2, 0},
    {"max.", for_integer<Binary<Max>>, Form::plain, 2, 0},
    {"and.", for_bits<Binary<And>>, Form::plain, 2, 0},
    {"or.", for_bits<Binary<Or>>, Form::plain, 2, 0},
    {"xor.", for_bits<Binary<Xor>>, Form::plain, 2, 0},
    {"not.", for_bits<Unary<Not>>, Form::plain, 1, 0},
    {"neg.", for_integer<Unary<Neg>>, Form::plain, 1, 0},
    {"shl.", for_integer<Binary<Shl>>, Form::plain, 2, 0},
    {"shr.", for_integer<Binary<Shr>>, Form::plain, 2, 0},
    {"setp.eq.", for_integer<Binary<Eq>>, Form::plain, 2, 0},
    {"setp.ne.", for_integer<Binary<Ne>>, Form::plain, 2, 0},
    {"setp.lt.", for_integer<Binary<Lt>>, Form::plain, 2, 0},
    {"setp.le.", for_integer<Binary<Le>>, Form::plain, 2, 0},
    {"setp.gt.", for_integer<Binary<Gt>>, Form::plain, 2, 0},
    {"setp.ge.", for_integer<Binary<Ge>>, Form::plain, 2, 0},
    {"selp.", for_integer<Select>, Form::plain, 3, 0},
    {"mov.", for_move, Form::plain, 1, 0},
    {"cvt.", for_conversion, Form::plain, 1, 0},
    {"cvta.to.global.", for_integer<Unary<Same>>, Form::plain, 1, 0},
    {"ld.param.", for_integer<Unary<Same>>, Form::plain, 1, 0}, // a parameter has a slot like a register
    {"ld.v2.", for_memory<Load<2>>, Form::load, 0, 2},
    {"ld.v4.", for_memory<Load<4>>, Form::load, 0, 4},
    {"ld.global.", for_memory<Load<1>>, Form::load, 0, 1},
    {"ld.", for_memory<Load<1>>, Form::load, 0, 1},
    {"st.v2.", for_memory<Store<2>>, Form::store, 0, 2},
    {"st.v4.", for_memory<Store<4>>, Form::store, 0, 4},
    {"st.global.", for_memory<Store<1>>, Form::store, 0, 1},
    {"st.", for_memory<Store<1>>, Form::store, 0, 1},
    {"atom.add.", for_integer<Atomic<Add>>, Form::atomic, 0, 0},
    {"atom.min.", for_integer<Atomic<Min>>, Form::atomic, 0, 0},
    {"atom.max.", for_integer<Atomic<Max>>, Form::atomic, 0, 0},
    {"atom.global.add.", for_integer<Atomic<Add>>, Form::atomic, 0, 0},
    {"atom.global.min.", for_integer<Atomic<Min>>, Form::atomic, 0, 0},
    {"atom.global.max.", for_integer<Atomic<Max>>, Form::atomic, 0, 0},
};

} // namespace

const Instruction *branch_if(const Instruction *i, Thread &thread) {
    return get<bool>(thread, i->source[0]) ? i->branch : i + 1;
}

const Instruction *branch_unless(const Instruction *i, Thread &thread) {
    return get<bool>(thread, i->source[0]) ? i + 1 : i->branch;
}

Operation operation_of(const std::string &name) {
    if (name == "bra" || name == "bra.uni")
        return {branch, Form::branch, 0, 0};
    if (name == "ret")
        return {end, Form::plain, 0, 0};
    for (const Family &family : families) {
        std::size_t length = std::strlen(family.name);
        Step step = name.compare(0, length, family.name) == 0 ? family.for_type(name.substr(length)) : nullptr;
        if (step != nullptr)
            return {step, family.form, family.sources, family.width};
    }
    return {nullptr, Form::plain, 0, 0};
}

} // namespace standin::ptx
