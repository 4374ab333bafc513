-- Tokens of backends, keys that prove who is logged in, and sessions of browsers.

ALTER TABLE app_secrets
    DROP CONSTRAINT app_secrets_kind_check,
    -- 2: HMAC key with which the customer's backend signs proofs; 3: its P-256 public key; 4: token of a backend.
    -- Keys of either kind are sealed, so that nobody who writes to the database alone can add one.
    ADD CONSTRAINT app_secrets_kind_check CHECK (kind BETWEEN 0 AND 4),
    -- Of a token: 1 send, 2 read, 4 admin, added up.
    ADD COLUMN scopes smallint NOT NULL DEFAULT 0 CHECK (scopes BETWEEN 0 AND 7),
    ADD COLUMN name text;
-- The app of a token is found by the token alone.
CREATE UNIQUE INDEX app_secrets_by_token ON app_secrets (digest) WHERE kind = 4;
GRANT SELECT (secret_id, scopes) ON app_secrets TO martlet_lookup;

-- Sessions are credentials of a person's inbox: several, and for a time.
ALTER TABLE inbox_users
    ADD COLUMN expires_at timestamptz,
    DROP CONSTRAINT inbox_users_app_id_inbox_id_key;
CREATE UNIQUE INDEX inbox_users_by_inbox ON inbox_users (app_id, inbox_id) WHERE expires_at IS NULL;
CREATE INDEX inbox_sessions_by_inbox ON inbox_users (app_id, inbox_id) WHERE expires_at IS NOT NULL;
GRANT SELECT (expires_at) ON inbox_users TO martlet_lookup;
GRANT SELECT (expires_at, created_at), UPDATE (expires_at), DELETE ON inbox_users TO martlet_app;

-- Proofs that are good for one device only, until they expire.
CREATE TABLE used_proofs (
    app_id integer NOT NULL REFERENCES apps ON DELETE CASCADE,
    -- SHA-256 of the proof's id.
    proof_digest bytea NOT NULL CHECK (octet_length(proof_digest) = 32),
    -- The inbox of the device that showed it first.
    inbox_id bigint NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (app_id, proof_digest)
);
