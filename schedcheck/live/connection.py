"""The connection to an API server, as kubectl makes it: `Connection`, `connected`."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlencode

from schedcheck.errors import InputError

SECONDS = 60.0
"""The seconds in which a page of a list is to come."""


class Said(NamedTuple):
    """An answer of the API server: its status code, and the object, or a text where it is none."""

    code: int
    body: Any


class Connection(Protocol):
    """A connection that can only read."""

    @property
    def name(self) -> str:
        """The name of its context."""
        ...

    def get(self, path: str, **query: str | int) -> Said:
        """Return the answer to GET. Raises: InputError where there is none."""
        ...


@dataclass(frozen=True)
class ByClient:
    """A connection by the official client, which reads kubeconfig and takes care of certificates and tokens."""

    name: str
    namespace: str
    client: Any
    headers: tuple[tuple[str, str], ...]

    def get(self, path: str, **query: str | int) -> Said:
        """Return the answer to GET. Raises: InputError where there is none."""
        from kubernetes.client.exceptions import ApiException
        from urllib3 import HTTPHeaderDict
        from urllib3.exceptions import HTTPError

        settings = self.client.configuration
        token: Mapping[str, str] = settings.auth_settings().get("BearerToken", {})
        headers = [("Accept", "application/json"), *self.headers]
        headers += [("Authorization", token["value"])] if token.get("value") else []
        address = f"{settings.host}{path}" + (f"?{urlencode(query)}" if query else "")
        try:
            # A map would not hold a header that occurs several times, as Impersonate-Group may.
            found = self.client.rest_client.request(
                "GET", address, headers=HTTPHeaderDict(headers), _request_timeout=SECONDS
            )
            return Said(found.status, _parsed(found.read()))
        except ApiException as error:
            if not error.status:
                raise InputError(f"no answer of the API server: {error.reason}", file=settings.host) from None
            return Said(error.status, _parsed(error.body))
        except HTTPError as error:
            raise InputError(f"no answer of the API server: {_reason(error)}", file=settings.host) from None


def connected(
    kubeconfig: str | None = None, context: str | None = None, user: str = "", groups: Sequence[str] = ()
) -> ByClient:
    """Return the connection to the cluster of a context, by default the current one; in a pod without kubeconfig, to its own.

    user, groups
        Whom to impersonate, as with `kubectl --as` and `--as-group`.

    Raises: InputError, also without the client, which the extra `live` installs.
    """
    try:
        import yaml
        from kubernetes import client, config
        from kubernetes.config import ConfigException
    except ImportError:
        raise InputError("needs the extra `live`, which installs kubernetes: pip install 'schedcheck[live]'") from None
    if groups and not user:
        raise InputError("belongs to --as", path="--as-group")
    impersonated = (*((("Impersonate-User", user),) if user else ()), *(("Impersonate-Group", each) for each in groups))
    file = kubeconfig or os.environ.get("KUBECONFIG") or None
    if kubeconfig and not os.path.exists(kubeconfig):
        raise InputError("No such file or directory", file=kubeconfig)
    try:
        if file is None and context is None and _in_a_pod():
            settings = client.Configuration()
            config.load_incluster_config(client_configuration=settings)
            return ByClient("in-cluster", _own_namespace(), client.ApiClient(settings), impersonated)
        contexts, current = config.list_kube_config_contexts(config_file=file)
        chosen = current if context is None else next((each for each in contexts if each["name"] == context), None)
        if chosen is None:
            names = ", ".join(sorted(each["name"] for each in contexts))
            raise InputError(f"no context has this name; there are: {names}", path="--context", value=context)
        made = config.new_client_from_config(config_file=file, context=chosen["name"], persist_config=False)
    except ConfigException as error:
        raise InputError(f"cannot be used: {_short(error)}", file=file or "kubeconfig") from None
    except (OSError, ValueError, KeyError, TypeError, yaml.YAMLError) as error:
        raise InputError(f"cannot be read: {_short(error)}", file=file or "kubeconfig") from None
    return ByClient(chosen["name"], chosen["context"].get("namespace") or "default", made, impersonated)


def _in_a_pod() -> bool:
    own = os.path.expanduser("~/.kube/config")
    return "KUBERNETES_SERVICE_HOST" in os.environ and not os.path.exists(own)


def _own_namespace() -> str:
    try:
        with open("/var/run/secrets/kubernetes.io/serviceaccount/namespace", encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return "default"


def _parsed(body: Any) -> Any:
    """Return the object of a body; its text where it is no JSON."""
    try:
        return json.loads(body)
    except (TypeError, ValueError, RecursionError):
        return body.decode("utf-8", "replace") if isinstance(body, bytes) else body


def _reason(error: BaseException) -> str:
    """Return why a request had no answer, such as "Connection refused", without the retries around it."""
    while isinstance(cause := getattr(error, "reason", None), BaseException):
        error = cause
    return _short(error).rpartition(": ")[2]


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:300]
