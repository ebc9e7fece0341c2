# Short names for the usual steps; Meson does the work. `make help` lists them.

BUILD = build
PREFIX = /usr/local
DEMO = demo
SECONDS_EACH = 60
MINUTES = 60
GPUSIGHT = $(BUILD)/src/cli/gpusight
SOURCES = find include src tests -name '*.[ch]'

.DEFAULT_GOAL := all
.PHONY: all configure demo test bench fuzz fuzz-hours static wheel manual dist install uninstall format check-format clean help

all: configure ## build the program and the library
	@ninja -C $(BUILD)

configure:
	@tools/install-packages.sh build build-optional
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD) --prefix=$(PREFIX) -Dtests=false

demo: all ## make a trace and look at it
	@mkdir -p $(DEMO)
	$(GPUSIGHT) synth demo -o $(DEMO)/demo.db
	$(GPUSIGHT) analyze $(DEMO)/demo.db

test: configure ## build and run all tests
	@tools/install-packages.sh test browser-optional mpi-optional database-optional
	@command -v npm >/dev/null || tools/install-packages.sh node-optional
	@meson introspect --tests $(BUILD) | grep -q golden || meson configure $(BUILD) -Dtests=true
	@ninja -C $(BUILD)
	meson test -C $(BUILD) --no-rebuild --print-errorlogs

bench: all ## measure the hot paths
	@for script in tests/perf/*.sh; do \
	  if test -f "$$script"; then $$script $(GPUSIGHT) || exit 1; else echo "no benchmarks yet"; fi; \
	done

fuzz: ## run every fuzz target for SECONDS_EACH seconds
	@tools/install-packages.sh build build-optional fuzz
	@tests/fuzz/run.sh $(SECONDS_EACH) build-fuzz

fuzz-hours: ## for MINUTES, run those that had the least time in all runs: tests/fuzz/hours.csv
	@$(MAKE) --no-print-directory fuzz SECONDS_EACH=1
	@tests/fuzz/hours.py --minutes $(MINUTES)

static: ## one file without shared libraries, to carry to a cluster: build-static/gpusight
	@tools/install-packages.sh build static-optional
	@test -f build-static/build.ninja || meson setup build-static -Dstatic=true -Dprefer_static=true \
	  -Dcairo=disabled -Dotf2=disabled -Dllm=disabled -Dtests=false
	@ninja -C build-static src/cli/gpusight
	@strip -o build-static/gpusight build-static/src/cli/gpusight
	@build-static/gpusight --version

wheel: ## the Python package with the library inside: dist/*.whl
	@tools/install-packages.sh build build-optional
	@python/backend.py -o dist

manual: ## docs as HTML, to read and search without a network: build-manual/index.html
	@tools/manual.py -o build-manual

dist: ## the source archive of HEAD, the same bytes each time
	@tools/dist.sh dist

install: all ## install to PREFIX (DESTDIR is obeyed)
	@meson configure $(BUILD) --prefix=$(PREFIX)
	meson install -C $(BUILD)

uninstall: ## remove what install put there
	@ninja -C $(BUILD) uninstall

format: ## lay out all C files by .clang-format
	@$(SOURCES) | xargs clang-format -i -style=file

check-format: ## say which C files are not laid out
	@$(SOURCES) | xargs clang-format --dry-run -Werror -style=file

clean: ## remove what was built
	rm -rf $(BUILD) build-* $(DEMO) dist

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile
