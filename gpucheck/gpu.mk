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

STANDIN_SOURCES = $(wildcard gpucheck/standin/*.cpp)
STANDIN_OBJECTS = $(patsubst gpucheck/standin/%.cpp,$(GPU_BUILD)/standin/%.o,$(STANDIN_SOURCES)) $(GPU_BUILD)/standin/calls_rest.o
STANDIN_PARTS   = $(wildcard gpucheck/standin/*.h) gpucheck/driver/symbols.inc gpucheck/kernel/replay.cu

# Device memory has no types: the kernels read back as one what they wrote as another.
STANDIN_FLAGS   = -O2 -Wall -Wextra -Wno-unknown-pragmas -fPIC -fvisibility=hidden -fno-strict-aliasing

$(GPU_BUILD)/standin/%.o: gpucheck/standin/%.cpp $(STANDIN_PARTS)
	mkdir -p $(@D)
	$(CXX) -std=c++17 $(STANDIN_FLAGS) -c $< -o $@

$(GPU_BUILD)/standin/%.o: gpucheck/standin/%.c $(STANDIN_PARTS)
	mkdir -p $(@D)
	$(CC) -std=c11 $(STANDIN_FLAGS) -c $< -o $@

# The C++ library goes in with it: the program that opens the stand-in may bring none.
$(GPU_STANDIN): $(STANDIN_OBJECTS)
	$(CXX) -shared -static-libstdc++ -static-libgcc -o $@ $^

# The program that judges the kernels by plain loops; the tests of gpucheck/kernel run it.
GPU_HARNESS     = $(GPU_BUILD)/harness
HARNESS_OBJECTS = $(patsubst gpucheck/standin/harness/%.cpp,$(GPU_BUILD)/harness.o/%.o,$(wildcard gpucheck/standin/harness/*.cpp))

$(GPU_BUILD)/harness.o/%.o: gpucheck/standin/harness/%.cpp gpucheck/standin/harness/harness.h
	mkdir -p $(@D)
	$(CXX) -std=c++17 -O1 -Wall -Wextra -fno-strict-aliasing -c $< -o $@

$(GPU_HARNESS): $(HARNESS_OBJECTS)
	$(CXX) -static-libstdc++ -static-libgcc -o $@ $^
