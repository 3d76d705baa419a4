-- Tables that end in _entry hold entries, and this one does not.
ALTER TABLE expired_entry RENAME TO past_expiry;
