-- A tenant keeps as many deleted modules as it may have modules: what was collected of each stays with it, and counts in no other quota.
CREATE OR REPLACE FUNCTION forget_removed(of_tenant uuid, days integer) RETURNS bigint LANGUAGE sql SET search_path FROM CURRENT AS $$
  WITH kept AS (
    SELECT b.id, b.removed_at, b.module IS NOT NULL AND b.restored_at IS NULL AS is_module, row_number() OVER newest AS place,
           sum(CASE WHEN b.restored_at IS NULL THEN coalesce(c.entries, 0) ELSE 0 END) OVER newest AS entries,
           count(*) FILTER (WHERE b.module IS NOT NULL AND b.restored_at IS NULL) OVER newest AS modules
      FROM removed_batch b
      LEFT JOIN (SELECT batch_id, sum(entry_count) AS entries FROM removed_chunk WHERE tenant_id = of_tenant GROUP BY batch_id) c
        ON c.batch_id = b.id
     WHERE b.tenant_id = of_tenant
    WINDOW newest AS (ORDER BY b.removed_at DESC, b.id DESC)
  ), due AS MATERIALIZED (
    SELECT b.id FROM removed_batch b JOIN kept ON kept.id = b.id
     WHERE b.tenant_id = of_tenant
       AND (kept.removed_at < now() - make_interval(days => days)
            OR kept.place > 10000
            OR (kept.place > 1
                AND kept.entries > (SELECT maximum FROM tenant_quota WHERE tenant_id = of_tenant AND resource = 'entries'))
            OR (kept.is_module
                AND kept.modules > greatest(1, (SELECT maximum FROM tenant_quota WHERE tenant_id = of_tenant AND resource = 'modules'))))
       FOR UPDATE OF b SKIP LOCKED
  ), gone AS (
    DELETE FROM removed_batch b USING due WHERE b.tenant_id = of_tenant AND b.id = due.id RETURNING b.id
  )
  SELECT count(*) FROM gone
$$;
