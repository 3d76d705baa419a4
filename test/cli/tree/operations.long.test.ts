/** That a command reaches every operation of the API, or that a reason stands here: whoever works at a terminal needs no curl. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../../src/http/server/route-table.ts';
import { serve, startCasting, type Casting } from '../../e2e/casting.ts';
import { wordsOf } from '../desk/golden-desk.ts';
import { quickTypist, type QuickTypist } from '../desk/quick-typist.ts';
import { recorder, type Recorder } from '../desk/recorder.ts';

/** Of machines, browsers and programs. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  getMetrics: 'Prometheus reads it',
  getHealth: 'a supervisor asks it',
  getReadiness: 'a load balancer asks it',
  getRootVersion: 'of the unversioned path, for programs that look for the service',
  getDescription: 'programs that make clients read it; docs/reference/api.md is the same for people',
  getCatalog: 'of programs that mirror all lists; list and export read what a person looks for',
  openSession: 'a browser signs in: a command sends its key with each request',
  endSession: 'a browser signs out',
  mapRevision: 'a picture, which the console draws',
  mapDifference: 'a picture, which the console draws',
  previewRevision: 'the page of a preview in the console; revision apply --dry-run says the same of an apply',
  applyToSpeaker: 'revision apply --speaker asks `apply`, which takes several speakers',
  listRuntimeLogCleanups: 'records of the audit log, which audit list shows',
  getFirewallInstallContext: 'the console shows an installer with it; firewall enroll needs no installer',
  // The other ends of what commands print tokens for.
  enrollNode: 'a node asks it: prefixcast agent enroll, test/agent/setup.test.ts',
  getLatestBundle: 'a node asks it: prefixcast agent run, test/agent/lifecycle.test.ts',
  pullBundle: 'a node asks it: prefixcast agent run, test/agent/lifecycle.test.ts',
  reportApplyStatus: 'a node asks it: prefixcast agent run, test/agent/lifecycle.test.ts',
  enrollFirewallClient: 'a host asks it: prefixcast firewall enroll, test/firewall/client.long.test.ts',
  getFirewallRuleset: 'a host asks it: prefixcast firewall run, test/firewall/client.long.test.ts',
  reportFirewallStatus: 'a host asks it: prefixcast firewall run, test/firewall/client.long.test.ts',
  // One entry is written as a list of one.
  ...Object.fromEntries(
    ['AsEntry', 'CdnSource', 'DomainEntry', 'GeofeedEntry', 'IpRangeEntry'].flatMap((kind) => [
      [`get${kind}`, 'entry list shows all that an entry has, with -o wide'],
      [`delete${kind}`, 'entry remove deletes a list of them, all or none'],
      [
        `change${kind.replace(/Entry$/, 'Entries').replace(/Source$/, 'Sources')}`,
        'entry import changes many, as a file says',
      ],
    ]),
  ),
  followEvents: 'events goes on until Ctrl-C: test/cli/tree/golden.long.test.ts',
  getWebhookDelivery: 'webhook deliveries lists all that a delivery has, with -o json',
};

/**
 * What is typed, in this order, and what it has to ask; `[1]` is the exit code, `<speaker builtin>` the id of what is called so. A line without an
 * operation is for those behind it.
 */
