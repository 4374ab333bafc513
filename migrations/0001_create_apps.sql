-- Apps (tenants), their secrets, and what the installation as a whole knows.

-- The one clock of all decisions about time. Tests replace it in their own database.
-- The statement's time, not the transaction's: a write that waited for a lock must not be dated before it.
CREATE FUNCTION martlet_now() RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT statement_timestamp() $$;

-- Milliseconds since 1970, the unit in which messages are ordered and expire.
CREATE FUNCTION martlet_now_ms() RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT floor(extract(epoch FROM martlet_now()) * 1000)::bigint $$;

-- The app whose rows this connection may see; null while none was set, so that a stray query sees nothing.
-- After a transaction-local setting has ended, current_setting gives '', hence NULLIF.
CREATE FUNCTION martlet_app() RETURNS integer
LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT NULLIF(current_setting('martlet.app_id', true), '')::integer $$;

CREATE TABLE apps (
    app_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    app_key text COLLATE "C" NOT NULL UNIQUE CHECK (app_key ~ '^[A-Za-z0-9_-]{22}$'),
    name text NOT NULL UNIQUE CHECK (name <> ''),
    -- Raised under this row's lock by broadcasts, large recalls and changes of settings or secrets.
    revision bigint NOT NULL DEFAULT 0,
    settings_revision bigint NOT NULL DEFAULT 0,
    -- 0: sends to people go to the devices they are on; 1: once, to the person's inbox.
    delivery_mode smallint NOT NULL CHECK (delivery_mode IN (0, 1)),
    -- 0: a device proves who is logged in; 1: its word suffices.
    identity_mode smallint NOT NULL CHECK (identity_mode IN (0, 1)),
    -- Newest deliveries that an inbox keeps, and newest broadcasts that the app keeps.
    inbox_cap integer NOT NULL DEFAULT 250 CHECK (inbox_cap BETWEEN 1 AND 10000),
    -- The newest broadcast that fell out by the cap: it and all behind it in list order are gone.
    floor_ms bigint,
    floor_id text COLLATE "C",
    created_at timestamptz NOT NULL DEFAULT martlet_now()
) WITH (fillfactor = 50);  -- room for versions of a row that every broadcast updates

CREATE TABLE app_secrets (
    app_id integer NOT NULL REFERENCES apps ON DELETE CASCADE,
    secret_id integer GENERATED ALWAYS AS IDENTITY,
    -- 0: app secret, carried by installed apps; 1: master secret, of backends.
    kind smallint NOT NULL CHECK (kind IN (0, 1)),
    -- SHA-256; secrets are random, so no slow hash is needed.
    digest bytea NOT NULL CHECK (octet_length(digest) = 32),
    -- App secrets only: encrypted under the installation's key, since clients sign with them.
    sealed bytea NOT NULL DEFAULT ''::bytea,
    created_at timestamptz NOT NULL DEFAULT martlet_now(),
    -- Set by a rotation: until then the old secret is good beside the new one.
    expires_at timestamptz,
    PRIMARY KEY (app_id, secret_id)
);

CREATE TABLE installation (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    -- A text sealed under the installation's key: a wrong key file is found at start.
    key_check bytea,
    -- Part of the epoch; changed after a restore of the data alone.
    epoch_salt uuid NOT NULL DEFAULT gen_random_uuid()
);
INSERT INTO installation DEFAULT VALUES;
