"""Errors: one class a code of the library, which is also the exit code of the command line."""


class Error(Exception):
    """What went wrong, in one line; `code` is the exit code of the command line."""

    code = 3


class UsageError(Error, ValueError):
    """The call makes no sense: an option, a table or a column that does not exist."""

    code = 2


class SystemError(Error, OSError):
    """The system said no: file, disk, memory."""

    code = 3


class FormatError(Error, ValueError):
    """The file is not what it claims to be."""

    code = 4


class NothingToAnalyzeError(Error):
    """The file is fine and holds nothing to analyze."""

    code = 5


class CancelledError(Error):
    """The call was ended."""

    code = 130


_BY_CODE = {c.code: c for c in (UsageError, SystemError, FormatError, NothingToAnalyzeError,
                                CancelledError)}


def make(code, text):
    return _BY_CODE.get(code, Error)(text)
