/** Passwords of sessions: from a file, standard input or a prompt, on no command line and in no answer, and taken out again. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDesk } from '../desk/desk.ts';
import { terminal } from '../desk/terminal.ts';
import { typist, type Typed } from '../desk/typing.ts';

const SECRET = 'of edge, and of nobody else';

const desk = useDesk();
const { type, mustType } = desk;
const directory = mkdtempSync(join(tmpdir(), 'prefixcast-passwords-'));
const file = join(directory, 'password');

beforeAll(async () => {
  writeFileSync(file, `${SECRET}\nwhatever stands below\n`);
  await mustType('speaker create frankfurt --mode agent --daemon bird --asn 64512 --yes');
});
afterAll(() => rmSync(directory, { recursive: true }));

interface Peer {
  readonly has_password: boolean;
  readonly bfd: boolean;
}

async function peer(): Promise<Peer> {
  const text = await mustType('peer get edge -o json');
  expect(text).not.toContain(SECRET);
  return JSON.parse(text) as Peer;
}

function withInput(input: string, ...words: string[]): Promise<Typed> {
  const { url, key } = desk.casting.service;
  return typist({ PREFIXCAST_URL: url, PREFIXCAST_KEY: key }, input)(...words);
}

test('a peer is created with one from a file, and with BFD', async () => {
  const create = 'peer create edge --address 192.0.2.1 --asn 64496 --speaker frankfurt --bfd yes';
  const made = await type(`${create} --password @${file}`);
  expect(made, made.err).toMatchObject({ code: 0, out: 'peer edge created\n' });
  expect(await peer()).toMatchObject({ has_password: true, bfd: true });
});

test('to the builtin speaker it moves once both are taken out, which the refusals name', async () => {
  for (const [line, remedy] of [
    [
      'peer edit edge --speaker builtin',
      'Take it away with --password none, or name by --speaker only speakers',
    ],
    ['peer edit edge --speaker builtin --password none', 'Turn that off with --bfd no'],
  ] as const) {
    const refused = await type(line);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain(remedy);
  }
  expect(await peer()).toMatchObject({ has_password: true, bfd: true });
  await mustType('peer edit edge --speaker builtin --password none --bfd no');
  expect(await peer()).toMatchObject({ has_password: false, bfd: false });
  await mustType('peer edit edge --speaker frankfurt');
});

test('from standard input', async () => {
  const edited = await withInput(`${SECRET}\n`, 'peer', 'edit', 'edge', '--password', '-');
  expect(edited, edited.err).toMatchObject({ code: 0, out: 'peer edge changed\n' });
  expect(await peer()).toMatchObject({ has_password: true });
  const none = await withInput('', 'peer', 'edit', 'edge', '--password', '-');
  expect(none).toMatchObject({ code: 2, out: '' });
  expect(none.err).toContain('--password: the first line of standard input is empty');
});

test('a terminal asks for it, and does not show it', async () => {
  await mustType('peer edit edge --password none');
  const { url, key } = desk.casting.service;
  const type = terminal({ PREFIXCAST_URL: url, PREFIXCAST_KEY: key }, 'password: ');
  const { code, text } = await type(SECRET, 'peer', 'edit', 'edge', '--password', '-', '--yes');
  expect(code, text).toBe(0);
  expect(text).toContain('peer edge changed');
  expect(text).not.toContain(SECRET);
  expect(await peer()).toMatchObject({ has_password: true });
});

test('the word itself is refused, and not repeated', async () => {
  const refused = await type('peer', 'edit', 'edge', '--password', SECRET);
  expect(refused).toMatchObject({ code: 2, out: '' });
  expect(refused.err).toContain('--password takes no secret itself');
  expect(refused.err).not.toContain(SECRET);
  const missing = await type(`peer edit edge --password @${directory}/nothing`);
  expect(missing).toMatchObject({ code: 66, out: '' });
  expect(missing.err).toContain("/nothing can't be read: ENOENT: no such file or directory");
});
