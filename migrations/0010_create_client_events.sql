-- What devices say of messages: fetched, displayed, opened.

CREATE TABLE client_events (
    app_id integer NOT NULL REFERENCES apps ON DELETE CASCADE,
    -- The inbox of the device that says it, or of a session's person.
    inbox_id bigint NOT NULL,
    -- Made by the client, which may repeat an event.
    event_id text COLLATE "C" NOT NULL,
    type text NOT NULL,
    message_id text COLLATE "C",
    happened_at timestamptz,
    received_at timestamptz NOT NULL DEFAULT martlet_now(),
    data jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (app_id, inbox_id, event_id)
);
CREATE INDEX client_events_by_receipt ON client_events (app_id, received_at);

-- The first answer with a message's body, for an inbox.
CREATE TABLE fetches (
    app_id integer NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    inbox_id bigint NOT NULL,
    fetched_at timestamptz NOT NULL DEFAULT martlet_now(),
    PRIMARY KEY (app_id, message_id, inbox_id),
    FOREIGN KEY (app_id, message_id) REFERENCES messages ON DELETE CASCADE
);
