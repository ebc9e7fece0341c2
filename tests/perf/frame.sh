#!/bin/sh
# Measures frames of pandas. Usage: frame.sh PATH-TO-GPUSIGHT [FOLDER]; see frame.py.
exec python3 "$(dirname "$0")/frame.py" "$@"
