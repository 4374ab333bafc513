"""Drives a running Martlet with the published package urbanairship 7.4.1.

Nothing of the package is changed but its base URL. Devices are registered over the device API by this script,
which also checks in their lists that messages arrived. Prints one line per check and ends with status 0, or stops
with an AssertionError.

Environment: MARTLET_SERVER (such as http://127.0.0.1:8080), MARTLET_APP_KEY, MARTLET_APP_SECRET,
MARTLET_MASTER_SECRET.
"""

import base64
import datetime
import json
import logging
import os
import urllib.error
import urllib.request
import uuid
import warnings

import urbanairship as ua
from urbanairship.urls import Urls

SERVER = os.environ["MARTLET_SERVER"].rstrip("/")
APP_KEY = os.environ["MARTLET_APP_KEY"]
APP_SECRET = os.environ["MARTLET_APP_SECRET"]
MASTER_SECRET = os.environ["MARTLET_MASTER_SECRET"]

# The package logs each refusal that is provoked here, and deprecates what it still sends.
logging.getLogger("urbanairship").setLevel(logging.ERROR)
warnings.simplefilter("ignore", DeprecationWarning)

# A part of every name, so that the script can run against the same app again.
RUN = uuid.uuid4().hex[:8]


def basic(name, password):
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


def call(method, path, authorization, body=None):
    """A request of a device: its status and its JSON."""
    request = urllib.request.Request(SERVER + path, method=method)
    request.add_header("Authorization", authorization)
    request.add_header("Accept", "application/vnd.urbanairship+json; version=3;")
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, json.loads(response.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"null")


class Device:
    """An installation of the app that has registered its channel and its inbox user."""

    def __init__(self, device_type, tags=()):
        self.device_type = device_type
        app = basic(APP_KEY, APP_SECRET)
        channel = {"device_type": device_type, "opt_in": True, "background": True, "set_tags": True,
                   "tags": list(tags)}
        status, answer = call("POST", "/api/channels/", app, {"channel": channel})
        assert status in (200, 201), (status, answer)
        self.channel = answer["channel_id"]
        status, answer = call("POST", "/api/user/", app, {f"{device_type}_channels": [self.channel]})
        assert status == 201, (status, answer)
        self.user, self.authorization = answer["user_id"], basic(answer["user_id"], answer["password"])

    def messages(self):
        status, answer = call("GET", f"/api/user/{self.user}/messages/", self.authorization)
        assert status == 200, (status, answer)
        return {message["message_id"]: message for message in answer["messages"]}


def client(secret=MASTER_SECRET, key=APP_KEY):
    airship = ua.BasicAuthClient(key, secret)
    airship.urls = Urls(base_url=SERVER + "/api/")
    return airship


def push(airship, audience, title, device_types=None, **members):
    made = ua.Push(airship)
    made.audience = audience
    made.device_types = device_types or ua.device_types("ios", "android", "amazon", "web")
    made.message = ua.message(title, f"<p>{title}</p>", **members)
    return made


def sent(airship, audience, title, **members):
    """The message id of a push that was sent."""
    response = push(airship, audience, title, **members).send()
    assert response.ok is True and len(response.push_ids) == 1, response.payload
    [message] = response.payload["message_ids"]
    padded = base64.urlsafe_b64decode(message + "==")
    assert str(uuid.UUID(bytes=padded)) == response.push_ids[0], "a message id is its push id in another spelling"
    return message


def failure(kind, action):
    """The exception of a call that must fail."""
    try:
        action()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was expected")


