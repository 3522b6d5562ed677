"""Start a control plane on the loopback interface, and keep it until Ctrl-C or the end of a command: `make control-plane`.

Nodes are objects with a kubelet that kwok plays. A command finds the API server by KUBECONFIG. With --run the control plane is
driven through the drawn run of this seed, and the audit log is kept. Exit status: that of the command, 3 if it cannot be built.
"""

import argparse
import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from tests.control_plane.building import CannotBuild, built
from tests.control_plane.crowd import Size, run
from tests.control_plane.objects import node
from tests.control_plane.plane import ControlPlane
from tests.control_plane.programs import Ended
from tests.control_plane.waiting import nodes_ready, wait_for

SHAPE = {"cpu": "8", "memory": "32Gi"}
"""What each node offers."""


def main(argv: Sequence[str] | None = None) -> int:
    """Start, wait, and end."""
    parser = argparse.ArgumentParser(prog="make control-plane", description=__doc__)
    parser.add_argument("--nodes", type=int, default=3, help="the number of nodes")
    parser.add_argument("--pods", type=int, default=2000, help="the number of pods of --run")
    parser.add_argument("--command", default="", help="end as soon as this command has ended")
    parser.add_argument("--run", type=int, help="drive it through the run of this seed")
    parser.add_argument("--kept", type=Path, help="where data, logs and the audit log are kept")
    parser.add_argument("--gates", default="", help="feature gates of kube-scheduler")
    parser.add_argument("--build", action="store_true", help="only build the program")
    given = parser.parse_args(argv)
    try:
        binary = built()
    except CannotBuild as error:
        print(f"make control-plane: {error}", file=sys.stderr)
        return 3
    if given.build:
        print(binary)
        return 0
    signal.signal(signal.SIGTERM, _stop)
    try:
        with ControlPlane(binary, kept=given.kept, gates=given.gates) as plane:
            return used(plane, given)
    except Ended as error:
        print(f"make control-plane: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0


def used(plane: ControlPlane, given: argparse.Namespace) -> int:
    """Use a control plane as the options say, and return the exit status."""
    if given.run is not None:
        print(run(plane, given.run, Size(given.nodes, given.pods)))
        return 0
    plane.api.create_all(node(f"n{each}", SHAPE) for each in range(1, given.nodes + 1))
    wait_for(lambda: nodes_ready(plane.api), "the nodes are ready")
    print(f"export KUBECONFIG={plane.kubeconfig()}", flush=True)
    if given.command:
        environment = {**os.environ, "KUBECONFIG": str(plane.kubeconfig())}
        return subprocess.run(shlex.split(given.command), env=environment, check=False).returncode
    threading.Event().wait()
    return 0


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
