/** Tenants with objects of every kind, as their files have them. Addresses outside are of this machine, where nothing answers. */
import fc from 'fast-check';

export interface TenantFiles {
  readonly documents: readonly object[];
  /** Files of entries by their path. */
  readonly entries: Readonly<Record<string, string>>;
}

const NOWHERE = '127.0.0.1:9';
/** The variable of every secret that the files have. */
export const SECRET_VARIABLE = 'ROUND_TRIP_SECRET';
const SECRET = `\${${SECRET_VARIABLE}}`;

const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9 .:_'"#-]{0,12}[A-Za-z0-9]$/);
const text = fc.oneof(fc.constant(null), fc.string({ maxLength: 30 }));
const unique = <T extends { readonly name: string }>(one: fc.Arbitrary<T>, maxLength = 3) =>
  fc.uniqueArray(one, { maxLength, selector: ({ name: word }) => word.toLowerCase() });
const families = fc.constantFrom(['ipv4'], ['ipv6'], ['ipv4', 'ipv6']);
/** Which of what is there is referred to; too large an index wraps around. */
const pick = fc.nat(2);

const quoted = (cell: string | null): string => (cell === null ? '' : `"${cell.replaceAll('"', '""')}"`);

/** By the type of a module: the header of its file, and an entry by a number. */
const ENTRIES = {
  IP_RANGES: { header: 'cidr', keyed: (at: number, of: number) => `${at + 20}.${of + 1}.0.0/24` },
  AS_PREFIXES: { header: 'asn', keyed: (at: number) => String(at + 1_000) },
  DOMAINS: { header: 'domain', keyed: (at: number) => `host${at}.example.net` },
  CDN_SOURCES: { header: 'name,url', keyed: (at: number) => `list ${at},http://${NOWHERE}/${at}.txt` },
  GEOFEED: {
    header: 'name,url,countries',
    keyed: (at: number) => `feed ${at},http://${NOWHERE}/${at}.csv,"DE,AT"`,
  },
} as const;
const TYPES = Object.keys(ENTRIES) as (keyof typeof ENTRIES)[];

const modules = unique(
  fc.record({
    name,
    type: fc.constantFrom(...TYPES),
    purpose: fc.constantFrom('announce', 'exclude'),
    enabled: fc.boolean(),
    description: text,
    families,
    can_be_empty: fc.boolean(),
    refresh_interval_seconds: fc.constantFrom(null, 3_600),
    community: pick,
    rows: fc.uniqueArray(fc.tuple(fc.nat(70), text, fc.boolean()), { maxLength: 5, selector: ([at]) => at }),
  }),
  4,
);

const speakers = unique(
  fc.record({
    name,
    daemon: fc.constantFrom('bird', 'frr', 'gobgp', 'openbgpd', 'builtin'),
    local_asn: fc.integer({ min: 64_512, max: 65_534 }),
    router_id: fc.constantFrom(null, '192.0.2.200'),
    local_ipv4: fc.constantFrom(null, '192.0.2.201'),
    enabled: fc.boolean(),
  }),
  2,
);

const peers = unique(
  fc.record({
    name,
    hold_time: fc.constantFrom(0, 30, 90),
    passive: fc.boolean(),
    description: text,
    multihop: fc.constantFrom(null, 5),
    next_hop_ipv4: fc.constantFrom(null, '192.0.2.7'),
    max_prefixes_out: fc.constantFrom(null, 1_000),
    enabled: fc.boolean(),
    hasPassword: fc.boolean(),
    community: pick,
    speaker: pick,
  }),
);

const resolvers = unique(
  fc.record({
    name,
    method: fc.constantFrom('GET', 'POST'),
    bootstrap_addresses: fc.constantFrom([], ['127.0.0.1']),
    timeout_ms: fc.constantFrom(500, 5_000),
    enabled: fc.boolean(),
    hasKey: fc.boolean(),
  }),
  2,
);

