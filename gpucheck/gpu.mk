# What the GPU replay is built with: the wheels, cuda.h, the libcuda.a to link with, and the stand-in. The makefile includes this.
PYTHON     ?= python3
GPU_BUILD   = build/gpu
GPU_WHEELS  = build/wheels
GPU_HEADER  = $(GPU_BUILD)/include/cuda.h
GPU_DRIVER  = $(GPU_BUILD)/lib/libcuda.a
GPU_STANDIN = $(GPU_BUILD)/libcuda-standin.so
GPU_CGO     = CGO_ENABLED=1 CGO_CFLAGS="-I$(CURDIR)/$(GPU_BUILD)/include" CGO_LDFLAGS="-L$(CURDIR)/$(GPU_BUILD)/lib"

.PHONY: gpu-parts gpu-ptx gpu-symbols

# All that the tagged build and the stand-in need: go build -tags cuda with $(GPU_CGO).
gpu-parts: $(GPU_HEADER) $(GPU_DRIVER) $(GPU_STANDIN)

# The two files that are made once and committed.
gpu-ptx: $(GPU_WHEELS)/fetched
	$(PYTHON) gpucheck/kernel/build_ptx.py $(GPU_WHEELS) gpucheck/kernel/replay.cu > $(GPU_BUILD)/replay.ptx
	mv $(GPU_BUILD)/replay.ptx gpucheck/kernel/replay.ptx

gpu-symbols: $(GPU_HEADER)
	$(GPU_CGO) GO=$(GO) gpucheck/driver/symbols.sh > $(GPU_BUILD)/symbols.inc
	mv $(GPU_BUILD)/symbols.inc gpucheck/driver/symbols.inc

$(GPU_WHEELS)/fetched: gpucheck/kernel/wheels.txt
	mkdir -p $(GPU_WHEELS) $(GPU_BUILD)
	$(PYTHON) -m pip download -q --no-deps --only-binary=:all: --require-hashes -d $(GPU_WHEELS) -r $<
	touch $@

$(GPU_HEADER): $(GPU_WHEELS)/fetched
	mkdir -p $(@D)
	$(PYTHON) -m zipfile -e $(GPU_WHEELS)/nvidia_cuda_runtime_cu11-*.whl $(GPU_BUILD)/runtime
	cp $(GPU_BUILD)/runtime/nvidia/cuda_runtime/include/cuda.h $@

$(GPU_DRIVER): gpucheck/driver/libcuda.c gpucheck/driver/driver.h gpucheck/driver/symbols.inc
	mkdir -p $(@D)
	$(CC) -std=c11 -Wall -Wextra -O2 -fPIC -c $< -o $(@D)/libcuda.o
	rm -f $@
	$(AR) rcs $@ $(@D)/libcuda.o
