"""Levels in S3, as moto's server on the loopback interface has it; skipped without moto[server] and s3fs"""

from collections.abc import Iterator

import numpy as np
import pytest

from schedcheck.checker.limits.durable import Unusable
from schedcheck.checker.tabulated.distributed import storage as module
from schedcheck.checker.tabulated.distributed.storage import Storage
from tests.checker.tabulated.distributed.played import Played
from tests.checker.tabulated.distributed.test_spread import LOSSES, alone, spread
from tests.support.building import five_pods

for package in ("fsspec", "s3fs", "moto", "flask"):
    pytest.importorskip(package, reason=f"{package} is not installed; these tests need moto[server] and s3fs")
pytestmark = pytest.mark.filterwarnings("default")
STATES = np.arange(10, dtype=np.uint64).reshape(5, 2)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """The URL of a server with the bucket `levels`."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    try:
        yield "http://{}:{}".format(*server.get_host_and_port())
    finally:
        server.stop()


@pytest.fixture(autouse=True)
def bucket(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The bucket `levels`, empty before and after each test, where programs look for buckets."""
    import s3fs

    for name, value in {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": "nobody",
        "AWS_SECRET_ACCESS_KEY": "nothing",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(module, "PAUSES", ())
    s3fs.S3FileSystem.clear_instance_cache()
    files = s3fs.S3FileSystem()
    files.mkdir("levels")
    yield "s3://levels/here"
    files.invalidate_cache()
    assert files.find("levels") == [], "what was written is removed"
    files.rmdir("levels")


def test_a_level_written_and_read_is_the_same(bucket: str) -> None:
    storage = Storage(bucket, "run")
    storage.open()
    storage.look()
    storage.keep(1, 4, 0, STATES)
    storage.keep(1, 4, 0, STATES)
    storage.keep(1, 4, 1, STATES[:2])
    assert storage.read(1, 4, 0, 5, 2).tolist() == STATES.tolist()
    with pytest.raises(Unusable, match=r"attempt-001\.words: not what was written"):
        storage.read(1, 4, 1, 5, 2)
    assert storage.close() == ""
    with pytest.raises(Unusable, match=r"part-001-level-000004-attempt-000\.words cannot be read: "):
        storage.read(1, 4, 0, 5, 2)


def test_a_bucket_that_does_not_exist_is_refused_and_not_made() -> None:
    import s3fs

    with pytest.raises(Unusable, match=r"^s3://missing/levels/run: cannot be written: .*bucket"):
        Storage("s3://missing/levels", "run").open()
    assert s3fs.S3FileSystem().ls("") == ["levels"]


def test_a_level_of_several_parts_of_an_upload_is_the_same(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    many = np.arange(2 * 400_000, dtype=np.uint64).reshape(-1, 2)
    import s3fs

    monkeypatch.setattr(s3fs.S3FileSystem, "default_block_size", 5 << 20)
    s3fs.S3FileSystem.clear_instance_cache()
    storage = Storage(bucket, "run")
    storage.open()
    storage.keep(0, 1, 0, many)
    assert np.array_equal(storage.read(0, 1, 0, len(many), 2), many)
    assert storage.close() == ""


@pytest.mark.parametrize("number", [0, 3])
def test_workers_lost_are_replaced_with_the_same_result(number: int, played: Played, bucket: str) -> None:
    played.losses = LOSSES[number]
    assert spread(five_pods(), bucket, symmetry=False) == alone(five_pods(), symmetry=False)
    assert len(played.made) == 3 + len(LOSSES[number]), "each lost part was made again"