const rules = unique(
  fc.record({
    name,
    action: fc.constantFrom('block', 'accept'),
    direction: fc.constantFrom('in', 'out', 'both'),
    cidrs: fc.constantFrom(['192.0.2.0/24'], ['2001:db8::/32', '198.51.100.0/24']),
    protocol: fc.constantFrom('tcp', 'udp'),
    ports: fc.constantFrom([], ['443'], ['53', '8000-8100']),
    priority: fc.nat(1_000),
    enabled: fc.boolean(),
    module: pick,
  }),
  2,
);

const webhooks = unique(
  fc.record({
    name,
    description: text,
    events: fc.constantFrom(['revision'], ['session', 'job']),
    format: fc.constantFrom('json', 'slack'),
  }),
  2,
);

const policies = unique(
  fc.record({
    name,
    maintenance: fc.constantFrom('revision_prune', 'job_prune'),
    schedule: fc.constantFrom(null, '0 3 * * *'),
    enabled: fc.boolean(),
    parameters: fc.constantFrom({}, { keep_last: 7 }, { keep_last: 7, older_than_days: 45 }),
  }),
  2,
);

export const generatedTenant: fc.Arbitrary<TenantFiles> = fc
  .record({
    communities: fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 3 }),
    ...{ modules, speakers, peers, resolvers, rules, webhooks, policies },
    feeds: fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/), { maxLength: 2 }),
    settings: fc.record({ guard_max_change_percent: fc.nat(100), own_key: fc.jsonValue({ maxDepth: 2 }) }),
  })
  .map((drawn) => {
    const communities = drawn.communities.map((value) => `64500:${value}`);
    const one = (of: readonly string[], index: number): string[] =>
      of.length === 0 ? [] : [of[index % of.length]!];
    const names = (of: readonly { readonly name: string }[]): string[] => of.map((item) => item.name);
    const fileOf = (index: number): string => `${index}.csv`;
    const documents = [
      ...communities.map((community) => ({ kind: 'community', community, title: `C ${community}` })),
      ...drawn.resolvers.map(({ hasKey, ...resolver }) => ({
        ...{ kind: 'doh', url: `https://${NOWHERE}/dns-query`, ...resolver },
        ...(hasKey ? { headers: { authorization: SECRET } } : {}),
      })),
      ...drawn.speakers.map((speaker) => ({ kind: 'speaker', mode: 'agent', ...speaker })),
      ...drawn.modules.map(({ rows: _, community, ...module }, index) => ({
        ...{ kind: 'module', ...module, entries: fileOf(index) },
        ...Object.fromEntries(one(communities, community).map((value) => ['community', value])),
        ...(module.type === 'DOMAINS' ? { doh_profiles: names(drawn.resolvers) } : {}),
      })),
      ...drawn.peers.map(({ community, speaker, hasPassword, ...peer }, index) => ({
        ...{ kind: 'peer', ...peer, address: `192.0.2.${index + 101}`, remote_asn: 64_496 },
        communities: one(communities, community),
        speakers: one(names(drawn.speakers), speaker),
        ...(hasPassword ? { password: SECRET } : {}),
      })),
      ...drawn.feeds.map((feed, index) => ({
        ...{ kind: 'feed', name: feed },
        modules: names(drawn.modules.slice(0, index + 1)),
      })),
      ...drawn.rules.map(({ module, ...rule }) => ({
        ...{ kind: 'rule', ...rule },
        modules: one(names(drawn.modules), module),
        communities,
      })),
      ...drawn.webhooks.map((webhook) => ({
        ...{ kind: 'webhook', ...webhook, url: `https://${NOWHERE}/in`, enabled: false },
      })),
      ...drawn.policies.map((policy) => ({ kind: 'policy', ...policy })),
      { kind: 'settings', ...drawn.settings },
    ];
    const entries = drawn.modules.map(({ type, rows }, index) => {
      const { header, keyed } = ENTRIES[type];
      // What would be asked outside is disabled.
      const lines = rows.map(([at, note, enabled]) =>
        [
          keyed(at, index),
          ...(header.includes('url') ? [] : [quoted(note)]),
          type === 'IP_RANGES' && enabled,
        ].join(','),
      );
      const columns = header.includes('url') ? `${header},enabled` : `${header},note,enabled`;
      return [fileOf(index), [columns, ...lines, ''].join('\n')] as const;
    });
    return { documents, entries: Object.fromEntries(entries) };
  });
