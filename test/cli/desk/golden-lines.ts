/**
 * What is typed for golden files: an operator's day, in which each command that answers comes up. The lines of a round are typed one after the other,
 * once for every format, of which `{}` has the name; `$(…)` is what that command prints, and `[5]` the exit code at the end, which is 0 otherwise. A command
 * has one golden file.
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
  'status [1]',
  ...['why 9.9.9.9 [1]', 'why 9.9.9.9 8.8.4.1 [1]', 'apply status', 'logs', 'logs other.log'],
  'holders 8.8.8.0/23 203.0.113.0/24',
  ...['history 8.8.4.0/24', 'history 203.0.113.7', 'feed preview drop', 'policy run old-audit --dry-run'],
  ...['job list --type revision_build --limit 2', 'audit list --limit 3', 'entry export scanners', 'schema'],
  ...['completion bash', 'completion zsh', 'completion fish', 'completion words -- module ed'],
  ...['keys generate', 'bundle show {dir}/bundle.tar', 'bundle prefixes {dir}/bundle.tar'],
  'bundle verify {dir}/bundle.tar --keys {dir}/trust.json',
  ...[
    'aggregate {dir}/list.txt',
    'diff {dir}/list.txt {dir}/other.txt [1]',
    'contains {dir}/list.txt 192.0.2.7',
  ],
];

/** Writes to what has a name, with what has to be there for them. */
export const NAMED: readonly string[] = [
  ...['settings set guard_max_change_percent 40', 'settings unset guard_max_change_percent'],
  ...['community create 64501:1 --title Made', 'community edit 64501:1 --title Changed'],
  'community delete 64501:1',
  'speaker create made-{} --daemon bird --mode agent --asn 64500 --yes',
  ...['speaker edit made-{} --label Made', 'node enroll made-{}', 'speaker delete made-{}'],
  'peer create made-{} --address 192.0.2.9 --asn 64497 --enabled no',
  ...['peer edit made-{} --asn 64498', 'session connect made-{} [8]', 'peer delete made-{}'],
  'doh create made-{} --url https://dns.example.net/dns-query',
  ...['doh edit made-{} --url https://doh.example.net/dns-query', 'doh delete made-{}'],
  ...['key create made-{} --role viewer', 'key edit made-{} --expires 2099-01-31T12:00:00Z'],
  ...['key rotate made-{} --grace 60', 'key delete made-{}'],
  ...['tenant create made-{} --name Made', 'tenant edit made-{} --name Changed'],
  ...['tenant suspend made-{}', 'tenant activate made-{}', 'tenant stop made-{}'],
  'tenant delete made-{} --confirm made-{}',
  'policy create made-{} --kind audit_prune --enabled no',
  ...['policy edit made-{} --schedule "0 4 * * *"', 'policy run made-{} --wait', 'policy runs made-{}'],
  'policy delete made-{}',
  ...['bundle rotate-key --announce 1', 'console', 'router reload --wait'],
  ...['vacuum', 'analyze', 'reindex'].map((operation) => `database ${operation} audit_record --wait`),
  ...['feed create made-{} --format text', 'feed edit made-{} --enabled no', 'feed rotate made-{}'],
  'feed delete made-{}',
  'webhook create made-{} --url {sources}/hook --events revision',
  ...['webhook edit made-{} --events revision,module', 'webhook rotate made-{}', 'webhook delete made-{}'],
  // Of its own, since a deleted one says whether something has been delivered meanwhile.
  'webhook test $(webhook create tried-{} --url {sources}/hook --events revision -o name)',
  'webhook resend tried-{} $(webhook deliveries tried-{} --limit 1 -o name)',
  'firewall rule create made-{} --direction in --cidr 192.0.2.0/24',
  ...['firewall rule edit made-{} --enabled no', 'firewall rule delete made-{}'],
  'firewall client token --policy block',
  ...['firewall client edit web-{} --protected 192.0.2.0/24', 'firewall client delete web-{}'],
  ...['login {service} --context kept-{}', 'context add {service} --context made-{}'],
  ...['context use kept-{}', 'context remove made-{}', 'logout kept-{}'],
];

/** A list that is made, changed, held, taken back and deleted, with the revisions and jobs that follow. */
export const ANNOUNCED: readonly string[] = [
  'module create made-{} --type IP_RANGES --community Drop --dry-run',
  'module create made-{} --type IP_RANGES --community Drop',
  ...['module edit made-{} --description changed', 'entry add made-{} 5.1.0.0/24 5.2.0.0/24'],
  ...['entry edit made-{} 5.1.0.0/24 --note changed', 'entry remove made-{} 5.2.0.0/24'],
  ...['entry restore made-{}', 'entry import made-{} {dir}/public.txt --replace'],
  ...['revision build --wait', 'revision pin latest', 'revision unpin latest'],
  ...['revision apply latest --wait', 'apply watch', 'apply cancel [8]', 'apply retry --wait'],
  ...['module refresh made-{} --wait', 'job watch', 'job cancel [8]', 'revision prune --wait'],
  ...['freeze', 'revision apply latest --wait [5]', 'unfreeze'],
  ...['entry add made-{} 0.0.0.0/0 [5]', 'revision build --wait [5]', 'module held made-{}'],
  'module release made-{} --override default_route_forbidden --reason "we have no other way out" --wait',
  ...[
    'revision rollback 1 --wait',
    'module release scanners --override rolled_back --reason "seen again" --wait',
  ],
  ...['module delete made-{}', 'module restore made-{}', 'module delete made-{}'],
  ...['plan -f {dir}/small-{} [3]', 'apply files -f {dir}/small-{}', 'plan -f {dir}/small-{}'],
  ...['import -f {dir}/small-{}', 'export -f {dir}/exported-{}'],
];

/** What says how something of this machine is, where there is none of it. */
export const ABSENT: readonly string[] = [
  'agent status --data-dir {dir}/none [1]',
  'firewall status --data-dir {dir}/none [1]',
];
