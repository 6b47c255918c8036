"""Write the files that fuzzing starts from: small, valid, and of every kind that a reader knows."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
from readers import CORPUS, journal_problem, without_checksums
from scipy import sparse

TEXTS: dict[str, dict[str, str]] = {
    "delimited": {
        "header.csv": "a,b,class\n1,2,x\n3,4.5,y\n",
        "plain.csv": "1;2;0\n-1e-3;+4;1\n",
        "quoted.csv": '"a, b","c ""d""",y\n"1", 2,"no"\n3,4,yes\n',
        "tabs.csv": "1\t2\t1.5\n3\t4\t2.5\n\n",
        "numbers.csv": "0,1,class\n5,6,a\n7,8,b\n",
    },
    "arff": {
        "dense.arff": "% c\n@relation r\n@attribute a numeric\n@attribute 'b c' REAL\n@attribute class {x, 'y z'}\n@data\n"
        "1,2.5,x\n-3,1e-5,'y z' % end\n",
        "sparse.arff": '@relation "r"\n@attribute a integer\n@attribute b real\n@attribute Class {n,"p"}\n@data\n'
        "{0 1, 2 p}\n{}\n{1 -2.5}\n",
        "twice.arff": "@relation r\n@attribute class {a}\n@attribute f numeric\n@attribute class {a,b}\n@data\na,1,b\na,2,a\n",
    },
    "trn": {
        "commas.trn": "#datafile\n#title a title\n#features 2\n#classes 2 2,1\n#data\n1 2 ; one\n3 4\n5 6\n",
        "short.trn": "#DATAFILE\n#classes 1 1\n#features 3\n1 2\n3\n",
    },
    "svmlight": {
        "one.svm": "+1 1:0.5 7:-1e-3 # c\n-1 2:1E2\n\n2\n",
        "zero.svm": "0.5 qid:1 0:1 3:4\n1.5 qid:2 1:1\n",
    },
    "sgml": {
        "story.sgm": '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" NEWID=\'1\'>\n'
        "<TOPICS><D>earn</D><D>grain</D></TOPICS>\n<TEXT>&#2;\n<TITLE>A &lt;B></TITLE><BODY>wheat &amp; rye&#x3;</BODY>"
        '</TEXT>\n</REUTERS>\n<!-- c --><reuters topics=NO lewissplit="TEST"><topics></topics><text type="BRIEF">x</text>'
        "</reuters>\n",
    },
    "spec": {
        "full.toml": 'name = "a"\ntitle = "b"\nseeds = "1-3"\nrng = "reference"\n[data]\nname = "madelon"\n'
        'row_order = "file"\nscale = "paper"\n[split]\ntrain = 50\ntest = 50\n[criterion]\nname = "knn"\nn_neighbors = 3\n'
        "[stop]\ntarget = 4\nmax_evaluations = 100\n[report]\nsizes = {from = 1, to = 9, step = 2}\n[validation]\n"
        'classifiers = ["same", "svm"]\n[cost]\nmodel = [3.5, 0.5]\n[[arms]]\nname = "s"\nmethod = "sSFFS"\nbudget = 10\n'
        'backward_budget = "full"\nwarm_up = "20@2"\nproposal = "uniform"\n[[arms]]\nname = "d"\nmethod = "DAF1"\n'
        'matches = "s"\nmatch = "cost"\nprobe_sizes = [1, 3]\n',
        "short.toml": 'name = "a"\nseeds = [1, 2]\ncriterion = {name = "multinomial"}\ndata = {path = "x.csv", label = -1}\n'
        '[[arms]]\nname = "SFS"\nmethod = "SFS"\nreport = [1, 2]\nmax_size = "none"\n',
    },
    "header": {
        "run.json": '{"format": 2, "name": "a", "title": null, "spec": {"name": "a", "seeds": [1, 2], "rng": "portable", "data": {"name": '
        '"make_madelon", "scale": "train"}, "validation": {"classifiers": ["same"], "sizes": {"from": 1, "to": 9, "step": 2}}, '
        '"split": {"train": 50, "test": 50}, "cost": "fit", "arms": [{"name": "s", "method": "sSFFS", "options": {"budget": 5}, '
        '"criterion": {"name": "knn"}, "stop": {"target": 4, "max_size": null}, "report": [1, 4], "start": [0, 2], "match": null}]}, '
        '"spec_text": "name", "data": {"name": "d", "n_samples": 9, "n_features": 3, "n_classes": null, "fingerprint": "0f"}, '
        '"cost_model": [1.5, 0], "versions": {"numpy": "2.0"}, "command": ["a", "b"], "feature_names": ["x", "y", "z"]}\n'
    },
    "cell": {
        "cell.json": '{"cell": "cell", "arm": "s", "seed": 1, "method": "sSFFS", "criterion": "KNN()", "data": "d", "options": {"budget": 5}, '
        '"rng": "portable", "n_features": 3, "n_train": 5, "n_test": 4, "stop_reason": "frontier", "n_evaluations": 7, '
        '"forward_evaluations": 3, "backward_evaluations": 2, "warm_up_evaluations": 1, "ranking_evaluations": 1, '
        '"start_evaluations": 0, "sum_of_sizes": 9, "rows": [{"size": 1, "value": 0.5, "n_evaluations": 3, "sum_of_sizes": null, '
        '"features": [2], "holdout": {"knn": 0.25}}], "trajectory": [[3, 1, 0.5, "forward"], [7, 2, null, "backward"]], '
        '"reference": true}\n'
    },
    "row_order": {"lines.txt": "2\n0\n3\n1\n", "table.txt": "2 0\n3 1\n"},
}


