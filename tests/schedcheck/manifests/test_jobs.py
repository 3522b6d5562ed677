"""The controller `jobs` of a scenario: the Jobs that it counts, the pods that they may have, and what is refused"""

from pathlib import Path
from typing import Any

import pytest
import yaml

from schedcheck import Search, check
from schedcheck.api.relocation import drain
from schedcheck.checker.tabulated.search.refused import refusal
from schedcheck.errors import InputError
from schedcheck.manifests import read, scenario
from schedcheck.model.jobs import Counts
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Rule, Scenario

Json = dict[str, Any]


def template(policy: str = "Never") -> Json:
    containers = [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]
    return {"metadata": {"labels": {"app": "import"}}, "spec": {"containers": containers, "restartPolicy": policy}}


def job(status: Json | None = None, policy: str = "Never", **spec: Any) -> Json:
    made = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "import", "uid": "j"}}
    return {**made, "spec": {"template": template(policy), **spec}, "status": status or {}}


def cron(**spec: Any) -> Json:
    inner = {"template": template(), **spec}
    return {
        "apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "nightly"},
        "spec": {"schedule": "0 0 * * *", "jobTemplate": {"spec": inner}},
    }  # fmt: skip


def pod(name: str, phase: str = "Running", owner: str = "import", on: str = "n1", **metadata: Any) -> Json:
    reference = {"apiVersion": "batch/v1", "kind": "Job", "name": owner, "uid": "j", "controller": True}
    labels = {"app": "import", "batch.kubernetes.io/controller-uid": "j"}
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "uid": name, "labels": labels, "ownerReferences": [reference], **metadata},
        "spec": template()["spec"] | {"nodeName": on}, "status": {"phase": phase},
    }  # fmt: skip


def node() -> Json:
    status = {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}, "status": status}


def written(folder: Path, objects: list[Json], *events: Json | str, **spec: Any) -> Path:
    head = {"apiVersion": "schedcheck/v1alpha1", "kind": "Scenario", "metadata": {"name": "jobs"}}
    document = head | {"spec": {"events": [*events], "controllers": ["owners", "jobs"], **spec}}
    (folder / "cluster.yaml").write_text(yaml.safe_dump_all([node(), *objects, document]))
    return folder


def made(folder: Path, objects: list[Json], *events: Json | str, **spec: Any) -> Scenario:
    return scenario(read([written(folder, objects, *events, **spec)]), frozenset())


@pytest.mark.parametrize(
    ("spec", "parallelism", "completions", "limit", "pods"),
    [
        ({}, 1, 1, 6, 1),
        ({"parallelism": 3}, 3, None, 6, 3),
        ({"completions": 4}, 1, 4, 6, 1),
        ({"parallelism": 3, "completions": 2, "backoffLimit": 0}, 3, 2, 0, 2),
        ({"ttlSecondsAfterFinished": 5, "completionMode": "NonIndexed"}, 1, 1, 6, 1),
    ],
)
def test_a_job_has_the_defaults_of_the_api(
    spec: Json, parallelism: int, completions: int | None, limit: int, pods: int, tmp_path: Path
) -> None:
    (read_job,) = made(tmp_path, [job(**spec)]).jobs
    assert (read_job.parallelism, read_job.completions, read_job.limit) == (parallelism, completions, limit)
    assert (len(read_job.keys), read_job.start, str(read_job)) == (pods, Counts(0, 0), "job/import")


def test_a_cron_job_is_counted_by_the_job_of_its_run(tmp_path: Path) -> None:
    (read_job,) = made(tmp_path, [cron(completions=2)]).jobs
    assert (str(read_job), read_job.completions) == ("job/nightly-run", 2)


@pytest.mark.parametrize(
    ("status", "pods", "start", "names"),
    [
        # The status counts pods whose objects are gone; objects count until the status does.
        ({"succeeded": 1, "failed": 1}, [pod("a")], (1, 1), {"a", "import-new-0"}),
        ({}, [pod("a"), pod("b", "Succeeded"), pod("c", "Failed")], (1, 1), {"a", "b", "c"}),
        ({}, [pod("a", deletionTimestamp="2026-01-01T00:00:00Z")], (0, 1), {"a", "import-new-0"}),
        ({"succeeded": 2}, [pod("a")], (2, 0), {"a"}),
        ({"failed": 9}, [pod("a")], (0, 3), {"a", "import-new-0"}),
        ({"conditions": [{"type": "Failed", "status": "True"}]}, [pod("a", "Failed")], (0, 3), {"a", "import-new-0"}),
        ({"conditions": [{"type": "Complete", "status": "True"}]}, [pod("a", "Succeeded")], (3, 0), {"a"}),
    ],
)
def test_a_job_begins_with_the_pods_that_have_ended(
    status: Json, pods: list[Json], start: tuple[int, int], names: set[str], tmp_path: Path
) -> None:
    found = made(tmp_path, [job(status, parallelism=2, completions=3, backoffLimit=2), *pods])
    assert found.jobs[0].start == start
    assert {name for _, name in found.jobs[0].keys} == names == {each.name for each in found.pods}
    assert {name for _, name in found.absent} == {name for name in names if "new" in name}
    uids = [(each.owner, each.owner_uid, each.labels["batch.kubernetes.io/controller-uid"]) for each in found.pods]
    assert set(uids) == {(("Job", "import"), "j", "j")}


