-- Jobs and revisions are listed by time, the newest first.

CREATE INDEX job_created ON job (tenant_id, created_at, id);
CREATE INDEX job_queued ON job (tenant_id, queued_at, id);
CREATE INDEX revision_created ON revision (tenant_id, created_at, id);