def check_sending(airship, phone, tablet):
    person = f"ana {RUN}+å/%"
    answer = ua.NamedUser(airship, person).associate(phone.channel, phone.device_type)
    assert answer.json()["ok"] is True

    to_person = sent(airship, ua.named_user(person), "To a person", extra={"order": "7731", "count": 2})
    listed = phone.messages()[to_person]
    assert listed["title"] == "To a person" and listed["unread"] is True
    assert listed["extra"] == {"order": "7731", "count": "2"}, listed["extra"]
    assert to_person not in tablet.messages()
    print("ok: a named user's device lists the message, another does not")

    to_channel = sent(airship, ua.channel(tablet.channel), "To a channel", expiry=3600,
                      icons={"list_icon": "https://cdn.example.test/p.png"}, content_type="text/plain")
    listed = tablet.messages()[to_channel]
    assert listed["content_type"].startswith("text/plain") and listed["message_expiry"]
    assert listed["icons"] == {"list_icon": "https://cdn.example.test/p.png"}
    assert to_channel not in phone.messages()
    by_platform = sent(airship, ua.ios_channel(phone.channel), "To an ios channel")
    assert by_platform in phone.messages()
    print("ok: a channel lists the message, with and without its platform")

    vip, blocked = f"vip-{RUN}", f"blocked-{RUN}"
    tags = ua.ChannelTags(airship)
    tags.set_audience(ios=phone.channel, android=tablet.channel)
    tags.add("plan", [vip])
    assert tags.send()["ok"] is True
    tags = ua.ChannelTags(airship)
    tags.set_audience(android=tablet.channel)
    tags.add("plan", [blocked])
    assert tags.send()["ok"] is True
    group = "plan"
    expression = ua.and_(ua.tag_group(group, vip), ua.or_(ua.tag_group(group, vip), ua.tag("none")),
                         ua.not_(ua.tag_group(group, blocked)))
    to_tag = sent(airship, expression, "To a tag")
    assert to_tag in phone.messages() and to_tag not in tablet.messages()
    print("ok: a tag expression reaches who matches it")

    to_all = sent(airship, ua.all_, "To everyone")
    assert to_all in phone.messages() and to_all in tablet.messages()
    android = push(airship, ua.all_, "To Android", ua.device_types("android")).send().payload["message_ids"][0]
    assert android in tablet.messages() and android not in phone.messages()
    every = push(airship, ua.all_, "To all types", ua.device_types("all")).send().payload["message_ids"][0]
    assert every in tablet.messages() and every in phone.messages()
    print("ok: everyone lists a broadcast, of the device types that it is for")


def check_arrays(airship, phone):
    pushes = [push(airship, ua.channel(phone.channel), f"Of an array {n}").payload for n in range(3)]
    url = airship.urls.push_url
    response = airship.request("POST", json.dumps(pushes), url, "application/json").json()
    assert len(response["push_ids"]) == len(response["message_ids"]) == 3, response
    assert set(response["message_ids"]) <= set(phone.messages())

    before = set(phone.messages())
    pushes[1]["message"]["title"] = 7
    error = failure(ua.AirshipFailure, lambda: airship.request("POST", json.dumps(pushes), url, "application/json"))
    assert error.details["path"] == "[1].message.title", error.details
    assert set(phone.messages()) == before, "one bad push refuses the whole array"
    print("ok: an array of pushes is sent whole or not at all")


def check_validation(airship, phone):
    before = set(phone.messages())
    good = push(airship, ua.channel(phone.channel), "Only checked")
    assert good.validate().payload["ok"] is True
    assert set(phone.messages()) == before, "validating sends nothing"

    bad = push(airship, ua.channel(phone.channel), "Bad", extra={"nested": {"a": 1}})
    for action in (bad.validate, bad.send):
        error = failure(ua.AirshipFailure, action)
        assert error.error_code == 40000 and error.error, error.error_code
        assert error.details["path"] == "message.extra" and error.details["error"], error.details
        assert error.response.status_code == 400
    selector = push(airship, {"planet": "mars"}, "Bad")
    assert failure(ua.AirshipFailure, selector.send).details["path"] == "audience.planet"
    past = push(airship, ua.all_, "Bad", expiry="2001-01-01T00:00:00")
    assert failure(ua.AirshipFailure, past.validate).details["path"] == "message.expiry"
    assert set(phone.messages()) == before
    print("ok: a bad push raises AirshipFailure with its place")


