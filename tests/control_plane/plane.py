"""A control plane on the loopback interface, in a folder of its own: `ControlPlane`

etcd, kube-apiserver, kube-controller-manager, kube-scheduler, and kwok instead of kubelets. Ports are chosen freely, users
have random tokens, and the serving certificate is the one that kube-apiserver makes for itself.
"""

import json
import secrets
import shutil
import socket
import subprocess
from pathlib import Path
from tempfile import mkdtemp
from types import TracebackType
from typing import Any, Final, Self

from tests.control_plane.api import Api, Refused
from tests.control_plane.programs import HOST, Program, free_port

Json = dict[str, Any]
HERE: Final = Path(__file__).parent
READER: Final = "reader"
"""A user who may do only what a role says, where `authorization` is RBAC."""

USERS: Final = {
    "admin": "system:masters",
    "system:kube-scheduler": "system:masters",
    "system:kube-controller-manager": "system:masters",
    "kwok": "system:masters",
    READER: "readers",
}
ALIVE: Final = {"schedcheck.example/kubelet": "alive"}
"""The label of nodes that have a kubelet, which kwok plays."""

GRACE: Final = 20
"""The seconds after which a node without heartbeats is unreachable; 50 by default."""

TOLERATED: Final = 3
"""The seconds for which pods stay on an unreachable node; 300 by default."""

LEASE: Final = 20
"""The seconds for which a heartbeat counts as seen; kwok renews it after a quarter of them."""


class ControlPlane:
    """A control plane that runs as long as the context.

    configuration
        A KubeSchedulerConfiguration without its clientConnection; the default one if None.
    gates
        Feature gates of the scheduler, such as "OpportunisticBatching=false".
    authorization
        The mode of authorization: by default every user may do everything.
    kept
        The folder for data, output and the audit log; a temporary one that is removed at the end if None.
    """

    def __init__(
        self,
        binary: Path,
        configuration: Json | None = None,
        kept: Path | None = None,
        gates: str = "",
        authorization: str = "AlwaysAllow",
    ) -> None:
        self.authorization = authorization
        self.binary, self.configuration, self.gates = binary, configuration, gates
        self._temporary = kept is None
        self.folder = Path(mkdtemp(prefix="control-plane-")) if kept is None else kept.resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.audit = self.folder / "audit.log"
        self._tokens = {user: secrets.token_hex(16) for user in USERS}
        self._port = 0
        self.programs: list[Program] = []

    def __enter__(self) -> Self:
        """Start every program, in the order in which they need each other. Raises: Ended."""
        try:
            self._prepare()
            self._start_etcd()
            self._start_api_server()
            self._start("kube-controller-manager", *MANAGER, f"--kubeconfig={self.kubeconfig('system:kube-controller-manager')}",
                        f"--service-account-private-key-file={self.folder / 'accounts.key'}")  # fmt: skip
            self._start_kwok()
            self.start_scheduler()
            self._wait_for_defaults()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """End every program, the last one first."""
        self._end()

    def _end(self) -> None:
        if hasattr(self, "api"):
            self.api.close()
        for each in reversed(self.programs):
            each.end()
        self.programs.clear()
        if self._temporary:
            shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def address(self) -> str:
        """The address of the API server."""
        return f"https://{HOST}:{self._port}"

    def kubeconfig(self, user: str = "admin") -> Path:
        """Return the kubeconfig of a user."""
        return self.folder / f"{user.replace(':', '-')}.kubeconfig"

    def _prepare(self) -> None:
        rows = [f'{token},{user},{user},"{USERS[user]}"' for user, token in self._tokens.items()]
        tokens = self.folder / "tokens.csv"
        tokens.touch(mode=0o600)
        tokens.write_text("\n".join(rows) + "\n")
        key = self.folder / "accounts.key"
        key.touch(mode=0o600)
        subprocess.run(["openssl", "genrsa", "-out", str(key), "2048"], check=True, capture_output=True)

    def _start(self, name: str, *options: str, **environment: str) -> Program:
        made = Program(name, [self.binary, name, *options], self.folder, environment)
        self.programs.append(made)
        return made

    def _start_etcd(self) -> None:
        port = free_port()
        self._etcd = f"http://{HOST}:{port}"
        etcd = self._start("etcd", f"--data-dir={self.folder / 'etcd'}", f"--listen-client-url={self._etcd}")
        etcd.wait_until(lambda: _listens(port))

    def _start_api_server(self) -> None:
        self._port = free_port()
        key = self.folder / "accounts.key"
        server = self._start(
            "kube-apiserver", *API_SERVER, f"--authorization-mode={self.authorization}", f"--secure-port={self._port}", f"--etcd-servers={self._etcd}",
            f"--cert-dir={self.folder / 'certificates'}", f"--token-auth-file={self.folder / 'tokens.csv'}",
            f"--service-account-key-file={key}", f"--service-account-signing-key-file={key}",
            f"--service-account-issuer={self.address}",
            f"--audit-policy-file={HERE / 'audit.yaml'}", f"--audit-log-path={self.audit}",
        )  # fmt: skip
        certificate = self.folder / "certificates" / "apiserver.crt"
        server.wait_until(lambda: certificate.exists() and certificate.stat().st_size > 0 and _listens(self._port))
        for user, token in self._tokens.items():
            self.kubeconfig(user).touch(mode=0o600)
            self.kubeconfig(user).write_text(json.dumps(_kubeconfig(self.address, certificate, token)))
        self.api = Api(self.address, certificate, self._tokens["admin"])
        server.wait_until(self.api.ready)

    def _start_kwok(self) -> None:
        label = "=".join(next(iter(ALIVE.items())))
        self._start(
            "kwok", f"--kubeconfig={self.kubeconfig('kwok')}", f"--config={HERE / 'stages.yaml'}",
            f"--manage-nodes-with-label-selector={label}", f"--node-lease-duration-seconds={LEASE}",
            KWOK_WORKDIR=str(self.folder / "kwok"), HOME=str(self.folder),
        )  # fmt: skip

    def start_scheduler(self, configuration: Json | None = None) -> None:
        """Start kube-scheduler, in place of the one that runs; with another configuration if one is given."""
        self.end_scheduler()
        if configuration is not None:
            self.configuration = configuration
        connection = {"kubeconfig": str(self.kubeconfig("system:kube-scheduler")), "qps": 1000, "burst": 2000}
        content = {
            **BASE, **(self.configuration or {}), "clientConnection": connection,
            "leaderElection": {"leaderElect": False},
        }  # fmt: skip
        file = self.folder / "scheduler.json"
        file.write_text(json.dumps(content))
        self._start("kube-scheduler", f"--config={file}", "--secure-port=0", "--v=2", f"--feature-gates={self.gates}")

    def end_scheduler(self) -> None:
        """End kube-scheduler, if it runs."""
        for each in [each for each in self.programs if each.name == "kube-scheduler"]:
            each.end()
            self.programs.remove(each)

    def _wait_for_defaults(self) -> None:
        """Wait until the priority classes of the system and the namespace default are there."""

        def there() -> bool:
            try:
                return bool(
                    self.api.get("Namespace", "default") and self.api.get("PriorityClass", "system-node-critical")
                )
            except Refused:
                return False

        self.programs[-1].wait_until(there)

    def fail(self, node: str) -> None:
        """Let the kubelet of a node be silent from now on: no heartbeat, and its pods do not end."""
        self.api.patch("Node", node, {"metadata": {"labels": dict.fromkeys(ALIVE)}})

    def recover(self, node: str) -> None:
        """Let the kubelet of a node answer again."""
        self.api.patch("Node", node, {"metadata": {"labels": ALIVE}})

    def cordon(self, node: str, *, unschedulable: bool = True) -> None:
        """Cordon a node, or uncordon it."""
        self.api.patch("Node", node, {"spec": {"unschedulable": unschedulable or None}})


