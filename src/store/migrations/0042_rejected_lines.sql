-- Lines of a list that could not be read: how many, and the first of them with the reasons.

ALTER TABLE cdn_source
  ADD COLUMN rejected_count integer NOT NULL DEFAULT 0,
  ADD COLUMN rejected jsonb NOT NULL DEFAULT '[]';

ALTER TABLE geofeed_entry
  ADD COLUMN rejected_count integer NOT NULL DEFAULT 0,
  ADD COLUMN rejected jsonb NOT NULL DEFAULT '[]';
