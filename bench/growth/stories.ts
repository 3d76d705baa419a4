/** What is asked in each round: every route of the table, but those that {@link LEFT_OUT} names. */
import { cursorAt } from './asking.ts';
import { idOf, MODULE_OF, someOf, type EntryKind, type Scale } from './fill.ts';
import { addresses, feeds, firewall, removed, sessions, webhooks } from './further-stories.ts';
import { lists, resource, type PageAnswer, type Subject } from './subject.ts';

/** Why they are not asked. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  getHealth: 'asks no database',
  getVersion: 'asks no database',
  getRootVersion: 'asks no database',
  getDescription: 'asks no database',
  listSourcePresets: 'asks no database',
  followEvents: 'is a stream',
  previewCdnSource: 'asks a server elsewhere',
  previewGeofeed: 'asks a server elsewhere',
  testDohProfile: 'asks a server elsewhere',
  findHolders: 'asks a server elsewhere',
  exportEntries: 'shows every entry of the module',
  getCatalog: 'shows every entry of the tenant',
  diffHeldModule: 'builds what a release would build',
  releaseModule: 'needs a held module',
  stopTenant: 'stops the tenant',
  deleteTenant: 'is long work, which the service does by itself',
  rollbackRevision: 'compares whole contents',
  previewRevision: 'writes whole configurations',
  reloadRouter: 'has to do with the daemon of this machine',
  enrollNode: 'is asked by nodes',
  reportApplyStatus: 'is asked by nodes',
  getLatestBundle: 'is asked by nodes',
  pullBundle: 'is asked by nodes',
  rotateSigningKey: 'is limited to a few',
  listRuntimeLogs: 'reads files',
  tailRuntimeLog: 'reads files',
  cleanRuntimeLog: 'deletes files',
  estimateRuntimeLogCleanup: 'reads files',
  runRuntimeLogCleanup: 'deletes files',
  maintainPostgres: 'works on whole tables, as a job',
  dryRunMaintenancePolicy: 'looks at all that a run would remove',
  endSession: 'needs the session of a browser',
  mapRevision: 'draws whole contents (`npm run bench -- map`)',
  mapDifference: 'draws whole contents (`npm run bench -- map`)',
  planRevision: 'builds what a change would build (`npm run bench -- plan`)',
  testWebhook: 'asks a server elsewhere',
};

const ENTRY_ROUTES: Readonly<
  Record<
    EntryKind,
    {
      one: string;
      many: string;
      path: string;
      body: (n: number) => object;
      patch: object;
      statuses: boolean;
      rare: (scale: Scale) => string;
    }
  >
> = {
  ip_range_entry: {
    ...{ one: 'IpRangeEntry', many: 'IpRangeEntries', path: 'ip-range-entries', statuses: false },
    ...{ body: (n) => ({ cidr: `2a00:${n.toString(16)}::/32` }), patch: { note: 'changed' } },
    rare: ({ entries }) => `customer ${entries - 7}`,
  },
  as_entry: {
    ...{ one: 'AsEntry', many: 'AsEntries', path: 'as-entries', statuses: true },
    ...{ body: (n) => ({ asn: 3000 + n }), patch: { note: 'changed' } },
    rare: (scale) => `customer ${someOf(scale) - 7}`,
  },
  domain_entry: {
    ...{ one: 'DomainEntry', many: 'DomainEntries', path: 'domain-entries', statuses: true },
    ...{ body: (n) => ({ domain: `new${n}.example.com` }), patch: { note: 'changed' } },
    rare: (scale) => `host${someOf(scale) - 7}.`,
  },
  cdn_source: {
    ...{ one: 'CdnSource', many: 'CdnSources', path: 'cdn-sources', statuses: true },
    ...{
      body: (n) => ({ name: `new ${n}`, url: `https://new.example.net/${n}` }),
      patch: { csv_column: 'prefix' },
    },
    rare: (scale) => `source ${someOf(scale) - 7}`,
  },
  geofeed_entry: {
    ...{ one: 'GeofeedEntry', many: 'GeofeedEntries', path: 'geofeed-entries', statuses: true },
    ...{
      body: (n) => ({ name: `new ${n}`, url: `https://new.example.net/${n}`, countries: ['DE'] }),
      patch: { countries: ['FR'] },
    },
    rare: (scale) => `feed ${someOf(scale) - 7}`,
  },
};

async function entries(subject: Subject, round: number): Promise<void> {
  const { asker, scale } = subject;
  for (const [kind, { number }] of Object.entries(MODULE_OF) as [EntryKind, { number: number }][]) {
    const { one, many, path: name, body, patch, statuses, rare } = ENTRY_ROUTES[kind];
    const path = `/v1/modules/${idOf('module', number)}/${name}`;
    await resource(subject, one, path, { body: body(round), patch }, { create: `create${many}` });
    const { id } = await asker.prepare('POST', path, body(round));
    await asker.ask(`change${many} of one`, 'PATCH', path, {
      ...{ ids: [id], patch: { enabled: false } },
    });
    await asker.ask(`delete${many} of one`, 'DELETE', path, { ids: [id] });
    const middle = Math.floor((kind === 'ip_range_entry' ? scale.entries : someOf(scale)) / 2);
    await lists(subject, round, `list${many}`, path, ({ next_cursor: next }) =>
      cursorAt(next!, idOf(kind, middle)),
    );
    await lists(subject, round, `list${many} enabled=false`, `${path}?enabled=false`);
    if (statuses) await lists(subject, round, `list${many} status=failed`, `${path}?status=failed`);
    await lists(subject, round, `list${many} q= of one`, `${path}?q=${encodeURIComponent(rare(scale))}`);
    await lists(subject, round, `list${many} q= of none`, `${path}?q=nowhere`);
  }
  const ranges = `/v1/modules/${idOf('module', 1)}`;
  const csv = `cidr\r\n2a01:${round.toString(16)}::/32\r\n`;
  await asker.ask('importEntries of one', 'POST', `${ranges}/entries.csv`, csv);
}

async function modules(subject: Subject, round: number): Promise<void> {
  const { asker, scale } = subject;
  const path = '/v1/modules';
  await resource(subject, 'Module', path, {
    body: { name: `new ${round}`, type: 'IP_RANGES' },
    patch: { description: 'changed' },
  });
  const large = `${path}/${idOf('module', 1)}`;
  await asker.ask('getModule of the most entries', 'GET', large);
  await asker.ask('changeModule of the most entries', 'PATCH', large, { description: `round ${round}` });
  const middle = idOf('module', Math.floor(scale.modules / 2));
  await lists(subject, round, 'listModules', path, ({ next_cursor: next }) => cursorAt(next!, middle));
  await lists(subject, round, 'listModules enabled=false', `${path}?enabled=false`);
  await lists(subject, round, 'listModules type=DOMAINS', `${path}?type=DOMAINS`);
  await lists(subject, round, 'listModules q= of one', `${path}?q=module+${scale.modules - 7}`);
  await asker.ask('refreshModule', 'POST', `${path}/${idOf('module', 10 + round)}/refresh`);
}

async function jobs(subject: Subject, round: number): Promise<void> {
  const { asker, scale } = subject;
  const path = '/v1/jobs';
  const number = Math.floor(scale.jobs / 2);
  await asker.ask('getJob', 'GET', `${path}/${idOf('job', number + round)}`);
  await asker.time('cancelJob of one that ended', 'POST', `${path}/${idOf('job', number)}/cancel`);
  const place = (first: PageAnswer): string =>
    cursorAt(
      first.next_cursor!,
      idOf('job', number),
      Date.parse(first.items[0]!.created_at!) - (scale.jobs / 2) * 1000,
    );
  await lists(subject, round, 'listJobs', path, place);
  await lists(subject, round, 'listJobs sort=created_at', `${path}?sort=created_at`);
  await lists(subject, round, 'listJobs sort=-queued_at', `${path}?sort=-queued_at`);
  await lists(subject, round, 'listJobs type=apply', `${path}?type=apply`, place);
  await lists(subject, round, 'listJobs type=maintenance_policy_run', `${path}?type=maintenance_policy_run`);
  await lists(subject, round, 'listJobs state=failed', `${path}?state=failed`);
  await lists(subject, round, 'listJobs state=succeeded', `${path}?state=succeeded`, place);
  await lists(subject, round, 'listJobs type=apply state=failed', `${path}?type=apply&state=failed`);
  await lists(subject, round, 'listJobs resource_id=', `${path}?resource_id=${idOf('module', 7)}`);
}

async function audit(subject: Subject, round: number): Promise<void> {
  const { scale } = subject;
  const path = '/v1/audit';
  const place = (first: PageAnswer): string =>
    cursorAt(
      first.next_cursor!,
      idOf('audit_record', Math.floor(scale.auditRecords / 2)),
      Date.parse(first.items[0]!.at!) - (scale.auditRecords / 2) * 1000,
    );
  await lists(subject, round, 'listAuditRecords', path, place);
  for (const filter of [
    'action=module.change',
    'severity=critical',
    'actor=key:person+7',
    'resource_type=peer',
    `resource_id=${idOf('module', 7)}`,
    'prefix=198.51.100.7',
  ])
    await lists(
      subject,
      round,
      `listAuditRecords ${filter.slice(0, filter.indexOf('='))}=`,
      `${path}?${filter}`,
    );
  await lists(subject, round, 'listAuditRecords q= of many', `${path}?q=person`);
  await lists(subject, round, 'listAuditRecords q= of none', `${path}?q=nowhere`);
  await lists(subject, round, 'listRuntimeLogCleanups', '/v1/runtime-logs/cleanup-audit');
}

async function tenants(subject: Subject, round: number): Promise<void> {
  const { asker, scale } = subject;
  const path = '/v1/tenants';
  const made = await asker.ask<{ tenant?: { id: string }; id: string }>('createTenant', 'POST', path, {
    name: `New ${round}`,
    slug: `new-${round}-${Date.now()}`,
  });
  const id = made.tenant?.id ?? made.id;
  await asker.ask('getTenant', 'GET', `${path}/${id}`);
  await asker.ask('getTenant of the most', 'GET', `${path}/${subject.tenantId}`);
  await asker.ask('changeTenant', 'PATCH', `${path}/${id}`, { name: `Changed ${round}` });
  const middle = idOf('tenant', Math.floor(scale.tenants / 2));
  await lists(subject, round, 'listTenants', path, ({ next_cursor: next }) => cursorAt(next!, middle));
  await lists(subject, round, 'listTenants q= of one', `${path}?q=tenant-${scale.tenants - 3}`);
}

async function operators(subject: Subject, round: number): Promise<void> {
  const { asker } = subject;
  const pair = `64500:${round}`;
  await resource(subject, 'Community', '/v1/communities', {
    body: { community: pair, title: 'New' },
    patch: { title: 'Changed' },
  });
  await lists(subject, round, 'listCommunities', '/v1/communities');
  const peer = {
    name: `peer ${round}`,
    address: `127.0.9.${1 + (round % 250)}`,
    remote_asn: 64_496,
    passive: true,
    enabled: false,
  };
  await resource(subject, 'Peer', '/v1/peers', { body: peer, patch: { hold_time: 30 } });
  await lists(subject, round, 'listPeers', '/v1/peers');
  const speaker = {
    name: `speaker ${round}`,
    daemon: 'builtin',
    local_asn: 64_512,
    local_ipv4: '127.0.0.9',
    mode: 'agent',
  };
  const made = await asker.ask('createSpeaker', 'POST', '/v1/speakers', speaker);
  await asker.ask('getSpeaker', 'GET', `/v1/speakers/${made.id}`);
  await asker.ask('getSpeaker live', 'GET', `/v1/speakers/${made.id}?live=true`);
  await asker.ask('changeSpeaker', 'PATCH', `/v1/speakers/${made.id}`, { label: 'changed' });
  await asker.ask('createEnrollmentToken', 'POST', `/v1/speakers/${made.id}/enrollment-tokens`, {});
  await asker.ask('applyToSpeaker', 'POST', `/v1/speakers/${made.id}/apply`, {
    revision_id: subject.revisionId,
  });
  await lists(subject, round, 'listSpeakers', '/v1/speakers');
  await lists(subject, round, 'listSpeakers live', '/v1/speakers?live=true');
  await asker.ask('deleteSpeaker', 'DELETE', `/v1/speakers/${made.id}?abandon_node=true`);
  const profile = {
    name: `profile ${round}`,
    url: 'https://dns.example/dns-query{?dns}',
    bootstrap_addresses: ['192.0.2.53'],
  };
  await resource(subject, 'DohProfile', '/v1/doh-profiles', { body: profile, patch: { timeout_ms: 4000 } });
  await lists(subject, round, 'listDohProfiles', '/v1/doh-profiles');
  const key = await asker.ask('createApiKey', 'POST', '/v1/api-keys', {
    name: `key ${round}`,
    role: 'viewer',
  });
  await asker.ask('getApiKey', 'GET', `/v1/api-keys/${key.id}`);
  await asker.ask('changeApiKey', 'PATCH', `/v1/api-keys/${key.id}`, { expires_at: null });
  await asker.ask('rotateApiKey', 'POST', `/v1/api-keys/${key.id}/rotate`, { grace_seconds: 60 });
  await asker.ask('revokeApiKey', 'DELETE', `/v1/api-keys/${key.id}`);
  await lists(subject, round, 'listApiKeys', '/v1/api-keys');
  const rule = { name: `rule ${round}`, action: 'block', direction: 'in', cidrs: ['198.51.100.0/24'] };
  await resource(subject, 'FirewallRule', '/v1/firewall/rules', { body: rule, patch: { priority: 100 } });
  await lists(subject, round, 'listFirewallRules', '/v1/firewall/rules');
  await lists(subject, round, 'listFirewallClients', '/v1/firewall/clients');
  await asker.ask('getFirewallInstallContext', 'GET', '/v1/firewall/install-context');
  await asker.ask('createFirewallEnrollmentToken', 'POST', '/v1/firewall/enrollment-tokens', {
    policy: 'block',
    valid_seconds: 3600,
  });
}

async function operation(subject: Subject, round: number): Promise<void> {
  const { asker, revisionId } = subject;
  await asker.ask('getReadiness', 'GET', '/v1/ready');
  await asker.ask('getSession', 'GET', '/v1/auth/session');
  await asker.ask('getRouterStatus', 'GET', '/v1/router/status');
  await asker.ask('listSigningKeys', 'GET', '/v1/bundles/signing-key');
  await asker.ask('getMetrics', 'GET', '/metrics');
  await asker.ask('getSettings', 'GET', '/v1/settings');
  await asker.ask('changeSettings', 'PATCH', '/v1/settings', { guard_max_change_percent: 1000 + round });
  const policies = '/v1/maintenance/policies';
  const policy = {
    name: `policy ${round}`,
    kind: 'job_prune',
    parameters: { older_than_days: 3000, keep_last: 500 },
  };
  const made = await asker.ask('createMaintenancePolicy', 'POST', policies, policy);
  await asker.ask('getMaintenancePolicy', 'GET', `${policies}/${made.id}`);
  await asker.ask('changeMaintenancePolicy', 'PATCH', `${policies}/${made.id}`, { enabled: false });
  await lists(subject, round, 'listMaintenanceRuns', `${policies}/${made.id}/runs`);
  await asker.ask('runMaintenancePolicy', 'POST', `${policies}/${made.id}/run`);
  await asker.ask('deleteMaintenancePolicy', 'DELETE', `${policies}/${made.id}`);
  await lists(subject, round, 'listMaintenancePolicies', policies);
  await asker.ask('getPostgresMetrics', 'GET', '/v1/postgres/metrics');
  const revisions = '/v1/revisions';
  await lists(subject, round, 'listRevisions', revisions);
  await asker.ask('getRevision', 'GET', `${revisions}/${revisionId}`);
  await asker.ask('changeRevision', 'PATCH', `${revisions}/${revisionId}`, { pinned: round % 2 === 0 });
  await lists(subject, round, 'listRevisionPrefixes', `${revisions}/${revisionId}/prefixes`);
  await asker.ask(
    'listRevisionPrefixes contains=',
    'GET',
    `${revisions}/${revisionId}/prefixes?contains=8.0.${round}.4`,
  );
  await asker.ask(
    'diffRevisions',
    'GET',
    `${revisions}/${revisionId}/diff/${revisionId}?limit=${50 + round}`,
  );
  await asker.ask('estimateRevisionPrune', 'GET', `${revisions}/prune/estimate`);
  await asker.ask('pruneRevisions', 'POST', `${revisions}/prune`);
  await asker.ask('buildRevision', 'POST', revisions, {});
  await asker.ask('apply', 'POST', '/v1/apply', { revision_id: revisionId });
}

export const STORIES = {
  ...{ modules, entries, jobs, audit, tenants, operators, operation },
  ...{ removed, addresses, feeds, webhooks, firewall, sessions },
} as const;
