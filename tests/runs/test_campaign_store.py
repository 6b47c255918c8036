"""The run directory: continued, refused, read."""

from __future__ import annotations

import csv
import json
import shutil

import pytest
from msgspec.structs import replace

import sweepless as sw
from sweepless.cli.main import main
from sweepless.runs import parse_spec, run_campaign
from sweepless.runs.export import long_table
from sweepless.runs.plan import plan_waves
from sweepless.runs.status import read_status
from sweepless.schema.run import read_cells
from sweepless.schema.spec import Split
from tests.runs.quick_campaign import N_CELLS, SPEC, rows_of


def test_a_finished_cell_is_never_run_twice(undisturbed, monkeypatch, expected):
    monkeypatch.setattr("sweepless.runs.pool.run_cell", None)
    summary = run_campaign(parse_spec(SPEC), undisturbed)
    assert (summary.n_cells, summary.n_new) == (N_CELLS, 0)
    assert rows_of(undisturbed) == expected


@pytest.mark.parametrize(("backend", "jobs"), [("threading", 3), ("loky", 2), ("multiprocessing", 2)])
def test_rows_do_not_depend_on_where_they_were_computed(backend, jobs, tmp_path, expected):
    run_campaign(parse_spec(SPEC), tmp_path / "run", backend=backend, n_jobs=jobs)
    assert rows_of(tmp_path / "run") == expected


def test_ids_tell_what_decides_the_result(expected):
    spec = parse_spec(SPEC)
    ids = {cell.id for wave in plan_waves(spec, "data", None) for cell in wave}
    assert len(ids) == N_CELLS
    assert ids == {cell.id for wave in plan_waves(parse_spec(SPEC), "data", None) for cell in wave}
    others = [
        (spec, "other data"),
        (replace(spec, rng="reference"), "data"),
        (replace(spec, split=Split(50, 40)), "data"),
        (replace(spec, data=replace(spec.data, scale="paper")), "data"),
        (replace(spec, validation=replace(spec.validation, sizes="all")), "data"),
    ]
    for other, key in others:
        assert not ids & {cell.id for wave in plan_waves(other, key, None) for cell in wave}
    changed = parse_spec(SPEC.replace("budget = 10\n", "budget = 11\n", 1))
    kept = ids & {cell.id for wave in plan_waves(changed, "data", None) for cell in wave}
    assert {cell.split("--")[0] for cell in kept} == {"SFS", "BIF"}  # those that match the changed arm change with it


def test_waves_put_an_arm_behind_the_one_it_matches():
    waves = plan_waves(parse_spec(SPEC), "data", (1.0, 1.0))
    assert [{cell.arm.name for cell in wave} for wave in waves] == [
        {"sSFFS y=10", "SFS", "BIF"},
        {"DAF matched", "DAF cost"},
    ]
    assert [cell.seed for cell in waves[0]] == sorted(cell.seed for cell in waves[0])


def test_a_long_chain_of_matches_is_planned():  # longer than Python's stack is deep
    arms = ['[[arms]]\nname = "0"\nmethod = "BIF"\n']
    arms += [f'[[arms]]\nname = "{k}"\nmethod = "DAF0"\nmatches = "{k - 1}"\n' for k in range(1, 1100)]
    spec = parse_spec(SPEC[: SPEC.index("[[arms]]")] + "".join(reversed(arms)))
    assert [wave[0].arm.name for wave in plan_waves(spec, "data", None)] == [str(k) for k in range(1100)]


def test_long_rankings_begin_first_so_that_none_is_left_alone_at_the_end():
    few, many = (f'[[arms]]\nname = "{n}"\nmethod = "DAF0"\nn_probes = {n}\n' for n in (10, 1000))
    (wave,) = plan_waves(parse_spec(SPEC[: SPEC.index("[[arms]]")] + few + many), "data", None)
    assert [cell.arm.name for cell in wave[:4]] == ["1000", "10", "1000", "10"]


