-- The age of the source of a module that has been unread for longest, for metrics, without a look at each source of the installation.
--
-- While an index is made, nobody writes entries of its kind; reading goes on. It takes about a second for a million.
CREATE INDEX cdn_source_age ON cdn_source (tenant_id, module_id, last_refreshed_at) WHERE enabled;
CREATE INDEX as_entry_age ON as_entry (tenant_id, module_id, last_refreshed_at) WHERE enabled;
CREATE INDEX domain_entry_age ON domain_entry (tenant_id, module_id, last_refreshed_at) WHERE enabled;
CREATE INDEX geofeed_entry_age ON geofeed_entry (tenant_id, module_id, last_refreshed_at) WHERE enabled;