const TYPED: readonly (readonly [line: string, ...operations: string[]])[] = [
  ['whoami', 'getSession'],
  ['console', 'createSignInLink'],
  ...noun('community', '64500:666 --title Drop', '--title Dropped', 'Community', 'Communities'),
  ['community create 64500:666 --title Drop'],
  ['module create scanners --type IP_RANGES --community Drop --enabled no', 'createModule'],
  ['module edit scanners --enabled yes', 'changeModule'],
  ['module list', 'listModules'],
  ['module get <module scanners>', 'getModule'],
  ['entry add scanners 8.8.4.0/24 9.9.9.0/24', 'createIpRangeEntries'],
  ['entry list scanners', 'listIpRangeEntries'],
  ['entry edit scanners 8.8.4.0/24 --note seen', 'changeIpRangeEntry'],
  ['entry remove scanners 8.8.4.0/24', 'deleteIpRangeEntries'],
  ['entry removed scanners', 'listRemovedEntries'],
  ['entry restore scanners', 'restoreEntries'],
  ['entry export scanners', 'exportEntries'],
  ['entry import scanners {dir}/list.txt', 'importEntries'],
  ...entries('AS_PREFIXES', '64500', 'AsEntry', 'AsEntries'),
  ...entries('CDN_SOURCES', 'list', 'CdnSource', 'CdnSources', ' --url {sources}/list.txt'),
  ...entries('DOMAINS', 'example.com', 'DomainEntry', 'DomainEntries'),
  ...entries('GEOFEED', 'geo', 'GeofeedEntry', 'GeofeedEntries', ' --url {sources}/geo.csv --countries DE'),
  ['source try {sources}/list.txt', 'previewCdnSource'],
  ['source try {sources}/geo.csv --countries DE', 'previewGeofeed'],
  ['source presets', 'listSourcePresets'],
  ['source stale', 'listSources'],
  ['revision build --wait=built', 'buildRevision', 'getJob'],
  ['revision list', 'listRevisions'],
  ['revision show latest', 'getRevision'],
  ['revision prefixes latest', 'listRevisionPrefixes'],
  ['revision diff 1 latest', 'diffRevisions'],
  ['revision pin 1', 'changeRevision'],
  ['revision apply latest --wait', 'apply'],
  ['revision rollback 1 --dry-run', 'rollbackRevision'],
  ['revision prune --dry-run', 'estimateRevisionPrune'],
  ['revision prune', 'pruneRevisions'],
  ['module refresh scanners --wait=built', 'refreshModule'],
  ['module create mistake --type DOMAINS --enabled no'],
  ['module delete mistake', 'deleteModule', 'listRemovedModules'],
  ['module restore mistake', 'restoreModule'],
  ['plan -f {dir}/set [3]', 'planRevision'],
  ['apply -f {dir}/set', 'carryOutChanges'],
  ['why 9.9.9.9', 'lookup'],
  ['why 9.9.9.9 8.8.4.1', 'lookupMany'],
  ['history 9.9.9.9', 'readHistory'],
  ['holders 203.0.113.0/24', 'findHolders'],
  ['job list', 'listJobs'],
  ['job cancel [8]', 'cancelJob'],
  ['audit list --limit 3', 'listAuditRecords'],
  ['entry add scanners 9.9.8.0/24 --for 1h', 'getVersion'],
  ...noun('speaker', 'made --daemon bird --mode agent --asn 64500 --yes', '--label Made'),
  ['speaker create frankfurt --daemon bird --mode agent --asn 64500 --yes'],
  ['node enroll frankfurt', 'createEnrollmentToken'],
  ['router status', 'getRouterStatus'],
  ['router reload --wait', 'reloadRouter'],
  ...noun('peer', 'made --address 192.0.2.9 --asn 64497 --enabled no', '--asn 64498'),
  ...noun('doh', 'made --url https://127.0.0.1:1/dns-query', '--enabled no', 'DohProfile'),
  ['doh create ours --url https://127.0.0.1:1/dns-query'],
  ['doh test ours www.example.com [1]', 'testDohProfile'],
  ['key create made --role viewer', 'createApiKey'],
  ['key list', 'listApiKeys'],
  ['key get <key made>', 'getApiKey'],
  ['key edit made --expires 2099-01-31T12:00:00Z', 'changeApiKey'],
  ['key rotate made', 'rotateApiKey'],
  ['key delete made', 'revokeApiKey'],
  ['settings list', 'getSettings'],
  ['settings set guard_max_change_percent 40', 'changeSettings'],
  ['tenant create bare'],
  ['tenant create made --name Made', 'createTenant'],
  ['tenant list', 'listTenants'],
  ['tenant get <tenant made>', 'getTenant'],
  ['tenant edit made --name Changed', 'changeTenant'],
  ['tenant stop made', 'stopTenant'],
  ['tenant delete made --confirm made', 'deleteTenant'],
  ...noun(
    'policy',
    'made --kind job_prune --enabled no',
    '--schedule "0 4 * * *"',
    'MaintenancePolicy',
    'MaintenancePolicies',
  ),
  ['policy create old --kind job_prune --enabled no'],
  ['policy run old --dry-run', 'dryRunMaintenancePolicy'],
  ['policy run old --wait', 'runMaintenancePolicy'],
  ['policy runs old', 'listMaintenanceRuns'],
  ['database status', 'getPostgresMetrics'],
  ['database analyze audit_record --wait', 'maintainPostgres'],
  ...noun('feed', 'made --format text', '--enabled no'),
  ['feed create drop --format text'],
  ['feed preview drop', 'previewFeed'],
  ['feed rotate drop', 'rotateFeed'],
  ...noun('webhook', 'made --url {sources}/hook --events revision', '--events module'),
  ['webhook create chat --url {sources}/hook --events revision'],
  ['webhook test chat', 'testWebhook'],
  ['webhook deliveries chat', 'listWebhookDeliveries'],
  ['webhook resend chat $(webhook deliveries chat --limit 1 -o name)', 'resendWebhookDelivery'],
  ['webhook rotate chat', 'rotateWebhook'],
  ...noun('firewall rule', 'made --direction in --cidr 192.0.2.0/24', '--enabled no'),
  ['firewall client token --policy block', 'createFirewallEnrollmentToken'],
  ['firewall client list', 'listFirewallClients'],
  ['firewall client get <firewall client web>', 'getFirewallClient'],
  ['firewall client edit web --protected 192.0.2.0/24', 'changeFirewallClient'],
  ['firewall client delete web', 'deleteFirewallClient'],
  ['entry add scanners 0.0.0.0/0 [5]'],
  ['revision build --wait=built [5]'],
  ['module held scanners', 'diffHeldModule'],
  ['module release scanners --override default_route_forbidden --reason "no other way out"', 'releaseModule'],
  ['bundle keys', 'listSigningKeys'],
  ['bundle rotate-key', 'rotateSigningKey'],
  ['logs', 'listRuntimeLogs'],
  ['logs other.log', 'tailRuntimeLog'],
  ['logs --clean --dry-run', 'estimateRuntimeLogCleanup'],
  ['logs --clean', 'runRuntimeLogCleanup'],
  ['logs other.log --empty', 'cleanRuntimeLog'],
];

