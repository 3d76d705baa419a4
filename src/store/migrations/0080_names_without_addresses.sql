-- Names that have no address any more while what they had is still announced, without a look at each name of a list.
--
-- While the index is made, nobody writes names; reading goes on. It takes less than a second for a million.
CREATE INDEX domain_entry_left ON domain_entry (tenant_id, module_id)
  WHERE enabled AND status = 'ok' AND last_error IS NOT NULL AND prefix_count_ipv4 + prefix_count_ipv6 > 0;
