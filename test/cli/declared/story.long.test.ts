/** A directory of files and a tenant, over a day: what is added, changed, changed back, taken out and pruned. */
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCasting, type Casting } from '../../e2e/casting.ts';
import { terminal, type Screen } from '../desk/terminal.ts';
import { typist, type Typed } from '../desk/typing.ts';

let casting: Casting;
let type: (...words: string[]) => Promise<Typed>;
let typeAtTerminal: (answer: string, ...words: string[]) => Promise<Screen>;
const root = mkdtempSync(join(tmpdir(), 'prefixcast-declared-'));
const lists = join(root, 'lists');

beforeAll(async () => {
  casting = await startCasting();
  const env = { PREFIXCAST_URL: casting.service.url, PREFIXCAST_KEY: casting.service.key };
  type = typist({ ...env, EDGE1_PASSWORD: 'hunter2-secret' });
  typeAtTerminal = terminal({ ...env, EDGE1_PASSWORD: 'hunter2-secret' });
});
afterAll(async () => {
  await casting?.close();
  rmSync(root, { recursive: true });
});

function write(files: Record<string, string | null>, directory = lists): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    if (text === null) rmSync(path);
    else writeFileSync(path, text);
  }
}

const plan = (...more: string[]): Promise<Typed> => type('plan', '-f', lists, ...more);
const apply = (...more: string[]): Promise<Typed> => type('apply', '-f', lists, ...more);

async function must(code: number, typed: Promise<Typed>): Promise<string> {
  const { out, err, ...rest } = await typed;
  expect(rest.code, `${out}${err}`).toBe(code);
  return out;
}

async function itemsOf(path: string): Promise<Record<string, unknown>[]> {
  const { items } = await casting.service.call<{ items: Record<string, unknown>[] }>('GET', path);
  return items;
}

const SCANNERS = `kind: module
name: scanners
type: IP_RANGES
community: 64500:666
entries: scanners.csv
`;

test('the first plan shows everything, needs no secret and changes nothing; apply does it at once', async () => {
  write({
    'prefixcast.yaml': 'kind: set\nname: edge\n',
    'communities.yaml':
      'kind: community\ncommunity: 64500:666\ntitle: Drop\n---\nkind: community\ncommunity: 64500:80\ntitle: Web\n',
    'modules/scanners.yaml': SCANNERS,
    'modules/scanners.csv': 'cidr,note\n9.9.9.0/24,seen in March\n2620:fe::/48,\n',
    'speakers/far.yaml':
      'kind: speaker\nname: far\ndaemon: bird\nmode: agent\nlocal_asn: 64500\npolicies_json:\n  peers:\n    edge1: { local_asn: 64501 }\n',
    'peers/edge1.yaml':
      'kind: peer\nname: edge1\naddress: 192.0.2.1\nremote_asn: 64496\nspeakers: [far]\ncommunities: [64500:666]\npassword: ${EDGE1_PASSWORD}\n',
    'feed.yaml': 'kind: feed\nname: drop\nmodules: [scanners]\n',
    'settings.yaml': 'kind: settings\nguard_max_change_percent: 20\ndefault_community: 64500:80\n',
  });
  const shown = await must(3, plan());
  expect(shown).toContain('Routes: 2 announced, 0 withdrawn, 0 changed');
  expect(shown).toContain('64500:666: 2 announced, 0 withdrawn');
  expect(shown).toContain('6 to create, 1 to change, 0 to delete');
  expect(await itemsOf('/v1/modules')).toEqual([]);
  const applied = await apply();
  expect(applied, applied.err).toMatchObject({ code: 0 });
  expect(applied.out + applied.err).not.toContain('hunter2');
  expect(applied.err).toMatch(/feed drop: \S+ is shown this once/);
  expect(await must(0, plan())).toBe('Nothing to change\n');
  expect(await must(0, apply())).toBe('Nothing to change\n');
  const [peer] = await itemsOf('/v1/peers');
  expect(peer).toMatchObject({ has_password: true, name: 'edge1' });
  const [module] = await itemsOf('/v1/modules');
  expect(module).toMatchObject({ entry_count: 2 });
});