/** The five commands of a noun. @param made name and options of what is made */
function noun(
  words: string,
  made: string,
  edit: string,
  one = words
    .split(' ')
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join(''),
  many = `${one}s`,
): (readonly [string, ...string[]])[] {
  const [name] = made.split(' ');
  return [
    [`${words} create ${made}`, `create${one}`],
    [`${words} list`, `list${many}`],
    [`${words} get <${words} ${name!}>`, `get${one}`],
    [`${words} edit ${name!} ${edit}`, `change${one}`],
    [`${words} delete ${name!}`, `delete${one}`],
  ];
}

function entries(
  type: string,
  value: string,
  one: string,
  many: string,
  options = '',
): (readonly [string, ...string[]])[] {
  const name = type.toLowerCase();
  return [
    [`module create ${name} --type ${type} --enabled no`],
    [`entry add ${name} ${value}${options}`, `create${many}`],
    [`entry list ${name}`, `list${many}`],
    [`entry edit ${name} ${value} --enabled no`, `change${one}`],
    [`entry remove ${name} ${value}`, `delete${many}`],
  ];
}

let directory: string;
let casting: Casting;
let asked: Recorder;
let typist: QuickTypist;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'prefixcast-operations-'));
  mkdirSync(join(directory, 'logs'));
  mkdirSync(join(directory, 'set'));
  writeFileSync(join(directory, 'logs/other.log'), '{"level":30,"msg":"ready"}\n');
  writeFileSync(join(directory, 'list.txt'), '18.4.0.0/16\n');
  writeFileSync(
    join(directory, 'set/all.yaml'),
    'kind: set\nname: small\n---\nkind: feed\nname: small\nformat: text\n',
  );
  const table = join(directory, 'asn.tsv');
  writeFileSync(table, '8.8.8.0\t8.8.8.255\t15169\tUS\tGOOGLE\n');
  casting = await startCasting({
    APP_RUNTIME_LOGS_DIR: join(directory, 'logs'),
    ...{ APP_ASN_SOURCE: 'table', APP_ASN_SOURCE_URL: pathToFileURL(table).href },
  });
  const { service, sources } = casting;
  sources.set('/list.txt', serve('7.0.0.0/24\n'));
  sources.set('/geo.csv', serve('7.0.0.0/24,DE,,,\n'));
  sources.set('/hook', (_request, response) => response.writeHead(204).end());
  await service.call('PATCH', '/v1/settings', { auto_revision: false });
  const { token } = await service.post<{ token: string }>('/v1/firewall/enrollment-tokens', {});
  const enrolled = await fetch(`${service.url}/v1/firewall/clients/enroll`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ hostname: 'web', version: '1.0.0' }),
  });
  expect(enrolled.status).toBe(201);
  asked = await recorder(service.url);
  typist = quickTypist({ PREFIXCAST_URL: asked.url, PREFIXCAST_KEY: service.key });
});
afterAll(async () => {
  await typist?.close();
  await asked?.close();
  await casting?.close();
  await rm(directory, { recursive: true, force: true });
});

test('each operation is in one of the two lists', () => {
  const typed = TYPED.flatMap(([, ...operations]) => operations);
  const known = ROUTES.map(({ operation }) => operation);
  expect(known.filter((one) => !typed.includes(one) && !(one in ELSEWHERE))).toEqual([]);
  expect([...typed, ...Object.keys(ELSEWHERE)].filter((one) => !known.includes(one))).toEqual([]);
  expect(typed.filter((one) => one in ELSEWHERE)).toEqual([]);
});

describe('a command asks it', () => {
  test.each(TYPED)('prefixcast %s', async (line, ...operations) => {
    const [, words = '', exit = '0'] = /^(.*?)(?: \[(\d+)\])?$/.exec(line) ?? [];
    const typed = await placed(words);
    asked.take();
    const { code, out, err } = await typist.type(wordsOf(typed));
    expect(code, `${typed}\n${out}${err}`).toBe(Number(exit));
    expect(asked.take()).toEqual(expect.arrayContaining(operations));
  });
});

async function placed(line: string): Promise<string> {
  let text = line.replaceAll('{dir}', directory).replaceAll('{sources}', casting.sourceUrl);
  for (const [whole, inner, called] of text.matchAll(/\$\((.*)\)|<(.*)>/g)) {
    const [, words, name] = /^(.*) (\S+)$/.exec(called ?? '') ?? [];
    const { out } = await typist.type(wordsOf(inner ?? `${words!} get ${name!} -o json`));
    text = text.replace(whole, inner === undefined ? (JSON.parse(out) as { id: string }).id : out.trim());
  }
  return text;
}
