"""The line of progress: in place on a terminal, now and then elsewhere, gone or kept at the end."""

from __future__ import annotations

import sys

import pytest

import cpcbench as cpc
from cpcbench.cli import progress
from cpcbench.cli.progress import ERASE, ProgressLine, duration
from cpcbench.cli.words import read_problems
from cpcbench.errors import CpcbenchError


class Clock:
    """Time that passes only when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(progress, "time", made)
    return made


def terminal(monkeypatch: pytest.MonkeyPatch, yes: bool) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: yes)


def test_a_terminal_has_one_line_that_changes_and_goes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], clock: Clock
) -> None:
    terminal(monkeypatch, True)
    with ProgressLine() as line:
        line.say("one")
        line.say("too early")
        clock.now += 0.3
        line.say("two")
    assert capsys.readouterr().err == f"{ERASE}one{ERASE}two{ERASE}"


def test_elsewhere_there_is_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], clock: Clock
) -> None:
    terminal(monkeypatch, False)
    with ProgressLine(every=10.0) as line:
        line.say("too early")
        line.begin("too early, too")
        clock.now += 10.0
        assert line.due
        line.say("one")
        assert not line.due
        line.say("the end", always=True)
    assert capsys.readouterr().err == "one\nthe end\n"


@pytest.mark.parametrize("interactive", [True, False])
def test_the_last_text_may_be_kept(
    interactive: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], clock: Clock
) -> None:
    terminal(monkeypatch, interactive)
    with ProgressLine(keep=True) as line:
        line.say("all done", always=True)
        line.close()
    assert capsys.readouterr().err == (f"{ERASE}all done\n" if interactive else "all done\n")
    assert clock.now == 1000.0


def test_the_line_is_gone_before_an_error_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal(monkeypatch, True)
    chosen = [cpc.problem("CPC-DF1"), cpc.problem("CPC-DF3")]
    with pytest.raises(RuntimeError), ProgressLine() as line:
        raise RuntimeError([p.id for p in line.over(chosen, "reading")])
    assert capsys.readouterr().err == f"{ERASE}reading CPC-DF1 (1/2){ERASE}reading CPC-DF3 (2/2){ERASE}"


@pytest.mark.parametrize(
    ("seconds", "text"), [(None, "?"), (0.4, "0 s"), (99.0, "99 s"), (120.0, "2 min"), (7200.0, "2.0 h")]
)
def test_durations(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


def test_problems_named_or_all() -> None:
    assert [p.id for p in read_problems(["df1", "F138"], None, "strict", None)] == ["CPC-DF1", "F138"]
    assert [p.rule for p in read_problems(["df1"], None, "strict", None)] == ["strict"]
    assert read_problems(None, None, "ieee", None) == cpc.problems()
    assert read_problems([], None, "ieee", None, default=cpc.problems()[:2]) == cpc.problems()[:2]
    for n, bounds in ((3, None), (None, "0:1")):
        with pytest.raises(CpcbenchError, match="--n, --bounds and --subject-to need a problem to go with"):
            read_problems(None, n, "ieee", bounds)
