-- What a freeze has stopped is looked for among what was asked for since: among nothing, mostly. Settings say it at each read, and looked at
-- every apply for it.
--
-- While this runs, nobody writes jobs; reading goes on. It takes about a second for a million.
CREATE INDEX job_stopped_apply ON job (tenant_id, sequence)
 WHERE type = 'apply' AND state = 'failed' AND error ->> 'code' = 'deploy_frozen';
