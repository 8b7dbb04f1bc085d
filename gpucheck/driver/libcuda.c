// A libcuda to link with where there may be no driver: it opens the real one when the program starts.
//
// gorgonia.org/cu calls cuInit from an init function and ends the process when that fails, and a program linked with
// libcuda.so.1 itself does not even start on a machine without it. This cuInit always answers 0, and keeps what
// happened for the program to ask (driver.h). Every other call jumps to the opened driver's function of the same name.

#define _GNU_SOURCE // dladdr
#include "driver.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef __x86_64__
#error "the jumps below are written for x86-64"
#endif

enum { success = 0, error_not_initialized = 3, error_not_supported = 801 };

// What a call meets before a driver is open, and where the driver lacks it.
static int not_initialized(void) { return error_not_initialized; }
static int not_supported(void) { return error_not_supported; }

// A slot a call: where it goes.
#define SYMBOL(name) void *shardproof_to_##name __attribute__((visibility("hidden"))) = (void *)not_initialized;
#include "symbols.inc"
#undef SYMBOL

// A jump a call: arguments stay as they are, whatever their number. cuInit is the one that is written out.
__asm__(".macro jump name\n"
        ".ifnc \\name, cuInit\n"
        ".globl \\name\n"
        ".type \\name, @function\n"
        "\\name: jmp *shardproof_to_\\name(%rip)\n"
        ".size \\name, . - \\name\n"
        ".endif\n"
        ".endm\n"
        ".text\n");
#define SYMBOL(name) __asm__("jump " #name);
#include "symbols.inc"
#undef SYMBOL

static const struct {
    const char *name;
    void **slot;
} calls[] = {
#define SYMBOL(name) {#name, &shardproof_to_##name},
#include "symbols.inc"
#undef SYMBOL
};

static void *driver;
static int driver_status = -1;
static char driver_path[4096];
static char driver_problem[4096];

static void open_driver(void) {
    const char *path = getenv(SHARDPROOF_CUDA_LIBRARY);
    driver = dlopen(path != NULL && path[0] != '\0' ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (driver == NULL) {
        snprintf(driver_problem, sizeof driver_problem, "%s", dlerror());
        return;
    }
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        void *function = dlsym(driver, calls[i].name);
        *calls[i].slot = function != NULL ? function : (void *)not_supported;
    }
    Dl_info file;
    if (dladdr(shardproof_to_cuInit, &file) != 0)
        snprintf(driver_path, sizeof driver_path, "%s", file.dli_fname);
    driver_status = ((int (*)(unsigned))shardproof_to_cuInit)(0);
}

int cuInit(unsigned flags) {
    (void)flags;
    if (driver == NULL)
        open_driver();
    return success;
}

int shardproof_driver_status(void) { return driver_status; }
const char *shardproof_driver_path(void) { return driver_path; }
const char *shardproof_driver_problem(void) { return driver_problem; }
void *shardproof_driver_function(const char *name) { return driver == NULL ? NULL : dlsym(driver, name); }
