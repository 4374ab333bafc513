-- Settings of an app that its administrators change while it serves.

ALTER TABLE apps
    -- Who sees messages that name a person in `extra`: 0 everyone, 1 as clients decide, 2 as the server enforces.
    ADD COLUMN filter_mode smallint NOT NULL DEFAULT 0 CHECK (filter_mode IN (0, 1, 2)),
    -- Whether the filter also shows messages that name nobody, while somebody is logged in.
    ADD COLUMN filter_untargeted boolean NOT NULL DEFAULT false,
    -- Over how long clients spread their refresh after a broadcast.
    ADD COLUMN broadcast_spread_seconds integer NOT NULL DEFAULT 0
        CHECK (broadcast_spread_seconds BETWEEN 0 AND 3600),
    -- Origins of pages that may call the API from a browser, such as https://shop.example.
    ADD COLUMN cors_origins text[] NOT NULL DEFAULT '{}';

-- A session sees its person's inbox as its own, and shows every type of message.
UPDATE inboxes SET device_types = 32767 WHERE device_types = 0;

GRANT SELECT (filter_mode, filter_untargeted, inbox_cap, cors_origins) ON apps TO martlet_lookup;
GRANT SELECT (
    app_key, name, filter_mode, filter_untargeted, broadcast_spread_seconds, cors_origins
) ON apps TO martlet_app;
GRANT UPDATE (
    settings_revision, delivery_mode, identity_mode, inbox_cap, filter_mode, filter_untargeted,
    broadcast_spread_seconds, cors_origins
) ON apps TO martlet_app;
