/** A rename in files that is taken back: the object stays, with its routes and its session. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { useDesk } from '../desk/desk.ts';

const desk = useDesk();
const { type, mustType } = desk;
const lists = mkdtempSync(join(tmpdir(), 'prefixcast-renames-'));
afterAll(() => rmSync(lists, { recursive: true }));

type Files = Readonly<Record<string, string | null>>;

function write(files: Files): void {
  for (const [name, text] of Object.entries(files))
    if (text === null) rmSync(join(lists, name));
    else writeFileSync(join(lists, name), text);
}

async function plan(code: number, ...more: string[]): Promise<string> {
  const typed = await type('plan', '-f', lists, ...more);
  expect(typed.code, typed.out + typed.err).toBe(code);
  return typed.out;
}

const apply = (): Promise<string> => mustType('apply', '-f', lists, '--prune', '--yes');

async function idsOf(path: '/v1/modules' | '/v1/peers'): Promise<Record<string, string>> {
  const noun = path === '/v1/modules' ? 'module' : 'peer';
  const items = JSON.parse(await mustType(`${noun} list -o json`)) as {
    readonly items: readonly { readonly id: string; readonly name: string }[];
  };
  return Object.fromEntries(items.items.map(({ id, name }) => [name, id]));
}

const clouds = (name: string, more = '', type = 'IP_RANGES'): string =>
  `kind: module\nname: ${name}\ntype: ${type}\n${more}`;
const edge = (name: string, more = ''): string =>
  `kind: peer\nname: ${name}\naddress: 192.0.2.1\nremote_asn: 64496\nenabled: false\n${more}`;

const BEFORE = {
  'set.yaml': 'kind: set\nname: edge\n',
  'clouds.yaml': clouds('clouds', 'entries: clouds.csv\n'),
  'clouds.csv': 'cidr\n85.1.5.0/24\n',
  'edge.yaml': edge('edge1'),
} as const;
const RENAMED = {
  'clouds.yaml': clouds('clouds-eu', 'renamed_from: clouds\nentries: clouds.csv\n'),
  'edge.yaml': edge('edge-fra', 'renamed_from: edge1\n'),
} as const;

test('files of before a rename give the objects their names back, and delete none', async () => {
  write(BEFORE);
  await apply();
  const ids = [(await idsOf('/v1/modules')).clouds, (await idsOf('/v1/peers')).edge1];
  for (const round of [1, 2]) {
    write(RENAMED);
    await apply();
    expect(await plan(0, '--prune'), `round ${round}`).toBe('Nothing to change\n');
    write(BEFORE);
    for (const shown of [await plan(3), await plan(3, '--prune')]) {
      expect(shown).toContain('~ module clouds (was clouds-eu)');
      expect(shown).toContain('~ peer edge1 (was edge-fra)');
      expect(shown).toContain('0 to create, 2 to change, 0 to delete');
      expect(shown).not.toContain('by hand');
    }
    await apply();
    expect([await idsOf('/v1/modules'), await idsOf('/v1/peers')]).toEqual([
      { clouds: ids[0] },
      { edge1: ids[1] },
    ]);
    expect(await plan(0, '--prune')).toBe('Nothing to change\n');
  }
});

test('a name of before that another object has by now is that object, and one of another type is a new one', async () => {
  write(RENAMED);
  await apply();
  write({ 'others.yaml': clouds('clouds') });
  expect(await plan(3, '--prune')).toContain('+ module clouds ');
  await apply();
  const ids = await idsOf('/v1/modules');
  write({ 'clouds.yaml': clouds('clouds-eu', 'entries: clouds.csv\n') });
  expect(await plan(0, '--prune')).toBe('Nothing to change\n');
  write({ 'others.yaml': null, 'clouds.yaml': BEFORE['clouds.yaml'] });
  expect(await plan(3, '--prune')).toContain('- module clouds-eu');
  await apply();
  expect(await idsOf('/v1/modules')).toEqual({ clouds: ids.clouds });
  write(RENAMED);
  await apply();
  write({ 'clouds.yaml': clouds('clouds', '', 'DOMAINS') });
  const shown = await plan(3, '--prune');
  expect(shown).toContain('+ module clouds ');
  expect(shown).toContain('- module clouds-eu');
});
