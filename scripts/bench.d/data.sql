-- The benchmark's data: one app, :inboxes devices that each hold :held of :messages messages, one user per device.
--
-- Every id can be computed from a number, so that load generators need no look-up; rows lie on disk as sends
-- would leave them: message by message, inboxes in no order. Every second device has a person.

BEGIN;
SELECT set_config('bench.app', app_id::text, true) FROM apps WHERE name = 'bench';

CREATE TEMPORARY TABLE device ON COMMIT DROP AS
SELECT i, current_setting('bench.app')::integer AS app_id FROM generate_series(1, :inboxes) i ORDER BY md5(i::text);

INSERT INTO inboxes (app_id, inbox_id, device_types, baseline)
SELECT app_id, :inboxes + i, 0, 0 FROM device WHERE i % 2 = 0;
INSERT INTO inboxes (app_id, inbox_id, device_types, baseline, revision, person_id)
SELECT app_id, i, 2, 0, :held, CASE WHEN i % 2 = 0 THEN :inboxes + i END FROM device;
SELECT setval('inbox_ids', 2 * :inboxes);
INSERT INTO named_users (app_id, inbox_id, named_user)
SELECT app_id, :inboxes + i, 'person-' || i FROM device WHERE i % 2 = 0;
INSERT INTO channels (app_id, channel_id, inbox_id, device_type, opt_in)
SELECT app_id, md5('channel' || i)::uuid, i, 2, true FROM device;
INSERT INTO inbox_users (app_id, user_key, inbox_id, password_digest)
SELECT app_id, i::bigint * 92233720368 + 12345, i, sha256(convert_to(left(md5('password' || i), 22), 'UTF8'))
FROM device;

CREATE TEMPORARY TABLE message ON COMMIT DROP AS
SELECT j, left(md5(j::text), 21) || 'A' AS id, floor(extract(epoch FROM now()))::bigint * 1000 - 86400000 + j AS sent_ms
FROM generate_series(0, :messages - 1) j;
INSERT INTO messages (app_id, message_id, title, content_type, extra, sent_ms, expires_ms, device_types, body_bytes,
    broadcast, recipients, push, body)
SELECT current_setting('bench.app')::integer, id, 'Offer ' || j || ': two for one until Sunday', 'text/html',
    jsonb_build_object('campaign', 'spring', 'link', 'shop://offers/' || j), sent_ms, sent_ms + 31536000000, 32767,
    1000, false, :inboxes * :held / :messages, '{}', convert_to(repeat('<p>Offer</p>', 83) || 'four', 'UTF8')
FROM message;

-- Device i holds the messages (i + slot * step) mod messages.
INSERT INTO deliveries (app_id, message_id, inbox_id, sent_ms, expires_ms, added, changed, device_types)
SELECT current_setting('bench.app')::integer, m.id, i, m.sent_ms, m.sent_ms + 31536000000, slot + 1, slot + 1, 32767
FROM message m
CROSS JOIN generate_series(0, :held - 1) slot
CROSS JOIN LATERAL generate_series(
    1 + ((m.j - 1 - slot * (:messages / :held)) % :messages + :messages) % :messages, :inboxes, :messages) i
ORDER BY m.j, md5(i::text);
COMMIT;
