"""The search's tuned numbers, and what the documentation says of them."""

from __future__ import annotations

import re
from pathlib import Path

from cpcbench.solvers.edges.turns import FROM, LAST, LAST_PART
from cpcbench.solvers.search.state import SAMPLERS
from cpcbench.solvers.search.tuning import (
    ALONE,
    CLIMBERS,
    CLIMBING,
    ELITES_KEPT,
    ENTRIES,
    FEW,
    FIRST,
    LONGEST_WAIT,
    LOOKS,
    SHARES_OF_SAMPLERS,
    STARTS,
    WHOLE_LINES,
    Settings,
    climbers_for,
    for_budget,
)
from cpcbench.solvers.white_box import tuning as white

PAGE = re.sub(r"\s+", " ", (Path(__file__).parents[2] / "docs" / "search.md").read_text(encoding="utf-8"))
FOLLOW = {"at_once", "budget", "entry_share"}
"""Settings that follow from a budget; the others stand in a table of the page."""


def test_every_setting_stands_in_the_page_as_it_is() -> None:
    for name, value in Settings()._asdict().items():
        if name not in FOLLOW:
            assert f"| `{name}` | {value:g} | {CLIMBING[name]:g} |" in PAGE, name
    assert set(CLIMBING) == set(Settings._fields) - FOLLOW


def test_the_text_gives_the_same_figures() -> None:
    usual, few = Settings(), Settings(**CLIMBING)
    said = (
        f"up to {CLIMBERS} local searches at a time. {usual.cma_share:.0%} of their steps ({few.cma_share:.0%} with few"
        " evaluations)",
        f"among the better {usual.keep:.0%} ({few.keep:.0%}) that came so far",
        f"if {usual.outlook:g} ({few.outlook:g}) more gains like its last",
        f"the best {ELITES_KEPT} points",
        f"{LOOKS} places on a line through an elite, {usual.axis_share:.0%} of them along a coordinate; half of the",
        f"from {ALONE + 2 * FIRST:,} evaluations on",
        f"after {LONGEST_WAIT:,} other values",
        f'"Few" are less than {FEW:,} evaluations',
        f"until the domain was entered {ENTRIES} times",
        f"`entry_share`, {for_budget(1e6)['entry_share']:g} from a million evaluations on",
        f"up to two fifths of its last evaluations, which are {LAST:,} or, if that is more, a tenth, but not of the"
        f" first {FROM:,}",
        f"from {climbers_for(1)} to {CLIMBERS}, one for each 50,000 evaluations",
    )
    for sentence in said:
        spaced = sentence.replace("%", " %")
        assert sentence in PAGE or spaced in PAGE, sentence
    assert (STARTS, WHOLE_LINES) == (3, 0.5)
    assert (usual.walk_share, LAST_PART, usual.shade) == (0.4, 0.1, 0.01)
    assert climbers_for(150_000) == 3
    assert climbers_for(1e9) == CLIMBERS


def test_what_is_shared_out_is_a_share() -> None:
    for settings in (Settings(), Settings(**CLIMBING), Settings(**for_budget(1e5)), Settings(**for_budget(5e3))):
        shares = [value for name, value in settings._asdict().items() if name.endswith("_share")]
        assert all(0.0 <= share <= 1.0 for share in shares)
        assert settings.sample_share + settings.hop_share < 1.0
    assert len(SHARES_OF_SAMPLERS) == SAMPLERS


def test_the_white_box_page_gives_its_figures() -> None:
    page = re.sub(r"\s+", " ", (Path(__file__).parents[2] / "docs" / "white-box.md").read_text(encoding="utf-8"))
    assert (
        f"with two fifths of the evaluations before herds begin ({white.FIRST:,}) and about a fifth afterwards" in page
    )
    first, second, third = (f"{evaluations:,}" for evaluations in white.STAGES)
    assert f"{first} at first, then {second} and {third}" in page
    assert white.LUCKY == 3.0
    assert "has three times its share" in page
    assert f"After {white.LOOKED_AT:,} ranges the middles" in page
    assert f"It begins after {white.RANGES_BEGIN} evaluations" in page
    assert f"which has {white.SQP_EVALUATIONS} evaluations for each variable and once more" in page
    assert white.SMALLEST_GAIN == 1e-7
    assert white.EARLY_SHARES["black box"] == 0.4
    assert white.SHARES["black box"] == 0.25
    assert white.GROWTH == 0.25
    assert "a round is a quarter of all that was done before" in page
    assert f"but for the first {white.FREE_READS:,} readings of a lane" in page
    assert white.EARLY == 12
    assert "begins with twelve descents from chance points" in page
    assert f"where there are up to {white.ALL_NUMBERS} choices" in page
    assert f"with {white.HELD:,} evaluations of that lane" in page