test('an edit is shown with its routes, and its revert puts everything back', async () => {
  const revision = await type('revision', 'build', '--wait=built');
  expect(revision.code, revision.err).toBe(0);
  write({
    'modules/scanners.yaml': `${SCANNERS}description: seen by us\nenabled: true\n`,
    'modules/scanners.csv': 'cidr,note\n9.9.9.9,one address\n2620:fe::/48,\n',
  });
  const shown = await must(3, plan());
  expect(shown).toContain('    description: null -> seen by us');
  expect(shown).toContain('entries: 1 created, 0 updated, 1 deleted');
  expect(shown).toContain('      + 9.9.9.9/32\n      - 9.9.9.0/24');
  expect(shown).toContain('Routes: 1 announced, 1 withdrawn, 0 changed');
  await must(0, apply());
  expect(await must(0, plan())).toBe('Nothing to change\n');
  write({
    'modules/scanners.yaml': SCANNERS,
    'modules/scanners.csv': 'cidr,note\n9.9.9.0/24,seen in March\n2620:fe::/48,\n',
  });
  expect(await must(3, plan())).toContain('description: seen by us -> null');
  await must(0, apply());
  expect((await itemsOf('/v1/modules'))[0]).toMatchObject({ description: null });
});

test('what somebody changes by hand is shown as that, and put back', async () => {
  await must(0, type('peer', 'edit', 'edge1', '--enabled', 'no'));
  const shown = await must(3, plan());
  expect(shown).toContain('peer edge1');
  expect(shown).toContain('changed by hand');
  expect(shown).toContain('enabled: false -> true');
  await must(0, apply());
  expect((await itemsOf('/v1/peers'))[0]).toMatchObject({ enabled: true });
});

test('what somebody has added for a while is named before files take it away', async () => {
  await must(0, type('entry', 'add', 'scanners', '8.8.8.8/32', '--for', '1h'));
  const shown = await must(3, plan());
  expect(shown).toMatch(/^ {6}- 8\.8\.8\.8\/32 {2}added for a while, until 2\d{3}-\S+Z$/m);
  expect(JSON.parse(await must(3, plan('-o', 'json')))).toMatchObject({
    changes: [{ entries: { deleted: 1, ending: { '8.8.8.8/32': expect.any(String) as string } } }],
  });
  expect(await must(0, apply())).toContain('added for a while');
  expect(await must(0, type('entry', 'export', 'scanners'))).not.toContain('8.8.8.8/32');
});

test('entries that somebody changes by hand are shown as that, and put back', async () => {
  await must(0, type('entry', 'add', 'scanners', '8.8.8.0/24'));
  await must(0, type('entry', 'remove', 'scanners', '9.9.9.0/24'));
  const shown = await must(3, plan());
  expect(shown).toMatch(
    /entries: 1 created, 0 updated, 1 deleted {2}.*scanners\.csv, changed by hand since they were applied/,
  );
  expect(shown).toContain('      + 9.9.9.0/24\n      - 8.8.8.0/24');
  expect(JSON.parse(await must(3, plan('-o', 'json')))).toMatchObject({
    changes: [{ name: 'scanners', changed_by_hand: false, entries: { changed_by_hand: true } }],
  });
  await must(0, apply());
  const csv = await must(0, type('entry', 'export', 'scanners'));
  expect(csv).toContain('9.9.9.0/24,seen in March,true,,');
  expect(csv).not.toContain('8.8.8.0/24');
  // What the files themselves change is nobody's hand.
  write({ 'modules/scanners.csv': 'cidr,note\n9.9.9.0/24,seen in May\n2620:fe::/48,\n' });
  const edited = await must(3, plan());
  expect(edited).toContain('entries: 0 created, 1 updated, 0 deleted');
  expect(edited).toContain('      ~ 9.9.9.0/24  note: seen in March -> seen in May\n');
  const note = { name: 'note', before: 'seen in March', after: 'seen in May' };
  expect(JSON.parse(await must(3, plan('-o', 'json')))).toMatchObject({
    changes: [{ entries: { changed: [{ key: '9.9.9.0/24', members: [note] }] } }],
  });
  expect(edited).not.toContain('by hand');
  write({ 'modules/scanners.csv': 'cidr,note\n9.9.9.0/24,seen in March\n2620:fe::/48,\n' });
  expect(await must(0, plan())).toBe('Nothing to change\n');
});

test('routes are counted for each community, however many there are, and what is too much to try says so', async () => {
  const many = Array.from({ length: 150 }, (_, at) => `11.${at}.0.0/24\n`).join('');
  const more = join(root, 'more');
  write(
    {
      'all.yaml': 'kind: module\nname: many\ntype: IP_RANGES\ncommunity: 64500:666\nentries: many.csv\n',
      'many.csv': `cidr\n${many}`,
    },
    more,
  );
  const shown = await must(3, type('plan', '-f', more));
  expect(shown).toContain('64500:666: 150 announced, 0 withdrawn\n');
  expect(shown).toContain('… and 50 more\n');
  const communities = Array.from(
    { length: 1_001 },
    (_, at) => `kind: community\ncommunity: 64501:${at}\ntitle: C\n`,
  );
  write({ 'all.yaml': communities.join('---\n'), 'many.csv': null }, more);
  const untried = await must(3, type('plan', '-f', more));
  expect(untried).toContain('Routes: not known, since 1001 writes are more than the service tries at once');
});

