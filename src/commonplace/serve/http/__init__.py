"""The daemon: one process that keeps a workspace's index up to date and answers HTTP over a Unix socket or loopback."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.serve.http.auth import *
    from commonplace.serve.http.daemon import *
    from commonplace.serve.http.login_units import *
    from commonplace.serve.http.schedule import *
    from commonplace.serve.http.server import *
else:
    __getattr__ = lazy_names(
        __name__,
        auth=(
            "INTERNAL_ERROR_STATUS OWN_SITES SECURITY_HEADERS Header Refusal RequestAuth check_request error_response"
            " json_response read_body read_headers refusal_response"
        ),
        daemon="ListenOptions Page serve_workspace",
        login_units="ServiceCommand launchd_agent systemd_unit",
        schedule="configured_jobs schedule_json",
        server="SignalFreeServer build_http_server listen_tcp redirect_library_logs",
    )
