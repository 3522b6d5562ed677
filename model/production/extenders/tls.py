"""TLS connections to an extender: `client_context`.

Kubernetes 1.34: makeTransport in pkg/scheduler/extender.go, TLSConfigFor in k8s.io/client-go/transport/transport.go.
Differs: all files are read once, while kube-scheduler reads its own certificate again when it is renewed.
"""

import ssl
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from schedcheck.model.production.framework.extender import ExtenderError
from schedcheck.spec.extender_configuration import Extender, Tls


class ClientContext(ssl.SSLContext):
    """A context for connections to a server of this name; if the name is empty, the name in the URL."""

    server_name = ""

    def wrap_socket(self, *args: Any, **options: Any) -> ssl.SSLSocket:
        """Return the connection; the server name is sent to the server and checked against its certificate."""
        if self.server_name:
            options["server_hostname"] = self.server_name
        return super().wrap_socket(*args, **options)


def client_context(configured: Extender) -> ClientContext:
    """Return the TLS context of the extender's configuration; inline data takes precedence over a file.

    A configured certificate authority replaces those of the system. With enableHTTPS and no authority the server is not
    verified, as in kube-scheduler. A client certificate without its key is not used.

    Raises: ExtenderError if a file or its data cannot be used, or an authority is given together with insecure.
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
    """Load a client certificate into the context, which accepts only a file."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "certificate-and-key"
        file.write_bytes(certificate + b"\n" + key)
        # Without a password, an encrypted key would prompt at the terminal.
        context.load_cert_chain(file, password="")