def check_deletion(airship, phone):
    doomed = sent(airship, ua.channel(phone.channel), "To be taken back")
    assert doomed in phone.messages()
    assert ua.Push.message_center_delete(airship, doomed).status_code == 202
    assert doomed not in phone.messages()
    error = failure(ua.AirshipFailure, lambda: ua.Push.message_center_delete(airship, doomed))
    assert error.error_code == 40401, error.error_code

    response = push(airship, ua.channel(phone.channel), "By its push id").send()
    assert ua.Push.message_center_delete(airship, response.push_ids[0]).json() == {"ok": True}
    assert response.payload["message_ids"][0] not in phone.messages()
    print("ok: a message is taken back by either spelling of its id")


def check_people(airship):
    person, other = f"ben {RUN}", f"cleo {RUN}"
    device = Device("android", tags=["beta"])
    ua.NamedUser(airship, person).associate(device.channel, "android")
    found = ua.NamedUser(airship, person).lookup()["named_user"]
    assert found["named_user_id"] == person
    assert [channel["channel_id"] for channel in found["channels"]] == [device.channel]

    listed = [one for one in ua.NamedUserList(airship) if one.named_user_id == person]
    assert len(listed) == 1 and [one["channel_id"] for one in listed[0].channels] == [device.channel]

    assert ua.NamedUser(airship, person).tag("plan", add=["gold", "old"])["ok"] is True
    assert ua.NamedUser(airship, person).tag("plan", remove=["old"])["ok"] is True
    tags = ua.NamedUserTags(airship)
    tags.set_audience([person])
    tags.set("plan2", ["x"])
    assert tags.send()["ok"] is True
    found = ua.NamedUser(airship, person).lookup()["named_user"]
    assert found["tags"] == {"plan": ["gold"], "plan2": ["x"]}, found["tags"]

    channel = ua.ChannelInfo(airship).lookup(device.channel)
    assert channel.channel_id == device.channel and channel.device_type == "android"
    assert channel.installed is True and channel.opt_in is True and channel.tags == ["beta"], channel.tags
    assert channel.named_user_id == person and channel.tag_groups == {}
    assert channel.created.year >= 2020, "the package reads the time"
    print("ok: people and channels are found with their tags")

    theirs = sent(airship, ua.tag_group("plan", "gold"), "By the person's tag")
    assert theirs in device.messages()
    ua.NamedUser(airship, other).associate(device.channel, "android")
    assert ua.NamedUser(airship, person).lookup()["named_user"]["channels"] == []
    assert ua.NamedUser(airship, other).disassociate(device.channel, "android").json()["ok"] is True
    assert ua.ChannelInfo(airship).lookup(device.channel).named_user_id is None
    nobody = ua.NamedUser(airship, f"nobody {RUN}")
    assert failure(ua.AirshipFailure, nobody.lookup).error_code == 40401
    unknown = str(uuid.uuid4())
    assert failure(ua.AirshipFailure, lambda: ua.ChannelInfo(airship).lookup(unknown)).error_code == 40401
    assert failure(ua.AirshipFailure, lambda: nobody.associate(unknown, "ios")).error_code == 40401
    response = push(airship, ua.named_user(f"nobody {RUN}"), "To nobody").send()
    assert response.payload["pushes"][0]["recipients"] == 0
    assert response.payload["pushes"][0]["unknown"] == [f"named_user:nobody {RUN}"], response.payload
    print("ok: a channel moves between people, and who is unknown is named")


