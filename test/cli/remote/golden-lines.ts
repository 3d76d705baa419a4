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