def test_another_spec_or_other_data_are_refused(undisturbed, expected, tmp_path):
    for old, new, named in (('"1-4"', '"1-5"', "seeds"), ("max_size = 8", "max_size = 9", "arms")):
        with pytest.raises(
            sw.errors.CampaignError, match=f"must be a run of the same spec, got one with other {named}"
        ):
            run_campaign(parse_spec(SPEC.replace(old, new, 1)), undisturbed)
    data = tmp_path / "x.csv"
    text = SPEC.replace('name = "make_madelon"\nn_samples = 160\nn_features = 40', 'path = "x.csv"\nlabel = "y"')
    text = text[: text.index("[[arms]]")] + '[[arms]]\nname = "SFS"\nmethod = "SFS"\nmax_size = 2\n'
    rows = ["a,b,y", *(f"{k % 7},{k % 5},{k % 2}" for k in range(60))]
    data.write_text("\n".join(rows))
    run_campaign(parse_spec(text, folder=tmp_path), tmp_path / "run")
    data.write_text("\n".join([*rows[:-1], "9,9,1"]))
    with pytest.raises(sw.errors.CampaignError, match="must be a run on the same data"):
        run_campaign(parse_spec(text, folder=tmp_path), tmp_path / "run")
    assert rows_of(undisturbed) == expected


def test_directories_that_are_no_runs(tmp_path):
    (tmp_path / "thesis.txt").write_text("x")
    with pytest.raises(sw.errors.CampaignError, match=r"a directory of its own, got .* which has thesis.txt"):
        run_campaign(parse_spec(SPEC), tmp_path)
    with pytest.raises(sw.errors.InputError, match=r"must be a directory, got .*thesis.txt"):
        run_campaign(parse_spec(SPEC), tmp_path / "thesis.txt")
    with pytest.raises(sw.errors.CampaignError, match="must be a directory that `sweepless run` wrote"):
        read_status(tmp_path)
    (tmp_path / "run.json").write_text('{"format": 99}')
    with pytest.raises(sw.errors.DataError, match="`format` must be 2, which this version of sweepless writes, got 99"):
        read_status(tmp_path)


def test_what_was_cut_short_is_left_out(tmp_path, expected):
    run = tmp_path / "run"
    run_campaign(parse_spec(SPEC), run)
    (run / "cells" / ".half.json.tmp").write_text("{")
    with (run / "times.jsonl").open("a") as stream:
        stream.write('{"cell": "x", "sec')
    (run / "cells" / next(iter(expected))).unlink()
    summary = run_campaign(parse_spec(SPEC), run)
    assert summary.n_new == 1
    assert rows_of(run) == expected
    assert [cell.seconds is None for cell in read_cells(run)[0]] == [False] * N_CELLS


@pytest.mark.parametrize("how", ["cut", "changed"])
def test_a_damaged_cell_is_named_not_used_and_computed_again(how, tmp_path, undisturbed, expected, spec_file, capsys):
    run = tmp_path / "run"
    shutil.copytree(undisturbed, run)
    name = next(name for name in expected if name.startswith("sSFFS"))  # others match it
    content = expected[name]
    (run / "cells" / name).write_bytes(
        content[:100] if how == "cut" else content.replace(b'"value": 0.', b'"value": 1.', 1)
    )
    n_rows = len(json.loads(content)["rows"])
    for command in (["status"], ["export", "--json", str(tmp_path / "rows.json")]):
        assert main([command[0], str(run), *command[1:]]) == 1
        said = capsys.readouterr()
        assert str(run / "cells" / name) in said.err and "computes damaged cells again" in said.err
        assert command[0] == "export" or f"{N_CELLS - 1} of {N_CELLS} cells done" in said.out
    assert len(json.loads((tmp_path / "rows.json").read_text())) == len(long_table(undisturbed)[0]) - n_rows
    assert main(["run", str(spec_file), "-o", str(run), "--quiet"]) == 0
    said = capsys.readouterr()
    assert f"{N_CELLS} cells in {run} (1 new, of which 1 for damaged ones, {N_CELLS - 1} there before)" in said.out
    assert rows_of(run) == expected


def test_that_a_cell_is_computed_again_is_logged(tmp_path, undisturbed, expected, caplog):
    shutil.copytree(undisturbed, tmp_path / "run")
    name = next(iter(expected))
    (tmp_path / "run" / "cells" / name).write_bytes(b"")
    run_campaign(parse_spec(SPEC), tmp_path / "run")
    assert f"{name} is damaged: its checksum does not match. It is computed again." in caplog.text


