-- Which apply to all speakers was asked for last, and which to each speaker, is looked for in the order in which applies were asked for,
-- whichever way they ended: what a freeze stopped is told by it.
--
-- While this runs, nobody writes jobs; reading goes on. It takes about a second for a million.
CREATE INDEX job_apply ON job (tenant_id, sequence) WHERE type = 'apply';
DROP INDEX job_applied;
