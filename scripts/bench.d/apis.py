"""The two APIs by which a device reads its inbox, and a connection that carries ready-made requests."""

import concurrent.futures
import json
import socket

CLIENTS = 8


class DeviceAPI:
    """What published SDKs speak; a list is confirmed by its date."""

    name = "device API"
    key = "device"
    validator = "last-modified"
    of_each_message = b'"message_url"'  # stands once in each message of a list

    @staticmethod
    def list(app, inbox, date=None):
        """A refresh: the whole list, or only what is newer than the date of the last one."""
        more = f"If-Modified-Since: {date}\r\n" if date else ""
        return app.device_request(inbox, "GET", "/api/user/USER/messages/", more=more)

    @staticmethod
    def mark(app, inbox, slot):
        """Marks the message in a slot read."""
        body = json.dumps({"messages": [{"message_id": app.message(inbox, slot)}]})
        return app.device_request(inbox, "POST", "/api/user/USER/messages/unread/", body)


class MartletAPI:
    """Martlet's own; a list is confirmed by its entity tag, and a mark answers what the inbox is then."""

    name = "/v1"
    key = "v1"
    validator = "etag"
    of_each_message = b'"message_id"'

    @staticmethod
    def list(app, inbox, tag=None):
        return app.device_request(inbox, "GET", "/v1/inbox", more=f"If-None-Match: {tag}\r\n" if tag else "")

    @staticmethod
    def mark(app, inbox, slot):
        return app.device_request(inbox, "POST", "/v1/inbox/read", json.dumps({"ids": [app.message(inbox, slot)]}))


APIS = (DeviceAPI, MartletAPI)


def list_all(api, app, inboxes, port):
    """Lists these inboxes once; returns the validator of each list, by inbox."""
    validators = {}

    def list_some(inboxes):
        with Connection(port) as connection:
            for inbox in inboxes:
                status, headers, body = connection.exchange(api.list(app, inbox))
                if status != 200:
                    raise SystemExit(f"bench: listing inbox {inbox} was answered {status}: {body[:200]!r}")
                validators[inbox] = headers[api.validator]

    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(list_some, [inboxes[at::CLIENTS] for at in range(CLIENTS)]))
    return validators


class Connection:
    """A kept connection."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.file = self.socket.makefile("rb")
        self.answer_bytes = 0  # of the last answer, as it travelled

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()

    def exchange(self, request):
        """The status, headers (names in lower case) and body of the answer."""
        self.socket.sendall(request)
        first = self.file.readline()
        if not first:
            raise SystemExit("bench: the server closed a connection without an answer; see its log")
        self.answer_bytes = len(first)
        headers = {}
        while True:
            line = self.file.readline()
            self.answer_bytes += len(line)
            if not line.strip():
                break
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        body = self.file.read(int(headers.get("content-length", 0)))
        self.answer_bytes += len(body)
        return int(first.split()[1]), headers, body
