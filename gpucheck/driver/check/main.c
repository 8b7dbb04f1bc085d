// Prints what a program that is linked with libcuda.a can tell about the driver.

#include "../driver.h"

#include <stdio.h>

int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuCtxSynchronize(void);

int main(void) {
    int version = 0;
    printf("before cuInit: %d\n", cuCtxSynchronize());
    printf("cuInit: %d\n", cuInit(0));
    printf("status: %d\n", shardproof_driver_status());
    printf("path: %s\n", shardproof_driver_path());
    printf("problem: %s\n", shardproof_driver_problem());
    int status = cuDriverGetVersion(&version);
    printf("version: %d %d\n", status, version);
    printf("stand-in: %d\n", shardproof_driver_function("standinLive") != NULL);
    return 0;
}
