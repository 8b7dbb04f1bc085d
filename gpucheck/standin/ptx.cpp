#include "ptx.h"

#include <cctype>
#include <cstdlib>

namespace standin::ptx {

namespace {

const u32 most_threads = 1024; // of a block, where the module does not say

// A Scanner reads a module without its comments.
class Scanner {
  public:
    explicit Scanner(const std::string &text) {
        for (std::size_t i = 0; i < text.size(); i++) {
            if (text.compare(i, 2, "//") == 0)
                i = text.find('\n', i);
            if (i >= text.size())
                break;
            text_ += text[i];
        }
    }

    bool done() { return skip_space(), at_ == text_.size(); }

    // word reads up to white space or one of the stops.
    std::string word(const char *stops = "") {
        skip_space();
        std::size_t begin = at_;
        while (at_ < text_.size() && !std::isspace(u8(text_[at_])) && std::string(stops).find(text_[at_]) == std::string::npos)
            at_++;
        return text_.substr(begin, at_ - begin);
    }

    // upto reads to a mark and past it.
    std::string upto(char mark) {
        std::size_t begin = at_, end = text_.find(mark, at_);
        if (end == std::string::npos)
            throw Refusal{std::string("the module ends before a ") + mark};
        at_ = end + 1;
        return text_.substr(begin, end - begin);
    }

    // take skips a mark if it comes next.
    bool take(char mark) {
        skip_space();
        bool found = at_ < text_.size() && text_[at_] == mark;
        at_ += found;
        return found;
    }

  private:
    void skip_space() {
        while (at_ < text_.size() && std::isspace(u8(text_[at_])))
            at_++;
    }

    std::string text_;
    std::size_t at_ = 0;
};

std::string trim(const std::string &text) {
    std::size_t begin = text.find_first_not_of(" \t\n"), end = text.find_last_not_of(" \t\n");
    return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

// split cuts a list at its commas, those inside brackets excepted.
std::vector<std::string> split(const std::string &list) {
    std::vector<std::string> items;
    std::string item;
    int depth = 0;
    for (char c : list) {
        depth += (c == '[' || c == '{') - (c == ']' || c == '}');
        if (c == ',' && depth == 0) {
            items.push_back(trim(item));
            item.clear();
        } else {
            item += c;
        }
    }
    if (!trim(item).empty())
        items.push_back(trim(item));
    return items;
}

std::vector<std::string> parameters_of(const std::string &list) {
    std::vector<std::string> names;
    for (const std::string &parameter : split(list)) {
        Scanner scanner(parameter);
        if (scanner.word() != ".param" || scanner.word() != ".u64")
            throw Refusal{"parameter \"" + parameter + "\": not of 8 bytes"};
        names.push_back(scanner.word());
    }
    return names;
}

u64 need_number(const std::string &text) {
    u64 value = 0;
    if (!number(text, value))
        throw Refusal{"\"" + text + "\": not a number"};
    return value;
}

// product reads "256, 1, 1".
u32 product(Scanner &list) {
    u32 value = 1;
    do
        value *= need_number(list.word(","));
    while (list.take(','));
    return value;
}

u32 max_threads_of(Scanner directives) {
    u32 threads = most_threads;
    while (!directives.done()) {
        std::string directive = directives.word();
        if (directive == ".maxntid")
            threads = product(directives);
        else if (directive == ".minnctapersm")
            directives.word();
        else
            throw Refusal{"directive " + directive};
    }
    return threads;
}

// declare reads ".reg .b64 %rd<7>" without its first word.
void declare(Function &function, const std::string &text) {
    std::size_t name = text.find('%'), count = text.find('<'), end = text.find('>');
    if (name == std::string::npos || count == std::string::npos || end == std::string::npos)
        throw Refusal{"declaration .reg " + text};
    function.registers[text.substr(name, count - name)] = need_number(text.substr(count + 1, end - count - 1));
}

Statement instruction(const std::string &text) {
    Scanner scanner(text);
    Statement statement;
    if (scanner.take('@'))
        statement.guard = scanner.word();
    statement.name = scanner.word();
    std::size_t name = text.find(statement.name, text.find(statement.guard) + statement.guard.size());
    statement.operands = split(text.substr(name + statement.name.size()));
    return statement;
}

void body(Scanner &scanner, Function &function) {
    while (!scanner.take('}')) {
        std::string first = scanner.word(":;");
        if (scanner.take(':')) {
            function.labels[first] = function.statements.size();
            continue;
        }
        std::string rest = scanner.upto(';');
        if (first == ".reg")
            declare(function, rest);
        else if (first != ".pragma")
            function.statements.push_back(instruction(first + " " + rest));
    }
}

Function function_of(Scanner &scanner) {
    Function function;
    function.entry.name = scanner.word("(");
    scanner.upto('(');
    function.parameters = parameters_of(scanner.upto(')'));
    function.entry.arguments = function.parameters.size();
    function.entry.max_threads = max_threads_of(Scanner(scanner.upto('{')));
    body(scanner, function);
    return function;
}

} // namespace

bool number(const std::string &text, u64 &value) {
    char *end = nullptr;
    bool negative = text[0] == '-';
    value = std::strtoull(text.c_str() + negative, &end, 0);
    value = negative ? 0 - value : value;
    return text.size() > negative && std::isdigit(u8(text[negative])) && *end == '\0';
}

std::vector<Function> parse(const std::string &module) {
    std::vector<Function> functions;
    Scanner scanner(module);
    while (!scanner.done()) {
        std::string word = scanner.word();
        if (word == ".entry")
            functions.push_back(function_of(scanner));
        else if (word == ".version" || word == ".target" || word == ".address_size")
            scanner.word();
        else if (word != ".visible")
            throw Refusal{"outside kernels: " + word};
    }
    if (functions.empty())
        throw Refusal{"no kernel"};
    return functions;
}

} // namespace standin::ptx
