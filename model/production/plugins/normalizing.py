"""The score normalisation that several plugins share: `proportional`.

Kubernetes 1.34: pkg/scheduler/framework/plugins/helper/normalize_score.go.
"""

import numpy as np

from schedcheck.model.production.framework.plugin import HIGHEST_SCORE
from schedcheck.model.production.snapshot.labels import Numbers


def proportional(scores: Numbers, *, reverse: bool = False) -> Numbers:
    """Scale the scores so that the greatest becomes 100; with `reverse`, subtract the results from 100."""
    greatest = int(scores.max(initial=0))
    if greatest == 0:
        return np.full_like(scores, HIGHEST_SCORE) if reverse else scores
    # Scores are not negative, so flooring equals truncating.
    parts = scores * HIGHEST_SCORE // greatest
    return HIGHEST_SCORE - parts if reverse else parts
