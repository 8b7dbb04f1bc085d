# Test, race, fuzz, exhaust and bench need Go alone. The tools of lint and mutate are pinned and come from the module
# proxy; peers and wheel need Python 3, and the targets of gpucheck/gpu.mk a C++ compiler besides.
GO        ?= go
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
GREMLINS    = github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0
FUZZTIME  ?= 1m
CHECKS    ?= 10000000

.PHONY: build test race fuzz exhaust bench mutate lint peers peers-all wheel

build:
	$(GO) build -o bin/shardproof ./cmd/shardproof

test:
	$(GO) vet ./...
	$(GO) test ./...

race:
	$(GO) test -race ./...

# The reference planner over random layouts, then Go's own fuzzer on the codec and on validation.
fuzz: build
	bin/shardproof fuzz --checks $(CHECKS)
	$(GO) test ./plan -run '^$$' -fuzz FuzzDecodeCase -fuzztime $(FUZZTIME)
	$(GO) test ./plan -run '^$$' -fuzz FuzzValidate -fuzztime $(FUZZTIME)

# Every small case: the reference planner right on each, no small mutant alive after it. With ORACLES=1 also the three
# oracles agreeing on each, right and spoiled, which takes some ten times as long.
exhaust:
	$(GO) test ./plan/mutant -run Exhaust -timeout 60m -v -exhaust
ifdef ORACLES
	$(GO) test ./oracle -run SmallCases -timeout 60m -v -exhaust
endif

bench:
	$(GO) test ./... -run '^$$' -bench . -benchmem

# Source mutation of the judge and the planner, without the packages below them: the survivors are listed one a line.
# The time a mutant gets is a multiple of what the tests take, which a cached run would make too short.
mutate:
	for package in plan plan/reference oracle props; do \
		GOFLAGS=-count=1 $(GO) run $(GREMLINS) unleash --exclude-files / ./$$package || exit 1; \
	done

lint:
	test -z "$$(gofmt -l .)"
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

# Real planners, from their packages, audited: DeepSpeed and Mooncake, which need no torch; then those that do.
VENV        ?= .venv
PEER_CHECKS ?= 2000
ADAPTERS     = plan/external/adapters

peers: build
	$(ADAPTERS)/install.sh $(VENV) deepspeed mooncake
	$(ADAPTERS)/audit.sh $(VENV) $(PEER_CHECKS) deepspeed mooncake

peers-all: build
	$(ADAPTERS)/install.sh $(VENV) deepspeed mooncake torch_dcp megatron awex modelexpress
	$(ADAPTERS)/audit.sh $(VENV) $(PEER_CHECKS) deepspeed mooncake torch_dcp megatron awex modelexpress

# build/shardproof-*.whl: the judge and its Python module, for this machine's platform.
wheel:
	python3 plan/external/python/build_wheel.py build

include gpucheck/gpu.mk
