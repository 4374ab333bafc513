-- What cleans up what nobody can see any more: who does it, and when it was done.

ALTER TABLE installation
    -- The instance that has the present or last run, and until when that holds without a sign of life.
    ADD COLUMN retention_runner uuid,
    ADD COLUMN retention_until timestamptz,
    ADD COLUMN retention_begun timestamptz,
    ADD COLUMN retention_ended timestamptz;

CREATE INDEX used_proofs_by_expiry ON used_proofs (app_id, expires_at);
CREATE INDEX inbox_sessions_by_expiry ON inbox_users (app_id, expires_at) WHERE expires_at IS NOT NULL;

GRANT
    SELECT (retention_runner, retention_until, retention_begun, retention_ended),
    UPDATE (retention_runner, retention_until, retention_begun, retention_ended)
ON installation TO martlet_app;
