"""POST requests to an endpoint that the settings name: bounded in time and size, without redirects and proxies."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from commonplace.errors import ModelUnavailable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from http.client import HTTPConnection, HTTPResponse

READ_CHUNK_BYTES = 1 << 16
UNSENDABLE = "the key or the address has characters that cannot be sent"


def bearer_headers(key: str) -> dict[str, str]:
    """The header with the key of an endpoint; none without a key."""
    return {"Authorization": f"Bearer {key}"} if key else {}


class Endpoint:
    """An interface at the base URL that the settings name; `path` is appended unless the URL ends with it.

    `headers` are sent with each request, and each may take `seconds` in all: a connection that is kept alive by a byte
    now and then is cut off too. After a request that came too late the endpoint is of no more use.
    """

    def __init__(self, url: str, path: str, *, headers: Mapping[str, str], seconds: float) -> None:
        import http.client
        from urllib.parse import urlsplit

        parts = urlsplit(url)
        base = parts.path.rstrip("/")
        self._path = base if base.endswith(path) else base + path
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._connection: HTTPConnection = kind(parts.hostname or "", parts.port, timeout=seconds)
        self._headers = {"Content-Type": "application/json", "Accept": "application/json", **headers}
        self._seconds, self._is_abandoned = seconds, False

    def post(self, body: bytes, max_bytes: int) -> bytes:
        """Send a body and return that of the answer. Raises ModelUnavailable, whose message never holds the key."""
        from queue import Empty, SimpleQueue
        from threading import Thread

        answers: SimpleQueue[bytes | str] = SimpleQueue()
        Thread(target=lambda: answers.put(self._exchange(body, max_bytes)), daemon=True).start()
        try:
            answer = answers.get(timeout=self._seconds)
        except Empty:
            self._abandon()
            answer = self._lateness
        if isinstance(answer, str):
            raise ModelUnavailable(answer)
        return answer

    def close(self) -> None:
        """Close the connection; one that is still waited for is closed by its thread."""
        if not self._is_abandoned:
            self._connection.close()

    @property
    def _lateness(self) -> str:
        return f"no answer within {self._seconds:.3g} s"

    def _abandon(self) -> None:
        """End the wait of the other thread, as far as it waits for the other side."""
        import socket

        self._is_abandoned = True
        with suppress(OSError, AttributeError):  # it has not connected yet, or no more
            self._connection.sock.shutdown(socket.SHUT_RDWR)

    def _exchange(self, body: bytes, max_bytes: int) -> bytes | str:
        """The body of the answer, or why there is none."""
        import http.client

        connection = self._connection
        try:
            if connection.sock is None:
                connection.connect()
            if self._is_abandoned:  # the name was looked up for too long
                return self._lateness
            connection.request("POST", self._path, body, self._headers)
            return self._read_answer(connection.getresponse(), max_bytes)
        except TimeoutError:
            return self._lateness
        except (OSError, EOFError) as error:
            return f"{getattr(error, 'strerror', None) or error or type(error).__name__}".lower()
        except http.client.HTTPException as error:
            return f"its answer breaks off or is not HTTP ({type(error).__name__})"
        except ValueError:  # its message would repeat the header
            return UNSENDABLE
        finally:
            if self._is_abandoned:
                connection.close()

    def _read_answer(self, answer: HTTPResponse, max_bytes: int) -> bytes | str:
        data = bytearray()
        while piece := answer.read1(READ_CHUNK_BYTES):
            data += piece
            if len(data) > max_bytes:
                return f"its answer has more than {max_bytes} bytes"
        answer.read()  # or the connection would count as in use
        if answer.status == 200:
            return bytes(data)
        if 300 <= answer.status < 400:
            return f"it sends elsewhere ({answer.status}), which is not followed"
        return f"it answers {answer.status}" + (", is the key right?" if answer.status in (401, 403) else "")