test('a plan that is kept is applied as it is, or not at all', async () => {
  const file = join(root, 'plan.json');
  write({
    'webhook.yaml':
      'kind: webhook\nname: chat\nurl: https://example.net/in\nevents: [revision]\nenabled: false\n',
  });
  await must(3, plan('--out', file));
  expect(readFileSync(file, 'utf8')).not.toContain('hunter2');
  await must(0, type('peer', 'edit', 'edge1', '--description', 'by hand'));
  expect(await apply('--plan', file)).toMatchObject({
    code: 8,
    err: expect.stringContaining('The base has moved') as string,
  });
  expect(await itemsOf('/v1/webhooks')).toEqual([]);
  await must(3, plan('--out', file));
  await must(0, apply('--plan', file));
  expect(await itemsOf('/v1/webhooks')).toHaveLength(1);
});

test('a plan that prunes is applied by the line that it prints, and by no other option', async () => {
  const file = join(root, 'prune.json');
  write({ 'partner.yaml': 'kind: module\nname: partner\ntype: IP_RANGES\n' });
  await must(0, apply());
  write({ 'partner.yaml': null });
  const planned = await plan('--prune', '--out', file);
  expect(planned.out).toContain('0 to create, 0 to change, 1 to delete');
  const [, line] =
    /^Apply this and nothing else: prefixcast (apply -f \S+ --plan \S+)$/m.exec(planned.err) ?? [];
  expect(line, planned.err).toBeDefined();
  expect(await apply('--plan', file, '--take-over')).toMatchObject({
    code: 2,
    err: expect.stringContaining(`${file} is a plan without --take-over`) as string,
  });
  expect(await must(0, type(...line!.split(' ')))).toContain('0 created, 0 changed, 1 deleted');
  expect((await itemsOf('/v1/modules')).map(({ name }) => name)).not.toContain('partner');
  // One that was made without is none with it.
  await must(0, plan('--out', file));
  expect(await apply('--plan', file, '--prune')).toMatchObject({ code: 2 });
});

test('a plan that is kept is refused where the routes of its changes would be others, and not for what is beside them', async () => {
  const file = join(root, 'routes.json');
  const csv = readFileSync(join(lists, 'modules/scanners.csv'), 'utf8');
  await must(0, type('module', 'create', 'mirror', '--type', 'IP_RANGES', '--community', '64500:666'));
  await must(0, type('entry', 'add', 'mirror', '9.9.9.0/24', '--wait=built'));
  write({ 'modules/scanners.csv': csv.replace(/^9\.9\.9\.0\/24.*\n/m, '') });
  expect(await must(3, plan('--out', file))).toContain('Routes: 0 announced, 0 withdrawn, 0 changed');
  await must(0, type('entry', 'remove', 'mirror', '9.9.9.0/24', '--wait=built'));
  expect(await apply('--plan', file)).toMatchObject({
    code: 8,
    err: expect.stringContaining('an apply would do something else now, so nothing was changed') as string,
  });
  expect(await must(3, plan('--out', file))).toContain('Routes: 0 announced, 1 withdrawn, 0 changed');
  await must(0, type('entry', 'add', 'mirror', '8.8.4.0/24', '--wait=built'));
  await must(0, apply('--plan', file));
  write({ 'modules/scanners.csv': csv });
  await must(0, apply());
  await must(0, type('module', 'delete', 'mirror', '--yes', '--wait=built'));
});

test('an object is renamed, not deleted and created', async () => {
  const [before] = await itemsOf('/v1/peers');
  write({
    'peers/edge1.yaml': null,
    'peers/edge2.yaml':
      'kind: peer\nname: edge2\nrenamed_from: edge1\naddress: 192.0.2.1\nremote_asn: 64496\nspeakers: [far]\ncommunities: [64500:666]\npassword: ${EDGE1_PASSWORD}\n',
    'speakers/far.yaml':
      'kind: speaker\nname: far\ndaemon: bird\nmode: agent\nlocal_asn: 64500\npolicies_json:\n  peers:\n    edge2: { local_asn: 64501 }\n',
  });
  expect(await must(3, plan())).toContain('~ peer edge2 (was edge1)');
  await must(0, apply());
  const peers = await itemsOf('/v1/peers');
  expect(peers.map(({ id, name }) => [id, name])).toEqual([[before!.id, 'edge2']]);
  expect(await must(0, plan())).toBe('Nothing to change\n');
});

