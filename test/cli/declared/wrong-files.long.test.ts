/** A directory of files that are written wrongly: what is wrong is reported by file and line, and nothing is written. */
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDesk } from '../desk/desk.ts';
import type { Typed } from '../desk/typing.ts';

const desk = useDesk();
const lists = mkdtempSync(join(tmpdir(), 'prefixcast-wrong-'));
afterAll(() => rmSync(lists, { recursive: true }));

function write(files: Record<string, string | null>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(lists, name);
    mkdirSync(dirname(path), { recursive: true });
    if (text === null) rmSync(path);
    else writeFileSync(path, text);
  }
}

const plan = (...more: string[]): Promise<Typed> => desk.type('plan', '-f', lists, ...more);
const apply = (...more: string[]): Promise<Typed> => desk.type('apply', '-f', lists, ...more);

const SCANNERS = `kind: module
name: scanners
type: IP_RANGES
community: 64500:666
entries: scanners.csv
`;

beforeAll(async () => {
  write({
    'prefixcast.yaml': 'kind: set\nname: edge\n',
    'communities.yaml': 'kind: community\ncommunity: 64500:666\ntitle: Drop\n',
    'modules/scanners.yaml': SCANNERS,
    'modules/scanners.csv': 'cidr,note\n9.9.9.0/24,seen in March\n2620:fe::/48,\n',
  });
  expect(await apply()).toMatchObject({ code: 0 });
});

test.each([
  [
    'a misspelt member',
    'kind: module\nname: x\ntype: IP_RANGES\ncomunity: 64500:666\n',
    ':4: comunity is not a known field; did you mean "community"?',
  ],
  [
    'YAML of another age',
    'kind: module\nname: x\ntype: IP_RANGES\nenabled: yes\n',
    ':4: enabled must be true or false; it is "yes": write true or false',
  ],
  [
    'a name that nothing has',
    'kind: module\nname: x\ntype: IP_RANGES\ncommunity: 64500:667\n',
    ':4: there is no community called 64500:667: did you mean "64500:666"?',
  ],
  [
    'a secret in the file',
    'kind: peer\nname: x\naddress: 192.0.2.7\nremote_asn: 1\npassword: hunter2\n',
    ':5: password must be',
  ],
  [
    'what the service refuses',
    'kind: peer\nname: x\naddress: 192.0.2.7\nremote_asn: 64496\nhold_time: 1\n',
    ':5: peer x hold_time: ',
  ],
  [
    'what the service refuses by a member of its own',
    'kind: peer\nname: x\naddress: 192.0.2.7\nremote_asn: 64496\npassword: ${X_PASSWORD}\n',
    'or list in speakers only speakers of another daemon.',
  ],
  ['no YAML', 'kind: module\n  name: x\n', ' is not YAML: '],
  [
    'a bomb of aliases',
    `kind: module\nname: &a [x, x]\nb: &b [${'*a,'.repeat(60)}]\nc: [${'*b,'.repeat(60)}]\n`,
    ' cannot be read: ',
  ],
  [
    'a type that is another now',
    SCANNERS.replace('IP_RANGES', 'DOMAINS'),
    'wrong.yaml:1: the module scanners stands at ',
  ],
  [
    'a file of another place',
    'kind: module\nname: x\ntype: IP_RANGES\nentries: ../../../../../../etc/passwd\n',
    ':4: ../../../../../../etc/passwd lies outside',
  ],
])('%s is reported by file and line, and nothing is written', async (_what, text, fault) => {
  write({ 'wrong.yaml': text });
  const { code, err } = await plan();
  write({ 'wrong.yaml': null });
  expect(err).toContain(fault);
  expect(err).toContain('wrong.yaml:');
  expect(err).not.toContain('hunter2');
  expect(code).toBe(2);
});

test('a wrong line of a CSV file, and one that is empty', async () => {
  write({ 'modules/scanners.csv': 'cidr,note\n9.9.9.0/24,seen in March\nnonsense,\n' });
  expect(await apply()).toMatchObject({
    code: 2,
    err: expect.stringContaining('modules/scanners.csv:3: ') as string,
  });
  write({ 'modules/scanners.csv': 'cidr,note\n' });
  const refused = { code: 2, err: expect.stringContaining('--allow-empty') as string };
  expect(await apply()).toMatchObject(refused);
  // A review is to see that, before the apply behind it fails.
  expect(await plan()).toMatchObject({ ...refused, out: expect.stringContaining('2 deleted') as string });
  expect(await plan('--allow-empty')).toMatchObject({ code: 3 });
  const { items } = await desk.casting.service.call<{ items: object[] }>('GET', '/v1/modules');
  expect(items).toMatchObject([{ entry_count: 2 }]);
});

test('a type cannot change, and a secret that is missing stops everything', async () => {
  write({
    'modules/scanners.yaml': SCANNERS.replace('IP_RANGES', 'DOMAINS'),
    'modules/scanners.csv': 'domain\n',
  });
  expect(await plan()).toMatchObject({
    code: 2,
    err: expect.stringContaining('scanners.yaml:3: type of a module cannot change') as string,
  });
  write({
    'modules/scanners.yaml': SCANNERS,
    'modules/scanners.csv': 'cidr,note\n9.9.9.0/24,seen in March\n2620:fe::/48,\n',
    'p.yaml':
      'kind: peer\nname: p\naddress: 192.0.2.8\nremote_asn: 64499\nspeakers: []\nenabled: false\npassword: ${NOT_SET}\n',
  });
  expect(await apply()).toMatchObject({
    code: 2,
    err: expect.stringContaining('NOT_SET is not set') as string,
  });
  write({ 'p.yaml': null });
});

test('a kept plan without its directory says how both are written', async () => {
  const { code, err } = await desk.type('apply', '--plan', 'plan.json');
  expect(code, err).toBe(2);
  expect(err).toContain('-f DIR --plan plan.json');
});
