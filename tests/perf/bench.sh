#!/bin/sh
# Measures reading and analysis on generated traces and prints ratios within one run.
# Usage: bench.sh PATH-TO-GPUSIGHT [FOLDER]; see bench.py for what is measured.
exec python3 "$(dirname "$0")/bench.py" "$@"
