"""What only the reproduction of the paper needs.

Importing this package makes the paper's data sets known to `sweepless.load`: `"madelon"`, `"gisette"`,
`"dorothea"`, `"reuters"`, and files that end in .trn. Nothing is downloaded; `find_data_dir` looks for them here.

========================  ====================================================================
`named_sets`              the data sets by name, where they are and what must be in them
`reuters`, `sgml`,        Reuters-21578, from its SGML files to counts of stemmed terms,
`terms`, `cache`          which are kept in the user's cache
`trn`                     the TRN format
`tables`                  the numbers that the paper prints
`measures`, `printed`     the same numbers on our runs, and the verdict on them
`targets`                 every table and figure that can be reproduced, by name
`reproduction`            runs the campaigns that a target needs, and judges what came out
========================  ====================================================================
"""

from sweepless.paper.named_sets import find_data_dir, load_named
from sweepless.paper.reuters import read_reuters
from sweepless.paper.trn import read_trn

__all__ = ["find_data_dir", "load_named", "read_reuters", "read_trn"]
