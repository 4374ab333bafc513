-- One app of the benchmark: `app`, with :inboxes devices that each hold :held of :messages messages, a user a device.
--
-- Every id can be computed from a number, so that load generators need no look-up; rows lie on disk as sends
-- would leave them: message by message, inboxes in no order. Every second device has a person; the first :crowd
-- devices have the tag `crowd`. Runs in the transaction of making.sql, which restores what it switches off.

SELECT set_config('bench.app', app_id::text, true) FROM apps WHERE name = :'app';

CREATE TEMPORARY TABLE device ON COMMIT DROP AS
SELECT i, current_setting('bench.app')::integer AS app_id FROM generate_series(1, :inboxes) i ORDER BY md5(i::text);

-- Foreign keys hold by construction.
SET LOCAL session_replication_role = replica;
INSERT INTO inboxes (app_id, inbox_id, device_types, baseline)
SELECT app_id, :inboxes + i, 32767, 0 FROM device WHERE i % 2 = 0;
INSERT INTO inboxes (app_id, inbox_id, device_types, baseline, revision, person_id)
SELECT app_id, i, 2, 0, :held, CASE WHEN i % 2 = 0 THEN :inboxes + i END FROM device;
SELECT setval('inbox_ids', greatest(2 * :inboxes, (SELECT last_value FROM inbox_ids)));
INSERT INTO named_users (app_id, inbox_id, named_user)
SELECT app_id, :inboxes + i, 'person-' || i FROM device WHERE i % 2 = 0;
INSERT INTO inbox_users (app_id, user_key, inbox_id, password_digest)
SELECT app_id, i::bigint * 92233720368 + 12345, i, sha256(convert_to(left(md5('password' || i), 22), 'UTF8'))
FROM device;
INSERT INTO inbox_tags (app_id, tag_group, tag, inbox_id)
SELECT app_id, 'device', 'crowd', i FROM device WHERE i <= :crowd;
-- The table's own trigger counts them.
SET LOCAL session_replication_role = origin;
INSERT INTO channels (app_id, channel_id, inbox_id, device_type, opt_in)
SELECT app_id, md5('channel' || i)::uuid, i, 2, true FROM device;
SET LOCAL session_replication_role = replica;

CREATE TEMPORARY TABLE message ON COMMIT DROP AS
SELECT j, left(md5(j::text), 21) || 'A' AS id, floor(extract(epoch FROM now()))::bigint * 1000 - 86400000 + j AS sent_ms
FROM generate_series(0, :messages - 1) j;
-- What a run sends has a push that is not empty: thus it is told from these afterwards.
INSERT INTO messages (app_id, message_id, title, content_type, extra, sent_ms, expires_ms, device_types, body_bytes,
    broadcast, recipients, push, body)
SELECT current_setting('bench.app')::integer, id, 'Offer ' || j || ': two for one until Sunday', 'text/html',
    jsonb_build_object('campaign', 'spring', 'link', 'shop://offers/' || j), sent_ms, sent_ms + 31536000000, 32767,
    1000, false, :inboxes * :held / :messages, '{}', convert_to(repeat('<p>Offer</p>', 83) || 'four', 'UTF8')
FROM message;

-- Device i holds the messages (i + slot * step) mod messages. Message by message, so that only one is sorted at a time.
INSERT INTO deliveries (app_id, message_id, inbox_id, sent_ms, expires_ms, added, changed, device_types)
SELECT current_setting('bench.app')::integer, m.id, d.i, m.sent_ms, m.sent_ms + 31536000000, d.slot + 1, d.slot + 1,
    32767
FROM (SELECT * FROM message ORDER BY j) m
CROSS JOIN LATERAL (
    SELECT i, slot
    FROM generate_series(0, :held - 1) slot
    CROSS JOIN LATERAL generate_series(
        1 + ((m.j - 1 - slot * (:messages / :held)) % :messages + :messages) % :messages, :inboxes, :messages) i
    ORDER BY md5(i::text)) d;
DROP TABLE device, message;
