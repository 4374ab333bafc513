-- Inboxes, and those who have one: channels (devices), named users (people) and inbox users (credentials).

CREATE SEQUENCE inbox_ids AS bigint;

CREATE TABLE inboxes (
    app_id integer NOT NULL REFERENCES apps ON DELETE CASCADE,
    inbox_id bigint NOT NULL DEFAULT nextval('inbox_ids'),
    -- The type of the channel that owns it; 32767 (all) for a user without a channel; 0 for a person.
    device_types smallint NOT NULL,
    -- Raised under this row's lock by every change of its deliveries, and of a device's person.
    revision bigint NOT NULL DEFAULT 0,
    -- The app's revision when the inbox came to be: broadcasts above it are visible.
    baseline bigint NOT NULL,
    -- Of a device: the inbox of the person who is logged in, and since when.
    person_id bigint,
    associated_at timestamptz NOT NULL DEFAULT martlet_now(),
    -- The newest delivery that fell out by the cap: it and all behind it in list order are gone.
    floor_ms bigint,
    floor_id text COLLATE "C",
    PRIMARY KEY (app_id, inbox_id),
    FOREIGN KEY (app_id, person_id) REFERENCES inboxes (app_id, inbox_id)
) WITH (fillfactor = 70);  -- revisions are raised in place
CREATE INDEX inboxes_by_person ON inboxes (app_id, person_id) WHERE person_id IS NOT NULL;

CREATE TABLE channels (
    app_id integer NOT NULL,
    channel_id uuid NOT NULL,
    -- A channel keeps its inbox for life; users move between channels.
    inbox_id bigint NOT NULL,
    device_type smallint NOT NULL,
    opt_in boolean NOT NULL DEFAULT false,
    background boolean NOT NULL DEFAULT false,
    push_address text,
    -- Locale, versions and the like, as the device said.
    details jsonb NOT NULL DEFAULT '{}',
    -- The anonymous contact of this channel, renewed at each reset.
    contact_id uuid NOT NULL DEFAULT gen_random_uuid(),
    created_at timestamptz NOT NULL DEFAULT martlet_now(),
    last_registration timestamptz NOT NULL DEFAULT martlet_now(),
    uninstalled_at timestamptz,
    PRIMARY KEY (app_id, channel_id),
    UNIQUE (app_id, inbox_id),
    FOREIGN KEY (app_id, inbox_id) REFERENCES inboxes (app_id, inbox_id) ON DELETE CASCADE
);

CREATE TABLE named_users (
    app_id integer NOT NULL,
    inbox_id bigint NOT NULL,
    named_user text COLLATE "C" NOT NULL,
    contact_id uuid NOT NULL DEFAULT gen_random_uuid(),
    created_at timestamptz NOT NULL DEFAULT martlet_now(),
    modified_at timestamptz NOT NULL DEFAULT martlet_now(),
    PRIMARY KEY (app_id, named_user),
    UNIQUE (app_id, inbox_id),
    FOREIGN KEY (app_id, inbox_id) REFERENCES inboxes (app_id, inbox_id) ON DELETE CASCADE
);

CREATE TABLE inbox_users (
    app_id integer NOT NULL,
    user_key bigint NOT NULL,
    -- The inbox of the user's current channel, or one of the user's own.
    inbox_id bigint NOT NULL,
    -- SHA-256 of a random password.
    password_digest bytea NOT NULL CHECK (octet_length(password_digest) = 32),
    created_at timestamptz NOT NULL DEFAULT martlet_now(),
    -- What the last full list of the device API was made with, until when it holds, and its Last-Modified (seconds).
    list_state bytea,
    list_expiry timestamptz,
    list_date bigint,
    PRIMARY KEY (app_id, user_key),
    UNIQUE (app_id, inbox_id),
    FOREIGN KEY (app_id, inbox_id) REFERENCES inboxes (app_id, inbox_id) ON DELETE CASCADE
) WITH (fillfactor = 70);  -- a list after a change stores its date in place

-- Undoes a transaction in which something grew beyond a limit; the code below says so to the server.
CREATE FUNCTION martlet_hold(name text, held bigint, most bigint) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    IF held > most THEN
        RAISE EXCEPTION '%', name USING ERRCODE = 'MT001';
    END IF;
END
$$;

-- Tags of a device or a person, by the inbox of either.
CREATE TABLE inbox_tags (
    app_id integer NOT NULL,
    tag_group text COLLATE "C" NOT NULL,
    tag text COLLATE "C" NOT NULL,
    inbox_id bigint NOT NULL,
    PRIMARY KEY (app_id, tag_group, tag, inbox_id),
    FOREIGN KEY (app_id, inbox_id) REFERENCES inboxes (app_id, inbox_id) ON DELETE CASCADE
);
CREATE INDEX inbox_tags_by_inbox ON inbox_tags (app_id, inbox_id);