def check_schedules(airship, phone):
    now = datetime.datetime.now(datetime.timezone.utc)
    later = now + datetime.timedelta(hours=1)
    made = []
    for number in range(3):
        one = ua.ScheduledPush(airship)
        one.name = f"Schedule {number} {RUN}"
        one.schedule = ua.scheduled_time(later)
        one.push = push(airship, ua.channel(phone.channel), f"Scheduled {number}")
        response = one.send()
        assert response.ok is True and response.schedule_url == [one.url], response.payload
        made.append(one)
    listed = [one for one in ua.ScheduledList(airship, limit=2) if RUN in getattr(one, "name", "")]
    assert sorted(one.name for one in listed) == [one.name for one in made]
    assert {one.url for one in listed} == {one.url for one in made}

    found = ua.ScheduledPush.from_url(airship, made[0].url)
    assert found.name == made[0].name and found.schedule == made[0].schedule
    assert found.push.audience == {"channel": phone.channel} and found.push.notification is None
    assert found.push.message["title"] == "Scheduled 0"
    found.schedule = ua.scheduled_time(later + datetime.timedelta(days=1))
    assert found.update().payload["schedule_urls"] == [found.url]
    assert ua.ScheduledPush.from_url(airship, found.url).schedule == found.schedule
    print("ok: schedules are made, listed, read and changed")

    for one in made[:2]:
        assert one.cancel().status_code == 204
        gone = failure(ua.AirshipFailure, lambda one=one: ua.ScheduledPush.from_url(airship, one.url))
        assert gone.error_code == 40401, gone.error_code
        assert failure(ua.AirshipFailure, one.cancel).error_code == 40401
    made[2].schedule = ua.scheduled_time(now - datetime.timedelta(hours=1))
    for action in (made[2].update, made[2].send):
        assert failure(ua.AirshipFailure, action).details["path"] == "schedule.scheduled_time"
    made[2].schedule = ua.local_scheduled_time(later)
    error = failure(ua.AirshipFailure, made[2].send)
    assert error.details["path"] == "schedule.local_scheduled_time" and "not supported" in error.details["error"]

    made[2].schedule = ua.scheduled_time(datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=2))
    made[2].update()
    assert not any(one["title"].startswith("Scheduled") for one in phone.messages().values())
    try:
        while True:  # as a client asks that waits for it
            ua.ScheduledPush.from_url(airship, made[2].url)
    except ua.AirshipFailure as sent_now:
        assert sent_now.error_code == 40401, sent_now.error_code
    titles = [one["title"] for one in phone.messages().values() if one["title"].startswith("Scheduled")]
    assert titles == ["Scheduled 2"], titles
    print("ok: a schedule that was cancelled is not sent, another one at its time")


def check_refusals(airship, phone):
    for secret in (APP_SECRET, "x" * 22):
        failure(ua.Unauthorized, push(client(secret), ua.all_, "No").send)
        failure(ua.Unauthorized, lambda secret=secret: ua.NamedUser(client(secret), "x").lookup())
    failure(ua.Unauthorized, push(client(key="x" * 22), ua.all_, "No").send)

    error = failure(ua.AirshipFailure, lambda: airship.request("POST", "{", airship.urls.push_url))
    assert error.error_code == 40000 and "line 1" in error.details["error"], error.details
    error = failure(ua.AirshipFailure, lambda: client().request("GET", None, SERVER + "/api/push/"))
    assert error.response.status_code == 405 and error.error_code == 40500
    error = failure(ua.AirshipFailure, lambda: client().request("GET", None, SERVER + "/api/planets/"))
    assert error.response.status_code == 404
    old = lambda: client().request("POST", "{}", airship.urls.push_url, version=1)
    assert failure(ua.AirshipFailure, old).response.status_code == 406
    print("ok: wrong secrets, bodies, methods, paths and versions raise the package's exceptions")

    sticky = client()
    body = json.dumps(push(sticky, ua.channel(phone.channel), "Not compressed").payload)
    answer = sticky.request("POST", body, sticky.urls.push_url, "application/json", encoding="gzip")
    assert answer.json()["message_ids"][0] in phone.messages()
    print("ok: a plain body under Content-Encoding: gzip is read")


def main():
    airship = client()
    phone, tablet = Device("ios"), Device("android")
    check_sending(airship, phone, tablet)
    check_arrays(airship, phone)
    check_validation(airship, phone)
    check_deletion(airship, phone)
    check_people(airship)
    check_schedules(airship, phone)
    check_refusals(airship, phone)
    print("all checks passed")


if __name__ == "__main__":
    main()
