"""Specs say what is wrong with them, where, and before anything is computed."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sweepless.errors import SpecError, SweeplessError
from sweepless.runs import parse_spec, read_spec
from tests.runs.quick_campaign import SPEC

HUGE = 10**18


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('name = "quick"', "", "`name` must be given, got none"),
        ('name = "quick"', 'nam = "quick"', "`nam` is no key; the keys are: name, title"),
        ('title = "A quick one"', "title = 3", "`title` must be a line of text, got 3"),
        ('title = "A quick one"', 'subtitle = "x"', "`subtitle` is no key; the keys are: name"),
        ('seeds = "1-4"', "seeds = []", "`seeds` must be distinct integers"),
        ('seeds = "1-4"', "seeds = [1, 1]", "`seeds` must be distinct integers"),
        ('seeds = "1-4"', "seeds = [true]", "`seeds` must be distinct integers"),
        ('seeds = "1-4"', 'seeds = "4-1"', "`seeds` must be distinct integers"),
        ('seeds = "1-4"', 'seeds = "1-999999999999"', "`seeds` must be distinct integers"),
        ('seeds = "1-4"', 'seeds = "1-4"\nrng = "mersenne"', "`rng` must be one of portable, reference"),
        ('seeds = "1-4"', 'seeds = [99999999999]\nrng = "reference"', "`seeds`: `seed`"),
        ("n_samples = 160", 'path = "x.csv"', "`data` must be a table with either a `name` or a `path`"),
        ("n_samples = 160", "n_samples = 2_000_000_000", "`data.n_samples` must be an integer from 0"),
        ("n_samples = 160", "n_samples = 900_000_000", "`data.n_features` must be few enough for data of at most"),
        ('"make_madelon"', '"x.csv"', "`data.name` must be the name of a data set; a file is given by its `path`"),
        ("n_samples = 160", 'label = "y"', "`data.label` must be left out for make_madelon, got 'y'"),
        ("n_samples = 160", "rows = 5", "`data.rows` is no key of `data`"),
        ("n_samples = 160", 'scale = "white"', "`data.scale` must be one of none, paper, train"),
        ("train = 50", "train = 60", "`split`: train and test percentages must add up to at most 100"),
        ("train = 50", "train = 0", "`split.train` must be an integer from 1 to 100"),
        ("train = 50\ntest = 50", "train = 50", "`split.test` must be given"),
        ('[criterion]\nname = "knn"', '[criterion]\nname = "lda"', "`criterion`: `name` must be one of knn"),
        ('[criterion]\nname = "knn"', '[criterion]\nname = "knn"\nk = 3', "`criterion`: `k` is not a parameter of knn"),
        ('[criterion]\nname = "knn"', '[criterion]\nname = "knn"\nfolds = 0', "`criterion`: `folds`"),
        ('[criterion]\nname = "knn"', '[criterion]\nname = "cfs"', "must not have `same` where a criterion has no"),
        ("max_size = 8", "max_size = 0", "`stop.max_size` must be a positive integer or none"),
        ("max_size = 8", "max_seconds = 8", "`stop.max_seconds` is no key of `stop`"),
        ('"gaussian-nb"]', '"tree"]', "`validation.classifiers` must be a list of same, knn"),
        ('classifiers = ["same", "gaussian-nb"]', "", "`validation.classifiers` must be given, got none"),
        ("sizes = [4, 8]", "sizes = [0]", "`validation.sizes` must be"),
        ("model = [3.0, 0.5]", "model = [0, 0]", "`cost.model` must be"),
        ("model = [3.0, 0.5]", "model = [nan, 1.0]", "`cost.model` must be"),
        ("[cost]\nmodel = [3.0, 0.5]", "", r"`arms[4].match` by cost must go with a `cost.model`"),
        ('method = "SFS"', 'method = "SFX"', "`arms[1].method` must be one of BIF"),
        ('method = "SFS"', 'method = "SFS"\nbudget = 3', "`arms[1].budget`: `budget` is not an option of SFS"),
        ('method = "SFS"', 'method = "OS"', "`arms[1].target` must be given for OS"),
        ('method = "SFS"', 'method = "SBS"', "`arms[1].max_size` must be left out for searches that shrink"),
        ("budget = 10\n", "budget = 0\n", "`arms[0].budget`: `budget` must be a positive integer"),
        ("budget = 10\n", "budget = 1.5\n", "`arms[0].budget`"),
        ('warm_up = "20@5"', 'warm_up = "lots"', "`arms[0].warm_up`: `warm_up` must be"),
        ('warm_up = "20@5"', 'proposal = "best"', "`arms[0].proposal`: `proposal` must be one of softmax"),
        (
            'warm_up = "20@5"',
            'statistics = "frozen"\nwarm_up = "none"',
            "`arms[0]`: frozen statistics must have a warm-up",
        ),
        ('ties = "high"', 'ties = "high"\nstart = "top"', "`arms[2].start` must be one of scores"),
        ("step = 13", "step = 0", "`arms[2].report` must be"),
        ("step = 13", "stride = 13", "`arms[2].report` must be"),
        ('name = "BIF"', 'name = "SFS"', "`arms[2].name` must be given once, got 'SFS' twice"),
        ('matches = "sSFFS y=10"\n\n', 'matches = "nobody"\n\n', "`arms[3].matches` must be the name of an arm"),
        ('matches = "sSFFS y=10"\n\n', 'matches = "DAF matched"\n\n', "`arms[3].matches` must not lead back"),
        ('matches = "sSFFS y=10"\n\n', 'matches = "BIF"\nn_probes = 5\n\n', "`arms[3].matches` must be for DAF0"),
        ("[[arms]]", "[[arms", "a spec must be TOML, got"),
    ],
)
def test_what_is_wrong_is_named_in_one_sentence(old, new, named):
    assert old in SPEC
    with pytest.raises(SpecError) as caught:
        parse_spec(SPEC.replace(old, new, 1), "my.toml")
    said = str(caught.value)
    assert said.startswith("my.toml: ") and named in said and "\n" not in said


def test_a_circle_of_two(tmp_path):
    text = SPEC.replace('matches = "sSFFS y=10"\nmatch', 'matches = "DAF matched"\nmatch')
    text = text.replace('matches = "sSFFS y=10"\n\n', 'matches = "DAF cost"\n\n')
    with pytest.raises(SpecError, match="must not lead back to itself"):
        parse_spec(text)


def test_a_spec_without_a_split_cannot_validate():
    with pytest.raises(SpecError, match="`validation` must go with a `split`"):
        parse_spec(SPEC.replace("[split]\ntrain = 50\ntest = 50", ""))


def test_arms_may_override_what_holds_for_all():
    text = SPEC.replace('method = "SFS"', 'method = "SFS"\nmax_size = "none"\nstop = {target = 3}', 1)
    text += '\n[arms.criterion]\nname = "svm"\nC = 2.0\n'
    arms = parse_spec(text).arms
    assert arms[1].stop == {"max_size": None, "target": 3}
    assert arms[0].stop == {"max_size": 8}
    assert arms[4].criterion == {"name": "svm", "C": 2.0}
    assert arms[0].criterion == {"name": "knn"}


def test_seeds_as_a_range_and_as_a_list():
    assert parse_spec(SPEC).seeds == parse_spec(SPEC.replace('"1-4"', "[1, 2, 3, 4]")).seeds == (1, 2, 3, 4)


def test_a_file_that_is_too_long_or_no_text(tmp_path):
    path = tmp_path / "spec.toml"
    path.write_bytes(b"#" * (1 << 21))
    with pytest.raises(SpecError, match="at most"):
        read_spec(path)
    path.write_bytes(b"name = '\xff'")
    with pytest.raises(SpecError, match="UTF-8"):
        read_spec(path)


VALUES = st.one_of(
    st.integers(-HUGE, HUGE).map(str),
    st.sampled_from(['"all"', '"full"', '"none"', "true", "[]", "{}", "nan", "inf", "-1.5", '""', "[1, 2]", "[[1]]"]),
    st.text("abc@/-.0123456789", max_size=8).map(lambda text: f'"{text}"'),
)


@settings(max_examples=300, deadline=None)
@given(place=st.integers(0, 10**6), value=VALUES)
def test_any_value_anywhere_is_taken_or_refused_at_once(place, value):
    lines = SPEC.splitlines()
    keyed = [number for number, line in enumerate(lines) if re.match(r"\w+ = ", line)]
    number = keyed[place % len(keyed)]
    lines[number] = f"{lines[number].split(' = ')[0]} = {value}"
    began = time.monotonic()
    try:
        parse_spec("\n".join(lines))
    except SweeplessError as error:
        assert isinstance(error, SpecError) and str(error).startswith("spec: ")
    assert time.monotonic() - began < 5
