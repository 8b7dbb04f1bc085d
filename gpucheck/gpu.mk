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

# The replay itself, package gpucheck. What is printed on the stand-in names it, and is no GPU run.
GPU_CASES ?= 100000
GPU_FOR   ?= 10s
GPU_CARRY  = $(GPU_BUILD)/carry
ON_STANDIN = SHARDPROOF_CUDA_LIBRARY=$(CURDIR)/$(GPU_STANDIN)

.PHONY: gpu gpu-standin gpu-test gpu-carry

# bin/shardproof-gpu: shardproof with the command gpu. It needs libc to start, and libcuda.so.1 to find a device.
gpu: $(GPU_HEADER) $(GPU_DRIVER)
	$(GPU_CGO) $(GO) build -tags cuda -o bin/shardproof-gpu ./cmd/shardproof

# The corpus and drawn cases on two stand-in devices, then the figures, by the compiled kernels; then by the PTX.
gpu-standin: gpu $(GPU_STANDIN)
	$(ON_STANDIN) SHARDPROOF_STANDIN_DEVICES=2 bin/shardproof-gpu gpu --checks $(GPU_CASES) --seed 1
	$(ON_STANDIN) bin/shardproof-gpu gpu --figures --elements 1048576
	$(ON_STANDIN) SHARDPROOF_STANDIN_ENGINE=ptx bin/shardproof-gpu gpu --elements 1024 --checks 500 --seed 1

# The tests of the real cgo path: as they are, with the race detector, with cgo's pointer checks and with the address
# sanitizer, one process at a time.
gpu-test: $(GPU_HEADER) $(GPU_DRIVER) $(GPU_STANDIN)
	$(GPU_CGO) $(GO) vet -tags cuda ./gpucheck ./cmd/shardproof
	$(GPU_CGO) $(ON_STANDIN) SHARDPROOF_STANDIN_DEVICES=2 $(GO) test -tags cuda ./gpucheck
	$(GPU_CGO) $(GO) test -tags cuda -run GPU ./cmd/shardproof
	$(GPU_CGO) $(ON_STANDIN) SHARDPROOF_GPU_CASES=100 $(GO) test -race -tags cuda -run '/cuda|Injected|Supervisor' ./gpucheck
	$(GPU_CGO) $(ON_STANDIN) SHARDPROOF_GPU_CASES=100 GOEXPERIMENT=cgocheck2 $(GO) test -tags cuda -run '/cuda|Injected' ./gpucheck
	$(GPU_CGO) $(ON_STANDIN) SHARDPROOF_GPU_CASES=100 $(GO) test -asan -tags cuda -run '/cuda|Injected' ./gpucheck

# One folder to take to a machine that has a driver and no Go: run.sh in it does the rest. The PTX and the corpus are in
# the binary, and lie beside it to be read.
gpu-carry: gpu
	rm -rf $(GPU_CARRY)
	mkdir -p $(GPU_CARRY)/corpus
	cp bin/shardproof-gpu gpucheck/carry/run.sh gpucheck/kernel/replay.ptx $(GPU_CARRY)
	cp -r corpus/cases corpus/models $(GPU_CARRY)/corpus
	cd $(GPU_BUILD) && tar -czf shardproof-gpu.tar.gz carry
