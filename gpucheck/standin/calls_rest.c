// Every call of gorgonia.org/cu that the stand-in does not have: "not supported".
//
// They are weak: the calls of the other files take their place when the library is linked.

static int not_supported(void) { return 801; }

#define SYMBOL(name) int name(void) __attribute__((weak, alias("not_supported"), visibility("default")));
#include "../driver/symbols.inc"
