-- The revision of an inbox is never below the number of its deliveries, so that the cap need not be looked after
-- before; until now an inbox that took over another's was raised once for all of them.

UPDATE inboxes i SET revision = d.held
FROM (
    SELECT app_id, inbox_id, count(*) AS held FROM deliveries WHERE NOT broadcast GROUP BY app_id, inbox_id) d
WHERE i.app_id = d.app_id AND i.inbox_id = d.inbox_id AND i.revision < d.held;
