-- Since when attempts have failed one after the other; null: the last one was good.
ALTER TABLE audit_delivery ADD COLUMN failing_since timestamptz(3);
