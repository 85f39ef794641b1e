# A thin front: CMake presets build, scripts/ do the rest.
#
#   make             build/wick, static and optimised      make flame   see where this machine's time goes
#   make test        every tier, VM included               make bench   against the peers
#   make test-fast   without VM, sanitizers and fuzzers    make lint    clang-format and clang-tidy

.PHONY: build dev flame test test-fast test-asan test-vm fuzz bench format lint docs clean deps

build: build-deps
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target wick

dev: build-deps
	@cmake --preset dev >/dev/null
	@cmake --build --preset dev

flame: build
	build/wick profile -F 99 -o flame.svg --top 10 5

test: test-deps
	@scripts/test

test-fast: test-deps
	@scripts/test --fast

test-asan: test-deps
	@scripts/test asan

test-vm: test-deps
	@scripts/test vm

fuzz: test-deps
	@scripts/fuzz 60

bench: build
	@scripts/install-deps build bench
	@bench/run

format:
	@scripts/lint --format-only --fix

lint: test-deps
	@scripts/lint

docs: build
	@scripts/docs

clean:
	rm -rf build flame.svg

.PHONY: build-deps test-deps
build-deps:
	@scripts/install-deps build
test-deps:
	@scripts/install-deps build test
