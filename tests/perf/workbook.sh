#!/bin/sh
# Measures writing workbooks. Usage: workbook.sh PATH-TO-GPUSIGHT [FOLDER]; see workbook.py.
exec python3 "$(dirname "$0")/workbook.py" "$@"
