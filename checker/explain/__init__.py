"""Why a pod is placed where it is, or stays pending: every filter, score and candidate."""
