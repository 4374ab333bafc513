-- A device has by a tag of its own what people have by theirs: whoever is logged in on it may have the same message in
-- the person's inbox, and a list then asks for both.

ALTER TABLE deliveries ADD COLUMN beside_people boolean NOT NULL DEFAULT false;
CREATE INDEX deliveries_beside_people ON deliveries (app_id, inbox_id, message_id) WHERE beside_people;

-- Whether people matched when the message was sent, where it is for them; else it goes to devices alone, and none is noted.
ALTER TABLE fanouts ADD COLUMN reaches_people boolean NOT NULL DEFAULT true;
