/** Nouns beside lists and routers: resolvers, access, firewalls, maintenance. */
import { ENABLED } from './fields.ts';
import { column, minor, wide, type Item, type Noun } from './noun.ts';

export const DOH: Noun = {
  name: 'doh',
  plural: 'DoH profiles',
  words: 'doh',
  path: '/v1/doh-profiles',
  names: ['name'],
  columns: [
    column('NAME', 'name'),
    column('URL', 'url'),
    column('ENABLED', 'enabled'),
    wide('METHOD', 'method'),
    wide('TIMEOUT MS', 'timeout_ms'),
    wide('BOOTSTRAP', 'bootstrap_addresses'),
  ],
  fields: {
    url: { member: 'url', kind: 'text', value: 'URL', about: 'where it answers', isRequired: true },
    method: {
      member: 'method',
      kind: 'text',
      value: 'METHOD',
      choices: ['GET', 'POST'],
      about: 'of requests',
    },
    bootstrap: {
      member: 'bootstrap_addresses',
      kind: 'list',
      value: 'ADDRESSES',
      about: 'of its host, with commas',
    },
    enabled: ENABLED,
  },
  example: 'quad9 --url https://dns.quad9.net/dns-query',
};

export const KEY: Noun = {
  name: 'key',
  plural: 'API keys',
  words: 'key',
  path: '/v1/api-keys',
  names: ['name', 'prefix'],
  exactName: 'prefix',
  columns: [
    column('NAME', 'name'),
    column('ROLE', 'role'),
    column('STATE', stateOfKey),
    minor(1, 'SPEAKER', 'speaker_id', 'speaker'),
    column('PREFIX', 'prefix'),
    column('LAST USED', 'last_used_at'),
    column('EXPIRES', 'expires_at'),
    wide('CLIENT', 'firewall_client_id', 'client'),
    wide('REVOKED', 'revoked_at'),
    wide('CREATED BY', 'created_by'),
  ],
  fields: {
    role: {
      member: 'role',
      kind: 'text',
      value: 'ROLE',
      choices: ['viewer', 'operator', 'super_viewer', 'super_admin'],
      about: 'what it may do',
      isRequired: true,
      isFixed: true,
    },
    expires: { member: 'expires_at', kind: 'text', value: 'TIME', about: 'such as 2027-01-31T12:00:00Z' },
  },
  secret: 'secret',
  rotates: 'with grace',
  endedBy: { member: 'revoked_at', word: 'revoked' },
  // Nodes of one machine have keys of one name.
  ofOthers: [
    { member: 'speaker_id', noun: 'speaker' },
    { member: 'firewall_client_id', noun: 'client' },
  ],
  example: 'ci --role operator',
  exampleEdit: '--expires 2027-01-31T12:00:00Z',
};

/** Whoever asks which keys open the service must not have to compare times. */
function stateOfKey({ revoked_at: revoked, expires_at: expires }: Item): string {
  if (revoked !== null) return 'revoked';
  return typeof expires === 'string' && Date.parse(expires) <= Date.now() ? 'expired' : 'valid';
}

export const TENANT: Noun = {
  name: 'tenant',
  plural: 'tenants',
  words: 'tenant',
  path: '/v1/tenants',
  names: ['slug', 'name'],
  calledAlike: ['name'],
  columns: [
    column('SLUG', 'slug'),
    column('NAME', 'name'),
    column('STATUS', 'status'),
    column('MODULES', 'usage.modules'),
    column('PEERS', 'usage.peers'),
    wide('ENTRIES', 'usage.entries'),
    wide('SPEAKERS', 'usage.speakers'),
    wide('CREATED', 'created_at'),
  ],
  fields: {
    name: {
      member: 'name',
      kind: 'text',
      value: 'NAME',
      about: 'for people; the slug where nothing is said',
    },
    quotas: { member: 'quotas', kind: 'json', value: 'JSON', about: 'such as {"modules":10}' },
    policy: {
      member: 'policy',
      kind: 'json',
      value: 'JSON',
      about: 'such as {"allowed_prefixes":["192.0.2.0/24"]}',
    },
  },
  secret: 'api_key.secret',
  example: 'customer-a --name "Customer A"',
  exampleEdit: '--name "Customer A, Limited"',
};

