"""GPU performance traces, analyzed.

    import gpusight

    run = gpusight.open("results.db")
    run.ledger.to_pandas()          # every nanosecond of every GPU by its cause
    run.findings[0]["title"]        # what to do first
    run.kernels["duration_ns"]      # a NumPy view of the recorded column, not a copy
    run.whatif(remove="sync")       # the run again, without host waits
    gpusight.compare(before, after).verdict

Only the standard library is needed, and libgpusight (GPUSIGHT_LIBRARY names it where it is not
installed). NumPy, pandas, polars and others are used when they are there.
"""
from ._errors import (CancelledError, Error, FormatError, NothingToAnalyzeError, SystemError,
                      UsageError)
from ._lib import version as _version
from ._run import Comparison, Picture, Run, charts, compare, open, scan_source
from ._table import Column, Table

__version__ = _version()
__all__ = ["CancelledError", "Column", "Comparison", "Error", "FormatError",
           "NothingToAnalyzeError", "Picture", "Run", "SystemError", "Table", "UsageError",
           "charts", "compare", "open", "scan_source"]