def test_a_lost_worker_is_tried_three_times(tmp_path, monkeypatch):
    from sweepless.runs import pool
    from sweepless.runs.cell import run_cell

    tried = []

    def dies(cell, *rest):
        tried.append(cell.id)
        if cell.arm.name == "BIF" and cell.seed == 2:
            raise pool.LostWorker
        return run_cell(cell, *rest)

    monkeypatch.setattr(pool, "run_cell", dies)
    with pytest.raises(sw.errors.CampaignError, match=r"the cell BIF--s002--\w+ failed: its worker died 3 times"):
        run_campaign(parse_spec(SPEC), tmp_path / "run", backend="threading", n_jobs=2)
    assert len(rows_of(tmp_path / "run")) == N_CELLS - 1
    assert max(tried.count(cell) for cell in set(tried)) == 3


def test_status_and_export(undisturbed, tmp_path, capsys):
    status = read_status(undisturbed)
    assert (status.n_cells, status.n_done, status.is_running) == (N_CELLS, N_CELLS, False)
    assert status.total.seconds > 0 and status.total.seconds_left == 0
    assert main(["status", str(undisturbed)]) == 0
    shown = capsys.readouterr().out
    assert "20 of 20 cells done, not running" in shown and "DAF matched" in shown

    table, damaged = long_table(undisturbed)
    assert damaged == []
    cells = [json.loads(row) for row in rows_of(undisturbed).values()]
    assert len(table) == sum(len(cell["rows"]) for cell in cells)
    for kind in ("csv", "json", "parquet"):
        file = tmp_path / f"rows.{kind}"
        if kind == "parquet":
            pytest.importorskip("pyarrow", reason="needs pyarrow (sweepless[parquet])")
        assert main(["export", str(undisturbed), f"--{kind}", str(file)]) == 0
    assert json.loads((tmp_path / "rows.json").read_text()) == table
    with (tmp_path / "rows.csv").open(newline="") as stream:
        read = list(csv.DictReader(stream))
    assert [float(row["value"]) for row in read] == [row["value"] for row in table]
    assert [row["holdout_knn"] for row in read] == [str(row["holdout_knn"] or "") for row in table]
    import pyarrow.parquet as parquet

    assert parquet.read_table(tmp_path / "rows.parquet").to_pylist() == table


def test_the_command_line(tmp_path, capsys, spec_file, expected):
    assert main(["run", str(spec_file), "-o", str(tmp_path / "run"), "--n-jobs", "2", "--backend", "threading"]) == 0
    assert "20 cells" in capsys.readouterr().out
    assert rows_of(tmp_path / "run") == expected
    header = json.loads((tmp_path / "run" / "run.json").read_text())
    assert header["command"][:2] == ["sweepless", "run"] and header["spec_text"] == SPEC
    assert header["data"]["n_features"] == 40 and len(header["feature_names"]) == 40
    spec_file.write_text(SPEC.replace('"1-4"', '"1-5"'))
    assert main(["run", str(spec_file), "-o", str(tmp_path / "run")]) == 1
    assert "same spec" in capsys.readouterr().err
    spec_file.write_text("seeds = 1")
    assert main(["run", str(spec_file), "-o", str(tmp_path / "run")]) == 2
    assert f"{spec_file}: `seeds` must be distinct integers" in capsys.readouterr().err


def test_a_cost_model_may_be_fitted_and_is_kept(tmp_path):
    spec = parse_spec(SPEC.replace("model = [3.0, 0.5]", 'model = "fit"'))
    run_campaign(spec, tmp_path / "run")
    model = json.loads((tmp_path / "run" / "run.json").read_text())["cost_model"]
    assert min(model) >= 0 < sum(model)
    before = rows_of(tmp_path / "run")
    (tmp_path / "run" / "cells" / next(iter(before))).unlink()
    assert run_campaign(spec, tmp_path / "run").n_new == 1
    assert rows_of(tmp_path / "run") == before