test('nothing is deleted but by --prune, and then only what the set owns', async () => {
  await must(
    0,
    type('peer', 'create', 'mine', '--address', '192.0.2.9', '--asn', '64497', '--enabled', 'no'),
  );
  write({ 'peers/edge2.yaml': null, 'webhook.yaml': null, 'feed.yaml': null, 'speakers/far.yaml': null });
  const kept = await must(0, plan());
  expect(kept).toContain('4 no longer in the files, and stay');
  await must(0, apply());
  expect(await itemsOf('/v1/peers')).toHaveLength(2);
  const pruned = await must(3, plan('--prune'));
  expect(pruned).toContain('0 to create, 0 to change, 4 to delete');
  expect(pruned).not.toContain('peer mine');
  const asked = await typeAtTerminal('n', 'apply', '-f', lists, '--prune');
  expect(asked.text).toContain('Apply this, and delete 4 objects? (y/N)');
  expect(asked.code).toBe(1);
  expect(await itemsOf('/v1/peers')).toHaveLength(2);
  await must(0, apply('--prune'));
  expect((await itemsOf('/v1/peers')).map(({ name }) => name)).toEqual(['mine']);
  expect(await itemsOf('/v1/webhooks')).toEqual([]);
  expect(await must(0, plan('--prune'))).toBe('Nothing to change\n');
});

test('modules that are pruned come back by the line that says so', async () => {
  const files = (...names: string[]): Record<string, string> =>
    Object.fromEntries(
      names.map((name) => [`modules/${name}.yaml`, `kind: module\nname: ${name}\ntype: IP_RANGES\n`]),
    );
  const gone = (...names: string[]): Record<string, null> =>
    Object.fromEntries(names.map((name) => [`modules/${name}.yaml`, null]));
  const several = ['some1', 'some2', 'some3', 'some4'];
  write(files('gone', ...several));
  await must(0, apply());
  write(gone('gone'));
  // Whoever is asked and says yes has it done.
  const { code, text: err } = await typeAtTerminal('y', 'apply', '-f', lists, '--prune');
  expect(err).toContain('Apply this, and delete 1 object? (y/N)');
  expect(code, err).toBe(0);
  const [, line] = /^Take it back: prefixcast (module restore gone)\r?$/m.exec(err) ?? [];
  expect(await must(0, type(...line!.split(' ')))).toBe('module gone restored: 0 entries\n');
  await must(0, type('module', 'delete', 'gone'));
  write(gone(...several));
  expect((await apply('--prune')).err).toContain(
    'Take one of 4 modules back: prefixcast module restore NAME; prefixcast module list --deleted has them',
  );
});

test('what another set owns is refused until it is taken over', async () => {
  const other = join(root, 'other');
  write(
    {
      'set.yaml': 'kind: set\nname: other\n',
      'web.yaml': 'kind: community\ncommunity: 64500:80\ntitle: Web and mail\n',
    },
    other,
  );
  const refused = await type('apply', '-f', other);
  expect(refused).toMatchObject({ code: 8 });
  expect(refused.err).toMatch(/web\.yaml:1: the community 64500:80 belongs to the set edge/);
  await must(0, type('apply', '-f', other, '--take-over'));
  expect(await plan()).toMatchObject({ code: 8 });
  write({ 'communities.yaml': 'kind: community\ncommunity: 64500:666\ntitle: Drop\n' });
  expect(await must(0, plan('--prune'))).toBe('Nothing to change\n');
});

test('an export is an empty plan, its own import elsewhere too, and an export of that is the same', async () => {
  const out = join(root, 'out');
  await must(0, type('export', '-f', out));
  expect(await must(0, type('plan', '-f', out, '--take-over'))).toContain('Nothing to change\n');
  expect(readFileSync(join(out, 'module/scanners.yaml'), 'utf8')).toBe(
    '# yaml-language-server: $schema=../prefixcast.schema.json\nkind: module\nname: scanners\ntype: IP_RANGES\ncommunity: 64500:666\nentries: scanners.csv\n',
  );
  expect(await type('export', '-f', out)).toMatchObject({ code: 8 });
});
