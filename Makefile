# wake: build it, see it work, test it. Run make without a target for the list.

GO ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: help build install demo test test-race test-postgres test-ollama test-clients test-windows snapshots bench soak check clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-16s%s\n", $$1, $$2 }' Makefile

build: ## build bin/wake
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w" -o bin/wake ./cmd/wake

install: ## install wake into Go's bin folder
	CGO_ENABLED=0 $(GO) install -trimpath -ldflags "-s -w" ./cmd/wake

demo: build ## live through a small project's story and see what wake is for
	@./bin/wake demo

test: ## run the tests; those of PostgreSQL and Ollama where these are installed
	$(GO) test -timeout 14m ./...

# What the race detector is spared. Where nothing runs at once there is no race. SQLite keeps its data outside of
# Go's memory, where the detector sees nothing, and takes four times as long under it.
UNRACED := causality distil domain migrations prediction secret session tiers transcript
RACED = $(filter-out $(addprefix wake/,$(UNRACED)),$(shell $(GO) list ./...))

test-race: ## those that run things at once under the race detector, with fewer rounds, since they take longer
	CGO_ENABLED=1 $(GO) test -race -gcflags=modernc.org/sqlite/lib=-race=false -vet=off -short -timeout 45m $(RACED)

test-postgres: ## the tests of the PostgreSQL engine alone
	$(GO) test -timeout 10m -v ./repository/postgres/...

test-ollama: ## the tests with a real Ollama server, built if there is none
	OLLAMA_BIN=$$(scripts/build-ollama.sh) && PATH="$$(dirname $$OLLAMA_BIN):$$PATH" $(GO) test -timeout 10m -v ./summarizer/...

test-clients: ## wake under the MCP clients that people use, installed by npm if they are not there
	WAKE_CLIENTS=$$(clients/install.sh) && WAKE_OLLAMA_BIN=$$(scripts/build-ollama.sh) && \
	export WAKE_CLIENTS WAKE_OLLAMA_BIN && $(GO) test -count 1 -timeout 15m -v ./clients

test-windows: ## tests as Windows programs, under Wine; what they cannot show there is skipped
	GO=$(GO) scripts/test-windows.sh -short -timeout 30m ./cmd/wake/internal/... ./causality ./domain ./files ./mcp \
		./prediction ./recall/... ./repository/sqlite ./secret ./session ./tiers ./transcript
	GO=$(GO) scripts/test-windows.sh -short -timeout 60m -parallel 1 ./cmd/wake # a hook has 5 s, also beside other tests

snapshots: ## accept the tools' schemas as they are now
	$(GO) test ./mcp -update

bench: ## benchmarks of all packages
	$(GO) test -run '^$$' -bench . -benchmem -timeout 60m ./...

soak: ## the long tests: full rounds of kill -9, 100,000 to 1,000,000 contexts; figures are reported
	WAKE_SOAK=1 $(GO) test -run 'Soak|Kill|Process|Start' -v -count 1 -timeout 6h ./cmd/wake ./memory ./repository/sqlite
	WAKE_SOAK=1 $(GO) test -run '^$$' -bench . -benchmem -timeout 6h ./...

check: ## formatting, vet (for other systems too) and staticcheck
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "not formatted:"; echo "$$unformatted"; exit 1; }
	$(GO) vet ./...
	GOOS=darwin $(GO) vet ./...
	GOOS=windows $(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

clean: ## remove what build made
	rm -rf bin
