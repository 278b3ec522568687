"""Every error a user can cause, under one base class so that one `except` catches them all."""

from __future__ import annotations


class CpcbenchError(Exception):
    """The base of all cpcbench errors; its message says what was given and what is accepted."""


class FormulaError(CpcbenchError):
    """A formula that cannot be read; `column` (from 1) is where the trouble starts."""

    def __init__(self, message: str, text: str = "", column: int | None = None) -> None:
        self.message = message
        self.text = text
        self.column = column
        super().__init__(message if column is None else f"{message}\n{_pointer(text, column)}")

    def __reduce__(self) -> tuple[type[FormulaError], tuple[str, str, int | None]]:
        return FormulaError, (self.message, self.text, self.column)


class PointError(CpcbenchError):
    """A point that is not a row of finite real numbers of the right length."""


class UnknownNameError(CpcbenchError):
    """A problem, rule or language that is not known."""


class NotProvenError(CpcbenchError):
    """Nothing is wrong with what was asked for, but no proof was found."""


class NoFormulaError(CpcbenchError, AttributeError):
    """Something was asked of a problem that only a formula can tell, and it is a function."""


class MissingExtraError(CpcbenchError):
    """An optional library is needed and not installed."""


def _pointer(text: str, column: int) -> str:
    """The line of the formula around the column, with a caret under the character."""
    start = max(0, column - 41)
    shown = text[start : start + 80].replace("\n", " ").replace("\t", " ")
    return f"  column {column}: {shown}\n  {' ' * len(f'column {column}: ')}{' ' * (column - 1 - start)}^"


def shortened(text: str, most: int = 60) -> str:
    """The text, or its beginning if it is long."""
    return text if len(text) <= most else f"{text[: most - 3]}..."
