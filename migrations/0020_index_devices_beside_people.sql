-- Apart from the columns, so that lists are answered while it is built: it holds up writes alone.

CREATE INDEX deliveries_beside_people ON deliveries (app_id, inbox_id, message_id) WHERE beside_people;
