-- The second wall between tenants: what each role of a serving connection can reach.
--
-- martlet_lookup finds out who is calling, over all apps, so it reads nothing but credentials, revisions and secrets.
-- martlet_app does everything else and sees the rows of one app at a time: martlet.app_id.

DO $$
DECLARE
    wanted text;
    -- Since 16, who makes a role is its member without being allowed to SET ROLE.
    needed text := CASE WHEN current_setting('server_version_num')::integer < 160000 THEN 'MEMBER' ELSE 'SET' END;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['martlet_lookup', 'martlet_app'] LOOP
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
                EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
            END IF;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;  -- another database of this cluster made it at the same moment
        END;
        IF NOT pg_has_role(current_user, wanted, needed) THEN
            EXECUTE format('GRANT %I TO CURRENT_USER', wanted);
        END IF;
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), wanted);
    END LOOP;
END
$$;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'apps', 'app_secrets', 'inboxes', 'channels', 'named_users', 'inbox_users', 'inbox_tags',
        'messages', 'deliveries', 'app_log'
    ] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY one_app ON %I TO martlet_app USING (app_id = martlet_app())', name);
        -- Who migrates also keeps the books of apps and secrets, by hand and never while serving.
        EXECUTE format('CREATE POLICY owner ON %I TO CURRENT_USER USING (true)', name);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['apps', 'app_secrets', 'inboxes', 'inbox_users'] LOOP
        EXECUTE format('CREATE POLICY lookup ON %I FOR SELECT TO martlet_lookup USING (true)', name);
    END LOOP;
END
$$;

GRANT SELECT (
    app_id, app_key, revision, settings_revision, delivery_mode, identity_mode
) ON apps TO martlet_lookup;
GRANT SELECT (app_id, kind, digest, sealed, expires_at) ON app_secrets TO martlet_lookup;
GRANT SELECT (app_id, inbox_id, device_types, revision, baseline, person_id) ON inboxes TO martlet_lookup;
GRANT SELECT (
    app_id, user_key, inbox_id, password_digest, list_state, list_expiry, list_date
) ON inbox_users TO martlet_lookup;

GRANT SELECT (
    app_id, revision, settings_revision, delivery_mode, identity_mode, inbox_cap, floor_ms, floor_id
) ON apps TO martlet_app;
GRANT UPDATE (revision, floor_ms, floor_id) ON apps TO martlet_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON inboxes, channels, named_users, inbox_tags, deliveries TO martlet_app;
GRANT SELECT (app_id, user_key, inbox_id, list_state, list_expiry, list_date) ON inbox_users TO martlet_app;
GRANT INSERT ON inbox_users TO martlet_app;
GRANT UPDATE (inbox_id, list_state, list_expiry, list_date) ON inbox_users TO martlet_app;
GRANT SELECT, INSERT ON messages, app_log TO martlet_app;
GRANT SELECT (epoch_salt) ON installation TO martlet_app;
GRANT UPDATE (recalled_at) ON messages TO martlet_app;
GRANT USAGE ON SEQUENCE inbox_ids TO martlet_app;
