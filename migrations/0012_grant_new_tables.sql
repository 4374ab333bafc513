-- The second wall between tenants, around the tables that came after it.

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'used_proofs', 'fanouts', 'schedules', 'idempotency_keys', 'audit', 'client_events', 'fetches',
        'channel_counts'
    ] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY one_app ON %I TO martlet_app USING (app_id = martlet_app())', name);
        EXECUTE format('CREATE POLICY owner ON %I TO CURRENT_USER USING (true)', name);
    END LOOP;
    -- What is to be done is looked for over all apps.
    FOREACH name IN ARRAY ARRAY['fanouts', 'schedules'] LOOP
        EXECUTE format('CREATE POLICY lookup ON %I FOR SELECT TO martlet_lookup USING (true)', name);
    END LOOP;
END
$$;

GRANT SELECT (app_id, message_id, created_at, runner, runs_until) ON fanouts TO martlet_lookup;
GRANT SELECT (app_id, schedule_id, due_at) ON schedules TO martlet_lookup;

GRANT SELECT, INSERT, UPDATE, DELETE ON
    used_proofs, fanouts, schedules, idempotency_keys, client_events, fetches, channel_counts TO martlet_app;
GRANT SELECT, INSERT, DELETE ON audit TO martlet_app;
-- Retention.
GRANT DELETE ON messages, app_log TO martlet_app;
CREATE INDEX messages_by_expiry ON messages (app_id, expires_ms);
