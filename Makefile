# make alone lists what there is.

.PHONY: help demo test long sdk compare compare-agents build install bench bench-screen benchmarks lint check update docs screenshots fuzz windows

help:
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' $(MAKEFILE_LIST)

demo: ## watch the agent work: no key, no network
	go run ./cmd/pollux demo

test: ## run the tests
	go test ./...

long: ## run the tests with all combinations and large loads
	POLLUX_LONG=1 go test -timeout=30m ./...

sdk: ## compare requests and answers with those of the vendors' SDKs
	grep -rl --include='*_test.go' '^//go:build sdk$$' . | xargs -n 1 dirname | sort -u | xargs go test -tags sdk

compare: ## run the scenes with Gemini CLI too; downloads it from npm once (100 MB, needs Node.js)
	POLLUX_COMPARE=1 go test ./acceptance/gemini

compare-agents: ## compare undo with that of four other agents; downloads them from npm once (500 MB, needs Node.js)
	POLLUX_COMPARE=agents go test ./acceptance/disasters

windows: ## run tests of the code for Windows under Wine (Debian: apt install wine64)
	go run ./acceptance/wine ./internal/durable/... ./internal/process ./internal/terminal ./internal/charset ./internal/frontmatter
	go run ./acceptance/wine -run 'SecurityProblem|NoAccessList|ForeignOwner' ./internal/config
	go run ./acceptance/wine -run 'TestNetworkError|TestRefusedConnection' ./llm/httpwire
	go run ./acceptance/wine -run 'TestScripts/^(crlf_files|killed_resume|json|stream_json|settings|stdin|text|tool_read_file|exit_42_no_input|exit_55_untrusted|record_replay)$$' ./acceptance

build: ## build ./pollux
	CGO_ENABLED=0 go build -trimpath -o pollux ./cmd/pollux

install: ## install pollux into Go's bin directory
	CGO_ENABLED=0 go install -trimpath ./cmd/pollux

bench: ## measure the program beside the least that a Go program can do, and print the ratios
	go test -run '^$$' -bench 'Floor|Screen' -benchtime 9x ./bench

bench-screen: ## measure the program at a terminal, and print the figures beside the promised ones; takes 20 minutes
	go run ./bench/screen

benchmarks: ## run all benchmarks
	POLLUX_LONG=1 go test -run '^$$' -bench . -benchmem ./...

lint: ## vet, staticcheck, format
	go vet -tags sdk ./...
	go tool staticcheck -tags sdk ./...
	test -z "$$(go tool gofumpt -l .)"

check: ## everything that CI runs
	./.ci/run

update: ## write the expected results of tests anew, then read the diff
	go test ./acceptance ./acceptance/hostile ./llm/provider ./internal/cli ./internal/config ./internal/slash -update

docs: ## write docs/man/pollux.1 from what the program says of itself
	go test ./acceptance -run TestManPage -update

screenshots: ## take the pictures in docs/images again, and record docs/images/demo.cast
	go test ./acceptance -run 'TestScreenshots|TestRecording' -update

fuzz: ## fuzz every target for FUZZTIME (10s), and compare with git and rg on new trees
	RAPID_SEED=$$(date +%s) go test -count=1 -run 'EnginesAgree|LikeGitRandom' ./internal/workspace ./internal/tools/search -rapid.checks=2000
	@set -e; grep -rl --include='*_test.go' '^func Fuzz' . | while read -r f; do \
		for t in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' "$$f"); do \
			echo "$$(dirname "$$f") $$t"; \
			go test -tags sdk -run '^$$' -fuzz "^$$t$$" -fuzztime "$${FUZZTIME:-10s}" "$$(dirname "$$f")"; \
		done; \
	done
