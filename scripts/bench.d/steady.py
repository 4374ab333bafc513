"""Sends the requests of a file in turn at a steady rate, whatever becomes of them, until its input ends.

arguments: PORT FILE RATE. Prints a line for each request: `[when it was sent, seconds until its answer, status]`, with
the time of the system's monotonic clock and status 0 for a connection that broke. A request goes to a connection that
waits for nothing, to a new one if there is none: a slow answer delays no other request.
"""

import json
import os
import selectors
import socket
import sys
import time


class Connection:
    """One request at a time."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""
        self.sent_at = 0.0

    def send(self, request):
        self.received = b""
        self.sent_at = time.monotonic()
        self.socket.sendall(request)

    def receive(self):
        """The status once the answer is whole, 0 if there will be none, else None."""
        try:
            piece = self.socket.recv(1 << 18)
        except OSError:
            piece = b""
        self.received += piece
        head, end, body = self.received.partition(b"\r\n\r\n")
        if not piece:
            return 0
        if not end:
            return None
        length = next((int(line.split(b":")[1]) for line in head.lower().split(b"\r\n")
                       if line.startswith(b"content-length:")), 0)
        return int(head.split()[1]) if len(body) >= length else None


class Load:
    def __init__(self, port, requests, rate):
        self.port = port
        self.requests = requests
        self.interval = 1 / rate
        self.selector = selectors.DefaultSelector()
        self.idle = []
        self.answers = []

    def run(self):
        """Until standard input ends; then until what was sent is answered."""
        self.selector.register(sys.stdin, selectors.EVENT_READ)
        due, at, waiting, is_ending = time.monotonic(), 0, 0, False
        while not is_ending or waiting:
            while not is_ending and due <= time.monotonic():
                self._send(self.requests[at % len(self.requests)])
                due, at, waiting = due + self.interval, at + 1, waiting + 1
            for key, _ in self.selector.select(1 if is_ending else max(0, due - time.monotonic())):
                if key.fileobj is sys.stdin:
                    is_ending = True
                    self.selector.unregister(sys.stdin)
                else:
                    waiting -= self._receive(key.data)

    def _send(self, request):
        if self.idle:
            connection = self.idle.pop()
        else:
            connection = Connection(self.port)
            self.selector.register(connection.socket, selectors.EVENT_READ, connection)
        connection.send(request)

    def _receive(self, connection):
        """How many requests were answered, or never will be."""
        status = connection.receive()
        if status is None:
            return 0
        self.answers.append((connection.sent_at, time.monotonic() - connection.sent_at, status))
        if status:
            self.idle.append(connection)
        else:
            self.selector.unregister(connection.socket)
            connection.socket.close()
        return 1


def main():
    port, path, rate = sys.argv[1:]
    try:
        os.nice(-5)  # what is measured is how long the server takes, not how long this waits for its turn
    except OSError:
        pass
    with open(path, "rb") as file:
        load = Load(int(port), file.read().split(b"\0"), float(rate))
    load.run()
    for answer in load.answers:
        print(json.dumps(answer))


main()