def test_pods_beyond_what_is_left_are_absent_at_first(tmp_path: Path) -> None:
    found = made(tmp_path, [job({"succeeded": 2}, parallelism=3, completions=3)])
    assert {name for _, name in found.absent} == {"import-1", "import-2"}


def test_events_befall_pods_to_come_and_the_controller_alone_creates_pods_of_jobs(tmp_path: Path) -> None:
    found = made(
        tmp_path, [job({"succeeded": 1}, parallelism=2, completions=3), pod("a")], "arrive", "crash", "complete"
    )
    keys = (("default", "a"), ("default", "import-new-0"))
    assert found.rules == (Rule("arrive"), Rule("crash", pods=keys), Rule("complete", pods=keys))
    assert found.running == ("owners", "jobs")


UNMODELLED = [
    ({"completionMode": "Indexed", "completions": 2}, "an Indexed Job is not modelled"),
    ({"podFailurePolicy": {"rules": []}}, "podFailurePolicy"),
    ({"successPolicy": {"rules": []}}, "successPolicy"),
    ({"backoffLimitPerIndex": 1}, "backoffLimitPerIndex"),
    ({"maxFailedIndexes": 1}, "maxFailedIndexes"),
    ({"activeDeadlineSeconds": 60}, "activeDeadlineSeconds"),
    ({"managedBy": "kueue.x-k8s.io/multikueue"}, "managedBy"),
    ({"podReplacementPolicy": "Failed"}, "only TerminatingOrFailed is modelled"),
]


@pytest.mark.parametrize(("spec", "told"), UNMODELLED)
def test_a_field_that_is_not_modelled_is_refused_by_name(spec: Json, told: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        made(tmp_path, [job(**spec)])
    assert told in str(error.value) and "cluster.yaml" in str(error.value)
    assert scenario(read([written(tmp_path, [job(**spec)], controllers=["owners"])]), frozenset()).jobs == ()


def test_a_suspended_job_with_pods_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a suspended Job is not modelled"):
        made(tmp_path, [job(suspend=True), pod("a")])


@pytest.mark.parametrize(
    ("objects", "events", "spec", "told"),
    [
        ([pod("a")], [], {}, "the input lacks Job import, of which it has pods"),
        ([], [], {}, "needs a Job in the input"),
        ([job()], [], {"controllers": ["jobs"]}, "needs the controller owners"),
        ([job()], [], {"victims": "pending"}, "expected absent"),
        ([job()], [], {"profile": "corrected"}, "not modelled together with the profile corrected"),
        ([job()], ["crash"], {"controllers": ["owners"]}, "the event crash belongs to the controller jobs"),
        (
            [job(), pod("other", owner="else") | {"metadata": {"name": "other"}}],
            [{"event": "crash", "pods": ["other"]}],
            {},
            "not for default/other",
        ),
        (
            [job(policy="OnFailure"), pod("other") | {"metadata": {"name": "other"}}],
            [{"event": "crash", "pods": ["import-0"]}],
            {},
            "not for default/import-0",
        ),
        ([job(policy="OnFailure")], ["restart"], {}, "restarts of pods of a Job count for its backoffLimit"),
    ],
)
def test_what_is_not_modelled_beside_jobs_is_refused(
    objects: list[Json], events: list[Any], spec: Json, told: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as error:
        made(tmp_path, objects, *events, **spec)
    assert told in str(error.value)


def test_a_pod_of_another_scheduler_is_refused(tmp_path: Path) -> None:
    other = job()
    other["spec"]["template"]["spec"]["schedulerName"] = "mine"
    with pytest.raises(InputError, match="is not scheduled here"):
        made(tmp_path, [other])


def test_manifests_and_autoscalers_beside_jobs_are_refused(tmp_path: Path) -> None:
    manifest = {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": {
            "metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}},
    }  # fmt: skip
    with pytest.raises(InputError, match="together with manifests that events apply"):
        made(tmp_path, [job()], {"event": "apply", "manifest": manifest}, controllers=["owners", "kubelet", "jobs"])
    with pytest.raises(InputError, match="together with an autoscaler of pods"):
        made(tmp_path, [job()], controllers=["owners", "kubelet", "jobs", "autoscaler"])


def test_tables_and_questions_refuse_jobs_by_name(tmp_path: Path) -> None:
    found = made(tmp_path, [job()], "complete")
    told = refusal(Reference(found, profile_of(found)), ())
    assert told == "the pods of Jobs that have ended are counted, which is not tabulated"
    with pytest.raises(InputError, match="the controller jobs is modelled in check only"):
        drain(read([tmp_path]), ["n1"])
    with pytest.raises(InputError, match="the controller jobs is named in a scenario alone"):
        check(read([tmp_path]), search=Search(controllers=("jobs",)))
    with pytest.raises(InputError, match="not modelled together with the controller jobs"):
        check(read([tmp_path]), search=Search(controllers=("autoscaler",)))
