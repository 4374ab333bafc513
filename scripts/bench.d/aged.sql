-- The first :aged inboxes of an app hold :gone more messages each, which were delivered and then deleted.
--
-- By an update, as the server does it: what deleted rows leave behind in indexes is left behind here too.

SELECT set_config('bench.app', app_id::text, false) FROM apps WHERE name = :'app';

INSERT INTO deliveries (app_id, message_id, inbox_id, sent_ms, expires_ms, added, changed, device_types)
SELECT current_setting('bench.app')::integer, left(md5('gone' || n), 21) || 'A', i,
    floor(extract(epoch FROM now()))::bigint * 1000 - 172800000 + n,
    floor(extract(epoch FROM now()))::bigint * 1000 + 31536000000, :held + n, :held + n, 32767
FROM generate_series(1, :gone) n
CROSS JOIN generate_series(1, :aged) i;
UPDATE deliveries SET deleted = true, changed = changed + :gone
WHERE app_id = current_setting('bench.app')::integer AND added > :held AND inbox_id <= :aged;
UPDATE inboxes SET revision = :held + 2 * :gone
WHERE app_id = current_setting('bench.app')::integer AND inbox_id <= :aged;