BASE: Final[Json] = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
API_SERVER: Final = (
    f"--bind-address={HOST}", f"--advertise-address={HOST}", "--endpoint-reconciler-type=none",
    "--anonymous-auth=false", "--disable-admission-plugins=ServiceAccount",
    "--service-cluster-ip-range=10.0.0.0/16", f"--default-not-ready-toleration-seconds={TOLERATED}",
    f"--default-unreachable-toleration-seconds={TOLERATED}", "--audit-log-mode=blocking", "--audit-log-format=json",
    "--max-requests-inflight=2000", "--max-mutating-requests-inflight=1000",
)  # fmt: skip
MANAGER: Final = (
    f"--bind-address={HOST}", "--secure-port=0", "--leader-elect=false", "--kube-api-qps=1000", "--kube-api-burst=2000",
    "--node-monitor-period=1s", f"--node-monitor-grace-period={GRACE}s", "--node-eviction-rate=100",
    "--secondary-node-eviction-rate=100", "--large-cluster-size-threshold=1", "--unhealthy-zone-threshold=1",
)  # fmt: skip


def _listens(port: int) -> bool:
    """Whether something listens on a port of the loopback interface."""
    with socket.socket() as asked:
        return asked.connect_ex((HOST, port)) == 0


def _kubeconfig(address: str, certificate: Path, token: str) -> Json:
    """Return a kubeconfig, whose YAML may be JSON."""
    cluster = {"server": address, "certificate-authority": str(certificate)}
    return {
        "apiVersion": "v1", "kind": "Config", "current-context": "here",
        "clusters": [{"name": "here", "cluster": cluster}], "users": [{"name": "here", "user": {"token": token}}],
        "contexts": [{"name": "here", "context": {"cluster": "here", "user": "here"}}],
    }  # fmt: skip
