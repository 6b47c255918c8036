from sweepless.validation.holdout import holdout_score as holdout_score
