/**
 * What is typed for golden files: an operator's day, in which each command that answers comes up. The lines of a round are typed one after the other,
 * once for every format, of which `{}` has the name; `$(…)` is what that command prints. A command has one golden file.
 */

/** A day in which what others list and change comes to be. */
export const STORY = [
  'community create 64500:666 --title Drop --color #aa0000',
  'community create 64500:80 --title "Web, clouds"',
  'module create scanners --type IP_RANGES --community Drop --description "seen by us"',
  'module create names --type DOMAINS --enabled no',
  'entry add scanners 8.8.4.0/24 9.9.9.0/24 2620:fe::/48 --note "seen in March"',
  'revision build --wait',
  'entry remove scanners 8.8.4.0/24 --wait',
  'revision pin 1',
  'speaker edit builtin --label Main',
  'speaker create frankfurt --daemon bird --mode agent --asn 64500',
  'peer create edge1 --address 192.0.2.1 --asn 64496 --community Drop --enabled no',
  'doh create quad9 --url https://dns.quad9.net/dns-query',
  'key create ci --role operator',
  'tenant create customer-a --name "Customer A" --quotas {"modules":3}',
  'firewall rule create no-scanners --direction in --module scanners',
  'feed create drop --format nft --community Drop --max-prefixes 1000',
  'webhook create chat --url https://example.net/in --events revision,module --enabled no',
  'policy create old-audit --kind audit_prune --enabled no',
  'module create mistake --type AS_PREFIXES --enabled no',
  'module delete mistake',
];

/** Reads, each by itself. */
export const LISTED: readonly string[] = [
  ...['module list', 'module get scanners', 'community list', 'community get Drop', 'entry list scanners'],
  ...['speaker list', 'speaker get frankfurt', 'peer list', 'doh list', 'key list', 'tenant list'],
  ...['firewall rule list', 'policy list', 'feed list', 'webhook list'],
  ...['module list --deleted', 'entry removed scanners'],
  ...['revision list', 'revision show 1', 'revision prefixes latest', 'revision diff 1 latest'],
  ...['peer get edge1', 'doh get quad9', 'key get ci', 'tenant get customer-a', 'feed get drop'],
  ...['firewall rule get no-scanners', 'policy get old-audit', 'webhook get chat'],
  ...['firewall client list', 'firewall client get web-table', 'bundle keys'],
  ...['webhook deliveries chat', 'source presets', 'source stale', 'source try {sources}/list.txt'],
  ...['settings list', 'settings get guard_max_change_percent', 'session list', 'context list', 'whoami'],
  ...['why 9.9.9.9', 'why 9.9.9.9 8.8.4.1', 'apply status', 'logs', 'logs other.log'],
  ...['job list --type revision_build --limit 2', 'audit list --limit 3', 'entry export scanners', 'schema'],
  ...['completion bash', 'completion zsh', 'completion fish', 'completion words -- module ed'],
  ...['keys generate', 'bundle show {dir}/bundle.tar', 'bundle prefixes {dir}/bundle.tar'],
  'bundle verify {dir}/bundle.tar --keys {dir}/trust.json',
  ...['aggregate {dir}/list.txt', 'diff {dir}/list.txt {dir}/other.txt', 'contains {dir}/list.txt 192.0.2.7'],
];

/** Writes to what has a name, with what has to be there for them. */
export const NOUNS: readonly (readonly string[])[] = [
  [
    'settings set guard_max_change_percent 40',
    'settings unset guard_max_change_percent',
    'community create 64501:1 --title Made',
    'community edit 64501:1 --title Changed',
    'community delete 64501:1',
    'speaker create made-{} --daemon bird --mode agent --asn 64500 --yes',
    'speaker edit made-{} --label Made',
    'node enroll made-{}',
    'speaker delete made-{}',
    'peer create made-{} --address 192.0.2.9 --asn 64497 --enabled no',
    'peer edit made-{} --asn 64498',
    'peer delete made-{}',
    'doh create made-{} --url https://dns.example.net/dns-query',
    'doh edit made-{} --url https://doh.example.net/dns-query',
    'doh delete made-{}',
    'key create made-{} --role viewer',
    'key edit made-{} --expires 2099-01-31T12:00:00Z',
    'key delete made-{}',
  ],
  [
    'tenant create made-{} --name Made',
    'tenant edit made-{} --name Changed',
    'tenant suspend made-{}',
    'tenant activate made-{}',
    'tenant stop made-{}',
    'tenant delete made-{} --confirm made-{}',
    'policy create made-{} --kind audit_prune --enabled no',
    'policy edit made-{} --description changed',
    'policy delete made-{}',
    'feed create made-{} --format text',
    'feed edit made-{} --enabled no',
    'feed delete made-{}',
    'webhook create made-{} --url {sources}/hook --events revision',
    'webhook edit made-{} --events revision,module',
    'webhook test made-{}',
    'webhook resend made-{} $(webhook deliveries made-{} --limit 1 -o name)',
    'webhook delete made-{}',
    'firewall rule create made-{} --direction in --cidrs 192.0.2.0/24',
    'firewall rule edit made-{} --enabled no',
    'firewall rule delete made-{}',
    'firewall client edit web-{} --protected 192.0.2.0/24',
    'firewall client delete web-{}',
  ],
];

/** Commands that go on until somebody stops them, or need a machine of their own: the tests that see what they print. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  start: 'test/start.test.ts',
  events: 'test/cli/remote/golden.test.ts',
  'session watch': 'test/cli/remote/pane.test.ts',
  listen: 'test/cli/listen.test.ts',
  doctor: 'test/doctor/doctor.test.ts',
  backup: 'test/backup/drill.test.ts',
  verify: 'test/backup/drill.test.ts',
  restore: 'test/backup/drill.test.ts',
  'migrate-database': 'test/backup/migrate-database.test.ts',
  'firewall run': 'test/firewall/client.test.ts',
  'firewall enroll': 'test/firewall/client.test.ts',
  'firewall restore': 'test/firewall/client.test.ts',
  'firewall status': 'test/firewall/client.test.ts',
  'firewall remove': 'test/firewall/client.test.ts',
  'agent run': 'test/agent/lifecycle.test.ts',
  'agent enroll': 'test/agent/setup.test.ts',
  'agent status': 'test/agent/lifecycle.test.ts',
};

/**
 * Writes of which the answer depends on when somebody looks: a job is queued or runs, a guardrail holds. What they print is in the tests of each; all of
 * them print by `printAnswer`.
 */
export const ANSWERED: ReadonlySet<string> = new Set([
  ...['module restore', 'module refresh', 'module release', 'module held'],
  ...['module create', 'module edit', 'module delete'],
  ...['entry add', 'entry edit', 'entry remove', 'entry restore', 'entry import'],
  ...[
    'revision build',
    'revision apply',
    'revision rollback',
    'revision pin',
    'revision unpin',
    'revision prune',
  ],
  ...['apply files', 'apply watch', 'apply cancel', 'apply retry', 'job watch', 'job cancel'],
  ...['freeze', 'unfreeze', 'plan', 'export', 'import'],
  ...['login', 'logout', 'context use', 'context add', 'context remove'],
]);
