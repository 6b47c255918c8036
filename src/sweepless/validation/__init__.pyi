from sweepless.validation.holdout import holdout_score as holdout_score
from sweepless.validation.splits import Split as Split