def main() -> None:
    for reader, texts in TEXTS.items():
        for name, text in texts.items():
            write(reader, name, text.encode())
    write("delimited", "packed.csv", gzip.compress(TEXTS["delimited"]["header.csv"].encode(), mtime=0))
    write("npz", "dense.npz", archive(X=np.eye(3), y=np.array([0, 1, 0])))
    write(
        "npz", "named.npz", archive(X=np.eye(2, dtype="i1"), y=["a", "b"], feature_names=["f", "g"], classes=["b", "a"])
    )
    write("npz", "packed.npz", archive(np.savez_compressed, X=np.eye(2, dtype=">f4"), y=[1.5, 2.5]))
    for kind in ("csr", "csc", "coo", "bsr"):
        write("npz_sparse", f"{kind}.npz", archive(sparse.save_npz, sparse.csr_matrix(np.eye(3, 4)).asformat(kind)))
    for name, array in {
        "ints": np.arange(3),
        "text": np.array(["a", "bc"]),
        "table": np.asfortranarray(np.eye(2)),
    }.items():
        write("npy", f"{name}.npy", archive(np.save, array))
    for name in ("sSFFS", "SFFS", "DAF0"):
        whole = journal(name)
        write("journal", f"{name}.jsonl", whole)
        write("journal", f"{name}-torn.jsonl", whole[: 2 * len(whole) // 3])
        write("journal_records", f"{name}.jsonl", without_checksums(whole))


def archive(save: Any = np.savez, *given: Any, **members: Any) -> bytes:
    buffer = io.BytesIO()
    save(buffer, *given, **members)
    return buffer.getvalue()


def journal(name: str) -> bytes:
    """Record a run with everything that long runs have: values of a step under way."""
    import tempfile
    from unittest.mock import patch

    from sweepless import Journal, run
    from sweepless.search import WarmUp

    options: dict[str, Any] = {"target": 2}
    if name == "sSFFS":
        options |= {"budget": 2, "backward_budget": 2, "warm_up": WarmUp(2, 2)}
    if name == "DAF0":
        options = {"n_probes": 6, "probe_sizes": (1, 3)}
    with (
        tempfile.TemporaryDirectory() as directory,
        patch("sweepless.search.ledger._PAUSE", 0.0),
        patch("sweepless.journal.recording._PAUSE", 0.0),
        patch("sweepless.journal.recording._PAUSE_PER_VALUE", 0.0),
    ):
        path = Path(directory) / "run.jsonl"
        run(name, *journal_problem(), journal=Journal(path), **options)
        return path.read_bytes()


def write(reader: str, name: str, content: bytes) -> None:
    path = CORPUS / reader / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


if __name__ == "__main__":
    main()
