/** What a plan calls changed by hand: what somebody did, and nothing that the set itself has done. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { waitFor } from '../../daemons/wait.ts';
import { useDesk } from '../desk/desk.ts';

const desk = useDesk();
const { type, mustType } = desk;
const lists = mkdtempSync(join(tmpdir(), 'prefixcast-by-hand-'));
afterAll(() => rmSync(lists, { recursive: true }));

const BY_HAND = 'changed by hand';
const OLD_NAME = 'the community 64500:110 is called 64500:115 in these files';

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(lists, name), text);
}

async function plan(code: number): Promise<string> {
  const typed = await type('plan', '-f', lists);
  expect(typed.code, typed.out + typed.err).toBe(code);
  return typed.out;
}

const apply = (): Promise<string> => mustType('apply', '-f', lists);

const clouds = (community: string, more = ''): string =>
  `kind: module\nname: clouds\ntype: IP_RANGES\ncommunity: ${community}\n${more}`;
const edge = (community: string): string =>
  `kind: peer\nname: edge1\naddress: 192.0.2.1\nremote_asn: 64496\nenabled: false\ncommunities: [${community}]\n`;
const ranges = (rows: string): string => `cidr,expires_at\n${rows}`;

test('its own rename, with what refers to the object, is nobody’s', async () => {
  write({
    'set.yaml': 'kind: set\nname: edge\n',
    'community.yaml': 'kind: community\ncommunity: 64500:100\ntitle: Clouds\n',
    'clouds.yaml': clouds('64500:100'),
    'edge.yaml': edge('64500:100'),
  });
  await apply();
  write({
    'community.yaml': 'kind: community\ncommunity: 64500:110\nrenamed_from: 64500:100\ntitle: Clouds\n',
    'clouds.yaml': clouds('64500:110'),
    'edge.yaml': edge('64500:110'),
  });
  expect(await plan(3)).toContain('~ community 64500:110 (was 64500:100)');
  await apply();
  expect(await plan(0)).toBe('Nothing to change\n');
  write({ 'clouds.yaml': clouds('64500:110', 'description: of clouds\n') });
  const edited = await plan(3);
  expect(edited).toContain('description: null -> of clouds');
  expect(edited).not.toContain(BY_HAND);
  await apply();
});

test('a name of before, in what the same files rename, is refused at once, and not by the next plan', async () => {
  const refused = (line: string, file: string) => ({
    code: 2,
    err: expect.stringMatching(new RegExp(`${file}:${line}: ${OLD_NAME}: write 64500:115\n`)) as string,
  });
  write({
    'community.yaml': 'kind: community\ncommunity: 64500:115\nrenamed_from: 64500:110\ntitle: Clouds\n',
    'settings.yaml': 'kind: settings\ndefault_community: 64500:110\n',
  });
  for (const verb of ['plan', 'apply']) {
    const typed = await type(verb, '-f', lists);
    expect(typed).toMatchObject(refused('4', 'clouds.yaml'));
    expect(typed).toMatchObject(refused('6', 'edge.yaml'));
    expect(typed).toMatchObject(refused('2', 'settings.yaml'));
  }
  rmSync(join(lists, 'settings.yaml'));
  write({ 'clouds.yaml': clouds('64500:115'), 'edge.yaml': edge('64500:115') });
  await apply();
  // The files say what it was called, and a branch of before has the old name.
  write({ 'clouds.yaml': clouds('64500:110') });
  expect(await type('plan', '-f', lists)).toMatchObject(refused('4', 'clouds.yaml'));
  // Another object may have it by now.
  await mustType('community create 64500:110 --title Others');
  expect(await plan(3)).toContain('community: 64500:115 -> 64500:110');
  await mustType('community delete 64500:110 --yes');
  write({
    'community.yaml': 'kind: community\ncommunity: 64500:110\nrenamed_from: 64500:115\ntitle: Clouds\n',
    'edge.yaml': edge('64500:110'),
  });
  await apply();
});

test('an object that somebody renames is that object still, and gets its name back', async () => {
  await mustType('peer edit edge1 --rename edge1-fra');
  await mustType('community edit 64500:110 --rename 64500:111');
  const shown = await plan(3);
  expect(shown).toMatch(/^~ peer edge1 \(was edge1-fra\) .*, changed by hand since it was applied$/m);
  expect(shown).toMatch(
    /^~ community 64500:110 \(was 64500:111\) .*, changed by hand since it was applied$/m,
  );
  expect(shown).toContain('0 to create, 2 to change, 0 to delete');
  await apply();
  expect(await mustType('peer list -o name')).toBe('edge1\n');
  expect(await mustType('community list -o name')).toBe('64500:110\n');
  expect(await plan(0)).toBe('Nothing to change\n');
});

test('an entry that somebody leaves for longer is marked, and one that has ended is not', async () => {
  const end = (seconds: number): string =>
    new Date(Date.now() + seconds * 1_000).toISOString().replace(/\.\d+Z$/, 'Z');
  const [soon, later] = [end(20), end(600)];
  write({
    'clouds.yaml': clouds('64500:110', 'entries: clouds.csv\n'),
    'clouds.csv': ranges(`85.1.5.0/24,${later}\n85.1.6.0/24,${soon}\n85.1.7.0/24,\n`),
  });
  await apply();
  await waitFor(async () => !(await mustType('entry list clouds -o name')).includes('85.1.6.0/24'), {
    what: 'the end of the entry',
  });
  expect(await plan(0)).toBe('Nothing to change\n');
  write({ 'clouds.csv': ranges(`85.1.5.0/24,${later}\n85.1.7.0/24,\n85.1.8.0/24,\n`) });
  expect(await plan(3)).not.toContain(BY_HAND);
  await mustType('entry edit clouds 85.1.5.0/24 --for 1h');
  expect(await plan(3)).toContain('clouds.csv, changed by hand since they were applied');
  await apply();
  // The same moment, as an export writes it and as people do.
  write({ 'clouds.csv': ranges(`85.1.5.0/24,${later.replace('Z', '+00:00')}\n85.1.7.0/24,\n`) });
  expect(await plan(3)).toContain('    entries: 0 created, 0 updated, 1 deleted');
  expect(await plan(3)).not.toContain('~ 85.1.5.0/24');
  await apply();
});

test('what a file has no column for is its default, whatever somebody made of it by hand', async () => {
  write({ 'clouds.csv': 'cidr,note\n85.1.5.0/24,first\n85.1.7.0/24,\n' });
  await apply();
  expect(await plan(0)).toBe('Nothing to change\n');
  await mustType('entry edit clouds 85.1.5.0/24 --enabled no');
  await mustType('entry edit clouds 85.1.7.0/24 --community 64500:110 --for 1h');
  const shown = await plan(3);
  expect(shown).toContain('clouds.csv, changed by hand since they were applied');
  expect(shown).toContain('    entries: 0 created, 2 updated, 0 deleted');
  expect(shown).toMatch(/~ 85\.1\.5\.0\/24 .*enabled: false -> true/);
  await apply();
  expect(await plan(0)).toBe('Nothing to change\n');
  expect(await mustType('entry list clouds -o csv')).toBe(
    'cidr,note,enabled,community\n85.1.5.0/24,first,yes,\n85.1.7.0/24,,yes,\n',
  );
});

test('a setting that somebody changes is marked, with its file, and one that the files change is not', async () => {
  write({
    'settings.yaml':
      'kind: settings\nguard_protected_prefixes: [185.1.0.0/24]\ndefault_community: 64500:110\n',
  });
  await apply();
  expect(await plan(0)).toBe('Nothing to change\n');
  await mustType('settings set guard_protected_prefixes 10.77.0.0/16');
  const shown = await plan(3);
  expect(shown).toMatch(
    /^ {4}guard_protected_prefixes: \["10\.77\.0\.0\/16"\] -> \["185\.1\.0\.0\/24"\] {2}\S*settings\.yaml:2, changed by hand since it was applied$/m,
  );
  await apply();
  // Nothing of the plan is the hand of somebody: the file says something else now.
  write({
    'settings.yaml':
      'kind: settings\nguard_protected_prefixes: [185.2.0.0/24]\ndefault_community: 64500:110\n',
  });
  expect(await plan(3)).not.toContain(BY_HAND);
  await apply();
  await mustType('settings unset default_community_id');
  expect(await plan(3)).toMatch(/^ {4}default_community: null -> 64500:110 .*, changed by hand /m);
  rmSync(join(lists, 'settings.yaml'));
  await mustType('apply', '-f', lists, '--prune');
  expect(await plan(0)).toBe('Nothing to change\n');
});

test('a route that is withdrawn is shown however many others change', async () => {
  const many = Array.from({ length: 150 }, (_, at) => `11.${at}.0.0/24,\n`).join('');
  write({ 'clouds.csv': ranges(`${many}62.3.5.0/24,\n62.3.7.0/24,\n`) });
  await apply();
  await mustType('revision build --wait=built');
  write({
    'community.yaml': 'kind: community\ncommunity: 64500:120\nrenamed_from: 64500:110\ntitle: Clouds\n',
    'clouds.yaml': clouds('64500:120', 'entries: clouds.csv\n'),
    'edge.yaml': edge('64500:120'),
    'clouds.csv': ranges(`${many}62.3.7.0/24,\n`),
  });
  const shown = await plan(3);
  expect(shown).toContain('Routes: 0 announced, 1 withdrawn, 151 changed');
  expect(shown).toMatch(/^ {2}- 62\.3\.5\.0\/24 {2}64500:110$/m);
  expect(shown).toMatch(/^ {2}~ 11\.98\.0\.0\/24 .*\n {2}- 62\.3\.5\.0\/24 .*\n {2}… and \d+ more$/m);
  await apply();
});

test('a community by its title, and a directory without files, are refused with what to write', async () => {
  write({ 'clouds.yaml': clouds('Clouds', 'entries: clouds.csv\n') });
  expect(await type('plan', '-f', lists)).toMatchObject({
    code: 2,
    err: expect.stringContaining(
      'clouds.yaml:4: Clouds is the title of 64500:120, and files name a community by that: write 64500:120',
    ) as string,
  });
  write({ 'clouds.yaml': clouds('64500:120', 'entries: clouds.csv\n') });
  const empty = mkdtempSync(join(tmpdir(), 'prefixcast-empty-'));
  for (const verb of ['plan', 'apply'])
    expect(await type(verb, '-f', empty)).toMatchObject({
      code: 66,
      err: expect.stringContaining(`${empty} has no YAML files`) as string,
    });
  rmSync(empty, { recursive: true });
});

test('a plan of nothing says that a list is held, as the apply that waits does', async () => {
  await mustType('revision build --wait');
  const before = (await mustType('revision list --limit 1 -o name')).trim();
  const csv = readFileSync(join(lists, 'clouds.csv'), 'utf8');
  write({ 'clouds.csv': `${csv}62.3.9.0/24,\n` });
  await mustType('apply', '-f', lists, '--wait');
  await mustType('revision', 'rollback', before, '--wait');
  const planned = await type('plan', '-f', lists);
  expect(planned).toMatchObject({ code: 5, out: 'Nothing to change\n' });
  const applied = await type('apply', '-f', lists, '--wait');
  expect(applied).toMatchObject({ code: 5, out: 'Nothing to change\n' });
  expect(planned.err).toMatch(/The module clouds is held, .*\n {2}rolled_back: /);
  expect(applied.err).toContain(planned.err);
});

test('a plan of nothing says that the deletion of a list is held, where that was pruned', async () => {
  await mustType('module release clouds --override rolled_back --reason because-it-is-meant --wait');
  await mustType('settings set guard_max_withdraw_percent 10 --wait');
  rmSync(join(lists, 'clouds.yaml'));
  rmSync(join(lists, 'clouds.csv'));
  expect((await type('apply', '-f', lists, '--prune', '--wait')).code).toBe(5);
  const planned = await type('plan', '-f', lists, '--prune');
  expect(planned).toMatchObject({ code: 5, out: 'Nothing to change\n' });
  expect(planned.err).toMatch(/The deleted module clouds is held, .*\n {2}large_withdrawal: /);
  const applied = await type('apply', '-f', lists, '--prune', '--wait');
  expect(applied).toMatchObject({ code: 5, out: 'Nothing to change\n' });
  expect(applied.err).toContain(planned.err);
  // Of files that delete nothing, it is no matter.
  expect((await type('plan', '-f', lists)).code).toBe(0);
});