export const RULE: Noun = {
  name: 'rule',
  plural: 'firewall rules',
  words: 'firewall rule',
  path: '/v1/firewall/rules',
  names: ['name'],
  columns: [
    column('NAME', 'name'),
    column('ACTION', 'action'),
    column('PRIORITY', 'priority'),
    column('DIRECTION', 'direction'),
    column('MODULES', 'module_ids', 'module'),
    column('COMMUNITIES', 'community_ids', 'community'),
    column('NETWORKS', 'cidrs'),
    column('PROTOCOL', 'protocol'),
    column('PORTS', 'ports'),
    column('ENABLED', 'enabled'),
    wide('CLIENTS', 'client_ids', 'client'),
  ],
  fields: {
    action: {
      member: 'action',
      kind: 'text',
      value: 'ACTION',
      choices: ['block', 'accept'],
      about: 'what happens to packets',
    },
    direction: {
      member: 'direction',
      kind: 'text',
      value: 'DIRECTION',
      choices: ['in', 'out', 'both'],
      about: 'of packets',
    },
    module: { member: 'module_ids', kind: 'references', noun: 'module', about: 'whose addresses it lists' },
    community: {
      member: 'community_ids',
      kind: 'references',
      noun: 'community',
      about: 'whose prefixes it lists',
    },
    cidr: { member: 'cidrs', kind: 'list', value: 'NETWORKS', about: 'that it lists by itself, with commas' },
    protocol: {
      member: 'protocol',
      kind: 'text',
      value: 'PROTOCOL',
      choices: ['any', 'tcp', 'udp', 'icmp'],
      about: 'of packets',
    },
    ports: { member: 'ports', kind: 'list', value: 'PORTS', about: 'such as 22,8000-8080' },
    client: {
      member: 'client_ids',
      kind: 'references',
      noun: 'client',
      about: 'that it is for; all: every client',
      emptyMeansAll: { insteadOfNone: 'use --enabled no to let it count nowhere' },
    },
    priority: { member: 'priority', kind: 'number', value: 'N', about: 'small numbers first' },
    enabled: ENABLED,
  },
  example: 'no-scanners --action block --direction in --module scanners',
};

/** Whoever knows other packet filters takes `accept` for the contrary. */
export const POLICY_WORDS =
  'for packets that no rule matches: block lets them pass, so that only what rules list is cut off; accept drops them';

/** Of a host that does not report nobody knows which rules it has; what it said last was of the ruleset of then. */
function rulesetWord({ online, status }: Item): unknown {
  return online === true || status === 'pending' ? status : 'unknown';
}

export const CLIENT: Noun = {
  name: 'client',
  plural: 'firewall clients',
  words: 'firewall client',
  path: '/v1/firewall/clients',
  names: ['name', 'hostname'],
  columns: [
    column('NAME', 'name'),
    column('HOST', 'hostname'),
    column('POLICY', 'policy'),
    column('ONLINE', 'online'),
    column('STATUS', rulesetWord),
    wide('VERSION', 'version'),
    wide('SEEN', 'last_seen_at'),
    wide('ERROR', 'last_error'),
  ],
  fields: {
    policy: {
      member: 'policy',
      kind: 'text',
      value: 'POLICY',
      choices: ['block', 'accept'],
      about: POLICY_WORDS,
    },
    protected: {
      member: 'protected',
      kind: 'list',
      value: 'NETWORKS',
      about: 'that no rule cuts off, with commas',
    },
  },
  isFound: true,
  example: 'web1',
  exampleEdit: '--protected 192.0.2.0/24,2001:db8::/32',
};

/** As the API has them; its table of them brings its schemas along. */
const POLICY_KINDS = [
  ...['revision_prune', 'job_prune', 'audit_prune', 'runtime_logs_cleanup'],
  ...['postgres_vacuum', 'postgres_analyze', 'postgres_reindex'],
];

export const POLICY: Noun = {
  name: 'policy',
  plural: 'maintenance policies',
  words: 'policy',
  path: '/v1/maintenance/policies',
  names: ['name'],
  isUnsearchable: true,
  columns: [
    column('NAME', 'name'),
    column('KIND', 'kind'),
    column('SCHEDULE', 'schedule'),
    column('ENABLED', 'enabled'),
    column('NEXT RUN', 'next_run_at'),
    column('LAST RUN', 'last_run.queued_at'),
    column('RESULT', 'last_run.state'),
    wide('PARAMETERS', 'parameters'),
  ],
  fields: {
    kind: {
      member: 'kind',
      kind: 'text',
      value: 'KIND',
      choices: POLICY_KINDS,
      about: 'what it looks after',
      isFixed: true,
      isRequired: true,
    },
    parameters: {
      member: 'parameters',
      kind: 'json',
      value: 'JSON',
      about: 'such as {"older_than_days":90}',
    },
    schedule: {
      member: 'schedule',
      kind: 'text',
      value: 'CRON',
      about: 'in UTC, such as "0 3 * * *"; none: when asked',
    },
    enabled: ENABLED,
  },
  example: 'old-audit --kind audit_prune --parameters \'{"older_than_days":400}\'',
};
