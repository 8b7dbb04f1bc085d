# Everything here needs Go alone. The tools that lint and mutate use are pinned and run from the module proxy.
GO        ?= go
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
GREMLINS    = github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0
FUZZTIME  ?= 1m
CHECKS    ?= 10000000

.PHONY: build test race fuzz exhaust bench mutate lint

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

# Every small case: the reference planner right on each, no small mutant alive after it.
exhaust:
	$(GO) test ./plan/mutant -run Exhaust -v -exhaust

bench:
	$(GO) test ./... -run '^$$' -bench . -benchmem

# Source mutation of the judge and the planner: the survivors are listed one a line.
mutate:
	for package in plan plan/reference oracle props; do \
		$(GO) run $(GREMLINS) unleash --timeout-coefficient 20 ./$$package || exit 1; \
	done

lint:
	test -z "$$(gofmt -l .)"
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
