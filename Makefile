# make test   what CI runs: build, vet, all tests, published clients, the demo
# make check  all of it: format, lint, the corpus, race detector, many random histories, long crash, load and fuzz runs
# make bench  the figures of docs/results.md; REF=main compares with another commit
# make speed  what recall, ask and add take and cost at SIZES notes; kept in KEEP for the next run
# make picture  the pictures: of what the demo prints now, and of what docs/results.md says of speed
# make release  archives for all platforms, checksums, SBOM, in dist/release; VERSION=v0.1.0 URL=https://…
# make image    a container image from a binary that is built here; needs Docker
# make run    build and run, e.g. make run ARGS="facts --user alice"

GO        ?= go
LINT      := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.11.4
BENCHSTAT := golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da
FUZZTIME  ?= 60s
KILLS     ?= 200
SOAK      ?= 60s
CHECKS    ?= 500
TRIALS    ?= 2000
HISTORIES ?= 10000
NOTES     ?= 1000000
COUNT     ?= 6
SIZES     ?= 1000,10000,100000
KEEP      ?=
VERSION   ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
REVISION  ?= $(shell git rev-parse HEAD 2>/dev/null)
URL       ?=
LDFLAGS   := -s -w -X main.version=$(VERSION) -X main.revision=$(REVISION)
export CGO_ENABLED ?= 0

.PHONY: help test clients build vet check fmt lint corpus race laws damage crash fuzz api bench compare speed picture release image image-root run clean

help:
	@sed -n 's/^# //p' Makefile

test: build vet
	$(GO) test -skip '^TestPublished' ./...
	$(MAKE) clients
	./bin/daybook demo > /dev/null

# clients talks to Daybook with clients that other people publish (tools/clients). It
# prints each test, so that one that could not run is seen.
clients:
	$(GO) test -v -run '^TestPublished' ./mcp ./server ./examples ./tools/release

build:
	$(GO) build -trimpath -ldflags "$(LDFLAGS)" -o bin/daybook ./cmd/daybook

vet:
	$(GO) vet ./...

check: test fmt lint corpus race laws damage crash fuzz api

fmt:
	@out=$$(gofmt -l .); if [ -n "$$out" ]; then echo "not gofmt-ed: $$out"; exit 1; fi
	$(GO) mod tidy -diff

lint:
	$(GO) run $(LINT) run

# The chats that the reader is trained on.
corpus:
	$(GO) run ./tools/corpus check

# The race detector needs a C compiler; a machine without one is told so.
race:
	CGO_ENABLED=1 $(GO) test -race -timeout 40m ./...

# The laws on many more random histories than a plain test run tries, and a long import.
laws:
	DAYBOOK_LINES=100000 $(GO) test ./engine -run "Law|Import" -rapid.checks=$(CHECKS) -count=1 -timeout 30m
	$(GO) test ./index -rapid.checks=$(CHECKS) -count=1

# Histories in which one seed decides what fails, power cuts at every write, damaged sectors of every file, and calls that are given up.
damage:
	DAYBOOK_HISTORIES=$(HISTORIES) $(GO) test ./store/sqlite -run TestHistoriesWithFaults -count=1 -timeout 2h
	DAYBOOK_TRIALS=$(TRIALS) $(GO) test ./engine -run TestCancelledCalls -count=1 -timeout 60m -v
	DAYBOOK_TRIALS=$(TRIALS) $(GO) test ./store/sqlite -run "TestPowerCuts|TestDamagedSectors" -count=1 -timeout 60m -v

crash:
	DAYBOOK_KILLS=$(KILLS) $(GO) test ./cmd/daybook -run TestKilledProcess -count=1 -timeout 5h -v
	CGO_ENABLED=1 DAYBOOK_SOAK=$(SOAK) $(GO) test -race ./cmd/daybook -run "TestMany|TestKnownAt|TestReadYourWrites|TestCache" -count=1 -timeout 30m -v

fuzz:
	@for t in $$(grep -rlE '^func Fuzz' --include=*_test.go . | xargs -n1 dirname | sort -u); do \
	  for f in $$(grep -hoE '^func (Fuzz[A-Za-z0-9]+)' $$t/*_test.go | cut -d' ' -f2); do \
	    echo "== $$t $$f"; $(GO) test $$t -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x || exit 1; \
	  done; done

# The HTTP API, fuzzed from its own description.
api: build
	./tools/api/fuzz.sh bin/daybook

bench:
	DAYBOOK_BENCH_NOTES=$(NOTES) $(GO) test ./engine -run '^$$' -bench . -benchtime 2s -count 1 -timeout 60m
ifdef REF
	$(MAKE) compare
endif

# compare runs the benchmarks here and at REF, in turn, and prints benchstat.
compare:
	rm -rf dist/ref && git worktree add -f dist/ref $(REF)
	rm -f dist/old.txt dist/new.txt
	for i in $$(seq $(COUNT)); do \
	  $(GO) test ./engine -run '^$$' -bench . >> dist/new.txt; \
	  (cd dist/ref && $(GO) test ./engine -run '^$$' -bench .) >> dist/old.txt; \
	done
	$(GO) run $(BENCHSTAT) dist/old.txt dist/new.txt
	git worktree remove --force dist/ref

# The memories are made once and kept where KEEP names a folder.
speed:
	DAYBOOK_SPEED=$(SIZES) DAYBOOK_SPEED_HOME=$(KEEP) $(GO) test ./engine -run "TestSpeed$$" -count=1 -timeout 5h -v

picture: build
	./bin/daybook demo | $(GO) run ./tools/picture -until "# Facts can be stated" > docs/demo.svg
	$(GO) run ./tools/picture -cost < docs/results.md > docs/cost.svg

release:
	rm -rf dist/release
	$(GO) run ./tools/release -version $(VERSION) -url "$(URL)" -out dist/release

# image-root is what the container image holds; image puts it into one.
image-root:
	rm -rf dist/image && mkdir -p dist/image/home/daybook dist/image/etc/ssl/certs
	cp /etc/ssl/certs/ca-certificates.crt dist/image/etc/ssl/certs/
	GOOS=linux $(GO) build -trimpath -buildvcs=false -ldflags "$(LDFLAGS)" -o dist/image/daybook ./cmd/daybook

image: image-root
	docker build --build-context build=dist/image -t daybook:$(VERSION) -t daybook .

run: build
	./bin/daybook $(ARGS)

clean:
	rm -rf bin dist
