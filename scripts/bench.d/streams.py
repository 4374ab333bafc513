"""Event streams: thousands that stay open, changes, and how long until each is heard."""

import dataclasses
import selectors
import socket
import statistics
import time

WINDOW = 200  # streams that are being opened at once
OPENED = b"HTTP/1.1 200 "
CHANGERS = 16  # connections that make changes


@dataclasses.dataclass
class Heard:
    """How long changes took, in milliseconds."""

    count: int
    p50: float  # from the answer that says that it is committed, until the event is there
    p99: float
    p50_request: float  # from sending the request
    seconds: float


class Streams:
    """Streams of one client, all read by one thread."""

    def __init__(self, port):
        self.port = port
        self.selector = selectors.DefaultSelector()
        self.streams = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for stream in self.streams:
            stream.close()
        self.selector.close()

    def open(self, requests):
        """Opens a stream for each request; returns when all are told that they are."""
        for start in range(0, len(requests), WINDOW):
            fresh = [self._connect(request) for request in requests[start:start + WINDOW]]
            for stream in fresh:
                head = b""
                while b"event: ready\n" not in head:
                    piece = stream.recv(4096)
                    head += piece
                    if not piece or not head.startswith(OPENED[:len(head)]):
                        raise SystemExit(f"bench: a stream was answered {head[:200]!r}")
                stream.setblocking(False)
                self.selector.register(stream, selectors.EVENT_READ, (self._hear, len(self.streams)))
                self.streams.append(stream)

    def _connect(self, request):
        stream = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        stream.sendall(request)
        return stream

    def change(self, requests, rate):
        """Sends request n for stream n at a steady rate, and waits until every stream has heard of it."""
        self.sent, self.answered, self.heard = {}, {}, {}
        self.requests = requests
        changers = [Changer(self) for _ in range(CHANGERS)]
        start = time.monotonic()
        due = 0
        while len(self.heard) < len(requests) or len(self.answered) < len(requests):
            now = time.monotonic()
            if now > start + len(requests) / rate + 10:
                raise SystemExit(f"bench: {len(requests) - len(self.heard)} streams did not hear of their change")
            while due < len(requests) and start + due / rate <= now:
                # One that is late waits for a connection, and its time counts from then.
                idle = next((changer for changer in changers if changer.stream is None), None)
                if not idle:
                    break
                idle.send(due)
                due += 1
            pause = start + due / rate - time.monotonic() if due < len(requests) else 0.1
            for key, _ in self.selector.select(max(0, min(pause, 0.1))):
                act, number = key.data
                act(key.fileobj, number)
        seconds = time.monotonic() - start
        for changer in changers:
            changer.close()
        after_commit = sorted(max(0, self.heard[n] - self.answered[n]) * 1000 for n in range(len(requests)))
        after_request = sorted((self.heard[n] - self.sent[n]) * 1000 for n in range(len(requests)))
        return Heard(len(requests), statistics.median(after_commit), after_commit[len(after_commit) * 99 // 100],
                     statistics.median(after_request), seconds)

    def _hear(self, stream, number):
        piece = stream.recv(4096)
        if not piece or b"event: end" in piece:
            raise SystemExit(f"bench: a stream ended: {piece!r}")
        if b"event: changed" in piece and number not in self.heard:
            self.heard[number] = time.monotonic()


class Changer:
    """A kept connection that makes one change after another."""

    def __init__(self, streams):
        self.streams = streams
        self.stream = None  # whose change is under way
        self.socket = socket.create_connection(("127.0.0.1", streams.port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        streams.selector.register(self.socket, selectors.EVENT_READ, (self._answered, 0))

    def send(self, stream):
        self.stream = stream
        self.streams.sent[stream] = time.monotonic()
        self.socket.sendall(self.streams.requests[stream])

    def _answered(self, connection, _):
        answer = connection.recv(4096)
        if not answer.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"bench: a change was answered {answer[:200]!r}")
        self.streams.answered[self.stream] = time.monotonic()
        self.stream = None

    def close(self):
        self.streams.selector.unregister(self.socket)
        self.socket.close()
