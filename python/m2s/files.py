"""Opening what m2s writes, and what is said when a file is not that."""

import gzip
import re
import zlib

_INTEGER = re.compile(r"-?\d+$")
_DECIMAL = re.compile(r"-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$|-?(nan|inf)$")


class ReadError(ValueError):
    """A file that cannot be read: str() is FILE:LINE: MESSAGE."""

    def __init__(self, path, message, line=None):
        place = f"{path}:{line}" if line else f"{path}"
        super().__init__(f"{place}: {message}")
        self.path, self.line, self.message = path, line, message


def number(text):
    """An int, a float, or the text itself."""
    if not isinstance(text, str):
        return text
    if _INTEGER.match(text):
        return int(text)
    return float(text) if _DECIMAL.match(text) else text


def read_text(path, limit=-1):
    """The contents of a text file, which may be compressed by gzip; with a
    limit, only so many bytes of it, and what is no text is empty."""
    try:
        with open(path, "rb") as file:
            if file.read(2) == b"\x1f\x8b":
                file.seek(0)
                with gzip.open(file) as unpacked:
                    data = unpacked.read(limit)
            else:
                file.seek(0)
                data = file.read(limit)
    except EOFError:
        raise ReadError(path, "compressed file is truncated") from None
    except (OSError, zlib.error) as error:
        raise ReadError(path, getattr(error, "strerror", None) or
                        str(error)) from None
    if limit >= 0:
        return "" if b"\0" in data else data.decode("utf-8", "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ReadError(path, "not a text file",
                        data[:error.start].count(b"\n") + 1) from None


def whole_lines(path, text):
    """The lines of a file, the last of which must be whole."""
    lines = text.split("\n")
    if lines[-1]:
        raise ReadError(path, "truncated: the last line has no end",
                        len(lines))
    return lines[:-1]


def frame(rows, columns=None):
    """A pandas.DataFrame of rows; pandas is not needed for anything else."""
    try:
        import pandas
    except ImportError:
        raise ImportError("a frame needs pandas, which is not installed") \
            from None
    return pandas.DataFrame(rows, columns=columns)
