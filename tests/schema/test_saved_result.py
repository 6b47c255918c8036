"""A result that was saved is read as it was written, and nothing else is."""

from __future__ import annotations

import json

import msgspec
import pytest

from sweepless import make_madelon, run
from sweepless.cli import main
from sweepless.criteria import KNN
from sweepless.errors import DataError
from sweepless.schema.result import read_result


def test_what_select_writes_is_read_as_it_was(tmp_path) -> None:
    path = tmp_path / "result.json"
    assert main(["select", "--data", "make_madelon", "--max-size", "4", "--quiet", "--json", str(path)]) == 0
    read = read_result(path)
    assert msgspec.to_builtins(read) == json.loads(path.read_text())
    assert [subset.size for subset in read.archive] == [1, 2, 3, 4]
    assert read.settings["max_size"] == 4 and read.task == "classification"


def test_a_wrong_value_is_one_sentence_with_its_place(tmp_path) -> None:
    plain = run("SFS", KNN(), make_madelon(n_samples=40, n_features=30), target=2).to_dict()
    plain["archive"][1]["size"] = -1
    path = tmp_path / "result.json"
    path.write_text(json.dumps(plain))
    with pytest.raises(DataError, match=r"`archive\[1\]\.size` must be an integer of at least 0, got -1\.$"):
        read_result(path)
