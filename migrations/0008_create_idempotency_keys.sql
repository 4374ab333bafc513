-- Keys under which backends may repeat a send without sending twice.

CREATE TABLE idempotency_keys (
    app_id integer NOT NULL REFERENCES apps ON DELETE CASCADE,
    key text COLLATE "C" NOT NULL CHECK (octet_length(key) BETWEEN 1 AND 255),
    -- SHA-256 of what was asked: another request under the key is refused.
    request_digest bytea NOT NULL CHECK (octet_length(request_digest) = 32),
    -- From what the first answer is made again, as JSON: known before the transaction, and found in it.
    request text NOT NULL,
    outcome text,
    created_at timestamptz NOT NULL DEFAULT martlet_now(),
    PRIMARY KEY (app_id, key)
);
CREATE INDEX idempotency_keys_by_creation ON idempotency_keys (app_id, created_at);
