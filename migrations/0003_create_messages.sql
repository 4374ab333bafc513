-- Messages, who holds them, and the app's log of what concerns every view.

CREATE TABLE messages (
    app_id integer NOT NULL REFERENCES apps ON DELETE CASCADE,
    -- 22 characters of URL-safe base64; text, because lists are ordered by it as text.
    message_id text COLLATE "C" NOT NULL CHECK (octet_length(message_id) = 22),
    title text NOT NULL,
    content_type text NOT NULL,
    extra jsonb NOT NULL,
    icon text,
    sent_ms bigint NOT NULL,
    expires_ms bigint NOT NULL,
    device_types smallint NOT NULL,
    body_bytes integer NOT NULL,
    -- A message to everyone, and the channels there were when it was sent; others are counted in deliveries.
    broadcast boolean NOT NULL,
    recipients integer,
    recalled_at timestamptz,
    -- The push as it came. Text, since jsonb refuses what JSON allows: NUL in a notification's text.
    push text NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (app_id, message_id)
) WITH (toast_tuple_target = 512);  -- bodies are large and read alone
CREATE INDEX messages_by_order ON messages (app_id, sent_ms DESC, message_id);

-- One message in one inbox. Without foreign keys: rows are only made from a message of the same transaction and
-- inboxes locked by it, and a check of each row would double the cost of a fan-out.
CREATE TABLE deliveries (
    app_id integer NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    inbox_id bigint NOT NULL,
    sent_ms bigint NOT NULL,
    expires_ms bigint NOT NULL,
    -- The inbox's revisions when the row was made and last changed.
    added bigint NOT NULL,
    changed bigint NOT NULL,
    marked_at timestamptz,
    device_types smallint NOT NULL,
    unread boolean NOT NULL DEFAULT true,
    deleted boolean NOT NULL DEFAULT false,
    -- Not a delivery but a reader's mark of a broadcast.
    broadcast boolean NOT NULL DEFAULT false,
    PRIMARY KEY (app_id, message_id, inbox_id)
) WITH (
    -- Lists are read from the index alone, which needs pages known to be all visible: vacuum early.
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.01,
    autovacuum_vacuum_cost_delay = 0
);
-- The list: deleted rows leave it, so that an inbox is as fast as what it shows.
CREATE INDEX deliveries_by_order ON deliveries (app_id, inbox_id, sent_ms DESC, message_id)
    INCLUDE (unread) WHERE NOT deleted AND NOT broadcast;
-- What happened in an inbox since a revision; also all rows of an inbox, when it moves.
CREATE INDEX deliveries_by_change ON deliveries (app_id, inbox_id, changed);
CREATE INDEX deliveries_of_broadcasts ON deliveries (app_id, inbox_id, sent_ms) WHERE broadcast;

CREATE TABLE app_log (
    app_id integer NOT NULL REFERENCES apps ON DELETE CASCADE,
    revision bigint NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    -- A message to everyone was taken back, or one too widely held for a tombstone each; else it was sent.
    recall boolean NOT NULL,
    sent_ms bigint NOT NULL,
    expires_ms bigint NOT NULL,
    device_types smallint NOT NULL,
    -- The app's floor with this broadcast.
    floor_ms bigint,
    floor_id text COLLATE "C",
    PRIMARY KEY (app_id, revision)
);
CREATE INDEX app_log_by_order ON app_log (app_id, sent_ms DESC, message_id) WHERE NOT recall;
CREATE INDEX app_log_by_message ON app_log (app_id, message_id);
