-- How many channels an app has, so that a broadcast need not walk them to say how many it reaches.
--
-- Each number is spread over slots, so that registrations of several connections do not wait for one row.

CREATE TABLE channel_counts (
    app_id integer NOT NULL REFERENCES apps ON DELETE CASCADE,
    device_type smallint NOT NULL,
    slot smallint NOT NULL,
    -- Installed channels; a single slot may be below zero.
    channels bigint NOT NULL,
    PRIMARY KEY (app_id, device_type, slot)
) WITH (fillfactor = 20);  -- raised in place by every registration

INSERT INTO channel_counts (app_id, device_type, slot, channels)
SELECT app_id, device_type, 0, count(*) FROM channels WHERE uninstalled_at IS NULL GROUP BY app_id, device_type;

-- Statement by statement for new channels, which may come by the thousand.
CREATE FUNCTION martlet_count_new_channels() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO channel_counts AS c (app_id, device_type, slot, channels)
    SELECT app_id, device_type, pg_backend_pid() % 16, count(*)
    FROM fresh WHERE uninstalled_at IS NULL GROUP BY app_id, device_type ORDER BY app_id, device_type
    ON CONFLICT (app_id, device_type, slot) DO UPDATE SET channels = c.channels + excluded.channels;
    RETURN NULL;
END
$$;
CREATE TRIGGER count_new AFTER INSERT ON channels
REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION martlet_count_new_channels();

CREATE FUNCTION martlet_count_changed_channel() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF OLD.uninstalled_at IS NULL THEN
        -- Not while the app itself is being deleted.
        INSERT INTO channel_counts AS c (app_id, device_type, slot, channels)
        SELECT a.app_id, OLD.device_type, pg_backend_pid() % 16, -1 FROM apps a WHERE a.app_id = OLD.app_id
        ON CONFLICT (app_id, device_type, slot) DO UPDATE SET channels = c.channels - 1;
    END IF;
    IF TG_OP = 'UPDATE' AND NEW.uninstalled_at IS NULL THEN
        INSERT INTO channel_counts AS c (app_id, device_type, slot, channels)
        VALUES (NEW.app_id, NEW.device_type, pg_backend_pid() % 16, 1)
        ON CONFLICT (app_id, device_type, slot) DO UPDATE SET channels = c.channels + 1;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER count_changed AFTER UPDATE ON channels FOR EACH ROW
WHEN (OLD.uninstalled_at IS DISTINCT FROM NEW.uninstalled_at OR OLD.device_type <> NEW.device_type)
EXECUTE FUNCTION martlet_count_changed_channel();
CREATE TRIGGER count_gone AFTER DELETE ON channels FOR EACH ROW
EXECUTE FUNCTION martlet_count_changed_channel();
