"""How an extender is reached over TLS: `client_context`.

Kubernetes 1.34: makeTransport in pkg/scheduler/extender.go, TLSConfigFor in k8s.io/client-go/transport/transport.go.
Differs: all files are read once, while kube-scheduler reads those of its own certificate again when they are renewed.
"""

import ssl
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from schedcheck.model.production.framework.extender import ExtenderError
from schedcheck.spec.kubernetes.configuration import Extender, Tls


class ClientContext(ssl.SSLContext):
    """A context for connections to a server of this name; with an empty name, to the one of the address."""

    server_name = ""

    def wrap_socket(self, *args: Any, **options: Any) -> ssl.SSLSocket:
        """The connection, in which the server is asked for by its name and must be known by it."""
        if self.server_name:
            options["server_hostname"] = self.server_name
        return super().wrap_socket(*args, **options)


def client_context(configured: Extender) -> ClientContext:
    """How the extender is known, and how it knows us; data goes before the file of the same.

    An authority that is given takes the place of those of the system. With enableHTTPS and none anybody is taken for
    the extender, as kube-scheduler does. A certificate without its key is not shown.

    Raises: ExtenderError if a file or its data cannot be used, or an authority is given and is not to be asked.
    """
    tls = configured.tls or Tls()
    authority = bool(tls.ca_data or tls.ca_file)
    if authority and tls.insecure:
        raise _unusable(configured, "specifying a root certificates file with the insecure flag is not allowed")
    context = ClientContext(ssl.PROTOCOL_TLS_CLIENT)
    context.server_name = tls.server_name
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.hostname_checks_common_name = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    if tls.insecure or (configured.enable_https and not authority):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    try:
        if authority:
            context.load_verify_locations(cadata=_data(tls.ca_data, tls.ca_file).decode())
        else:
            context.load_default_certs()
        if (tls.cert_data or tls.cert_file) and (tls.key_data or tls.key_file):
            _show(context, _data(tls.cert_data, tls.cert_file), _data(tls.key_data, tls.key_file))
    except (OSError, ValueError) as error:
        raise _unusable(configured, str(error)) from error
    return context


def _unusable(configured: Extender, reason: str) -> ExtenderError:
    return ExtenderError(f"extender {configured.url_prefix}: {reason}")


def _data(data: bytes, file: str) -> bytes:
    return data or Path(file).read_bytes()


def _show(context: ssl.SSLContext, certificate: bytes, key: bytes) -> None:
    """Have the context show a certificate, which it can only load from a file."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "certificate-and-key"
        file.write_bytes(certificate + b"\n" + key)
        # Without a password an encrypted key would be asked for at the terminal.
        context.load_cert_chain(file, password="")
