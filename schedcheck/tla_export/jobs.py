"""Jobs whose ended pods are counted as constants of tla/KubeJobCluster.tla: `refuse_jobs`, `job_constants`."""

from schedcheck.model.jobs import Job
from schedcheck.model.scenario import JOBS, Scenario
from schedcheck.tla_export.amounts import within
from schedcheck.tla_export.beside import refuse_beside
from schedcheck.tla_export.text import Record, Set, Value


def refuse_jobs(scenario: Scenario, symmetry: bool) -> None:
    """Raises: NotExportable for Jobs together with what their module does not have."""
    if scenario.jobs:
        refuse_beside(f"the controller {JOBS}", scenario, symmetry, but=JOBS)


def job_constants(scenario: Scenario) -> dict[str, Value]:
    """Return the constant of tla/KubeJobCluster.tla; none without Jobs. Raises: NotExportable."""
    return {"Jobs": tuple(map(_job, scenario.jobs))} if scenario.jobs else {}


def number_of(name: str, scenario: Scenario) -> int:
    """Return the place of the Job of this name, such as job/import, among those of the scenario; the first has 1."""
    return 1 + tuple(map(str, scenario.jobs)).index(name)


def _job(job: Job) -> Record:
    for number in (job.parallelism, job.completions or 0, job.limit + 2, job.start.succeeded + 1):
        within(number, f"a number of {job}")
    return Record(
        {
            "Pods": Set(tuple(sorted(job.keys))),
            "Parallelism": job.parallelism,
            "Completions": job.completions,
            "Limit": job.limit,
            "Start": Record({"Succeeded": job.start.succeeded, "Failed": job.start.failed}),
        }
    )
