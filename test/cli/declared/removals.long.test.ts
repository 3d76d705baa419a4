/** Entries that files no longer have are removed, and come back by the line that `apply -f` prints. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDesk } from '../desk/desk.ts';

const desk = useDesk();
const { type, mustType } = desk;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'prefixcast-removals-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function write(list: string, ...ranges: readonly string[]): Promise<void> {
  await writeFile(
    join(directory, `${list}.yaml`),
    `kind: module\nname: ${list}\ntype: IP_RANGES\nentries: ${list}.csv\n`,
  );
  await writeFile(join(directory, `${list}.csv`), ['cidr', ...ranges].join('\n'));
}

/** What an apply of the files says to whom they belong. */
async function apply(): Promise<string> {
  const { code, err } = await type('apply', '-f', directory, '--yes');
  expect(code, err).toBe(0);
  return err;
}

const ranges = async (list: string): Promise<readonly string[]> =>
  (await mustType(`entry list ${list} -o name`)).trim().split('\n').sort();

test('of one list', async () => {
  await writeFile(join(directory, 'set.yaml'), 'kind: set\nname: lists\n');
  await write('hosts', '7.1.0.0/24', '7.1.1.0/24', '7.1.2.0/24');
  expect(await apply()).toBe('');
  const all = await ranges('hosts');
  await write('hosts', '7.1.0.0/24', '7.1.2.0/24');
  const [, restore] =
    /^Take it back: prefixcast (entry restore hosts [0-9a-f-]+)\n$/.exec(await apply()) ?? [];
  await mustType(restore!);
  expect(await ranges('hosts')).toEqual(all);
});

test('with what came in their place', async () => {
  const all = await ranges('hosts');
  await write('hosts', '7.1.0.0/24', '7.1.3.0/24');
  const [, undo] =
    /^Take it back: prefixcast (entry restore hosts \S+ --undo-import)\n$/.exec(await apply()) ?? [];
  await mustType(undo!);
  expect(await ranges('hosts')).toEqual(all);
});

test('of many lists, in one line', async () => {
  const lists = ['a', 'b', 'c', 'd'];
  for (const list of lists) await write(list, '7.2.0.0/24', '7.2.1.0/24');
  await apply();
  for (const list of lists) await write(list, '7.2.0.0/24');
  expect(await apply()).toContain(
    'Take what was removed of one of 4 lists back: prefixcast entry restore MODULE; prefixcast entry removed MODULE shows it\n',
  );
});
