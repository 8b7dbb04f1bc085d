// What the program can ask of the libcuda.a that it is linked with, see libcuda.c.

#ifndef SHARDPROOF_DRIVER_H
#define SHARDPROOF_DRIVER_H

// The library that is opened in place of libcuda.so.1, where this variable is set.
#define SHARDPROOF_CUDA_LIBRARY "SHARDPROOF_CUDA_LIBRARY"

// What the driver's own cuInit answered: 0 where it is ready, 100 where it sees no device. -1: no driver could be opened.
int shardproof_driver_status(void);

// The file of the driver that was opened, "" where none was.
const char *shardproof_driver_path(void);

// Why no driver could be opened, "" where one was.
const char *shardproof_driver_problem(void);

// An exported function of the driver that was opened, NULL where it has none of that name. So a program finds what
// only the stand-in has.
void *shardproof_driver_function(const char *name);

#endif
