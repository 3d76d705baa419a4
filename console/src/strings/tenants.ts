import { count, formatNumber } from './format.ts';

/** Of the page about tenants, which whoever runs the service has. */
export const tenantsText = {
  title: 'Tenants',
  create: 'New tenant',
  name: 'Name',
  slug: 'Short name',
  slugHint: 'Lower-case letters, digits and hyphens. It cannot be changed.',
  status: 'State',
  statusHint:
    'Suspended: its keys are refused and its jobs wait, and its speakers go on announcing its routes. “Stop”, in its row, withdraws them.',
  stoppedHint: 'Active: it announces again what it announced before it was stopped.',
  statuses: { active: 'active', suspended: 'suspended', stopped: 'stopped' } as Readonly<
    Record<string, string>
  >,
  modules: 'Modules',
  entries: 'Entries',
  speakers: 'Speakers',
  peers: 'Peers',
  stop: 'Stop',
  stopTitle: (name: string) => `Stop ${name}`,
  stopWhat: ({
    speakers,
    peers,
    modules,
    entries,
  }: Readonly<Record<'speakers' | 'peers' | 'modules' | 'entries', number>>) =>
    `All sessions of its ${count(speakers, 'speaker')} with ${count(peers, 'peer')} end at once, and routers lose every route of its ${count(modules, 'module')} with ${count(entries, 'entry', 'entries')}. Its keys are refused, and its jobs wait.`,
  ends: (sessions: number, routes: number) =>
    `${count(sessions, 'session ends', 'sessions end')}, and ${count(routes, 'route')}${sessions === 1 ? '' : ' each'} with ${sessions === 1 ? 'it' : 'them'}.`,
  loses: (sessions: number, routes: number) =>
    `${count(sessions, 'session goes on, and loses', 'sessions go on, and lose')} ${count(routes, 'route')}${sessions === 1 ? '' : ' each'}.`,
  noneLoses: 'No router of it loses a route.',
  limitsBack:
    'To take it back, write in the same form what was there: what is held for a limit follows then.',
  noneEnds: 'It has no session that would end.',
  stopBack:
    'Nothing is deleted: “Start”, in its row here, starts it again, and it announces what it announced before.',
  start: 'Start',
  startTitle: (name: string) => `Start ${name}`,
  startWhat: {
    stopped: 'Its keys work again, and its speakers announce what they announced before.',
    suspended:
      'Its keys work again, and its jobs go on. Its speakers have announced its routes all the time.',
  },
  startBack: 'To take it back, “Stop”, in its row, stops it, and its form suspends it.',
  suspends: (name: string) =>
    `The keys of ${name} are refused within a second, and its jobs wait. Routers keep its routes, as they are: nothing of its lists is followed. “Start”, in its row, ends it.`,
  started: (name: string) => `${name} is active.`,
  stopped: (name: string) => `${name} is stopped.`,
  shown: 'shown here',
  signIn:
    'To see a tenant, choose “Another tenant” and sign in with a key of it: each tab shows the one that is chosen in it.',
  ofQuota: (used: number, quota: number) => `${formatNumber(used)} of ${formatNumber(quota)}`,
  beginsClosed:
    'It may announce nothing before its limits are set: after its first key, the window for them opens.',
  firstKey: (name: string) => `the first key of ${name}`,
  limits: 'Limits',
  limitsTitle: (name: string) => `Policy and quotas of ${name}`,
  policy: 'What it may announce, and where',
  policyWhat:
    'An empty list allows nothing. What a tighter policy no longer allows is withdrawn within a second; the modules that it comes from are held.',
  everything: (what: string) => `${what}: everything`,
  policies: {
    allowed_prefixes: 'Prefixes',
    allowed_communities: 'Communities',
    allowed_local_asns: 'AS numbers of its speakers',
    allowed_peer_networks: 'Networks of its peers',
    allowed_source_addresses: 'Source addresses of its sessions',
    may_loosen_guards: 'Its operators may loosen guardrails',
  },
  policyHints: {
    allowed_prefixes: 'One a line, such as 198.51.100.0/24, each with everything that it covers.',
    allowed_communities: 'One a line; 65010:* stands for any number in the last place.',
    allowed_local_asns: 'One a line.',
    allowed_peer_networks: 'One a line, such as 203.0.113.0/28.',
    allowed_source_addresses: 'Addresses or networks, one a line. What the system chooses is always allowed.',
  },
  quotasTitle: 'How many it may have',
  quotas: {
    modules: 'Modules',
    entries: 'Entries of all modules together',
    communities: 'Communities',
    speakers: 'Speakers',
    peers: 'Peers',
    sessions: 'Sessions on this machine',
    api_keys: 'API keys that work',
    jobs_queued: 'Jobs that wait',
    firewall_clients: 'Firewall clients',
    firewall_rules: 'Firewall rules',
    feeds: 'Feeds',
    webhooks: 'Webhooks',
    doh_profiles: 'DoH profiles',
    enrollment_tokens: 'Enrollment tokens that can be used',
  } as Readonly<Record<string, string>>,
  changes: 'Changes',
  review: (changes: number) => `Review ${count(changes, 'change')}`,
  reviewWhat: 'This changes at once:',
  outdatedWhat: 'What is there now has been read again. Look at it, then save once more.',
  back: 'Back',
  allowsAll: 'everything',
  allowsNothing: 'nothing',
} as const;
