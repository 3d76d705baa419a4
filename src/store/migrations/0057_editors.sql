-- Who made an edit that no revision holds yet, so that the revision can name them. Requests that change something set it for their
-- transaction; null: nobody asked, such as where time went by.
ALTER TABLE pending_change ADD COLUMN actor text;
ALTER TABLE pending_change ALTER COLUMN actor SET DEFAULT nullif(current_setting('app.actor', true), '');
