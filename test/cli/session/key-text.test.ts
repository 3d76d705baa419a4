/** Where a key comes from that no request can carry, in one line. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { typist } from '../desk/typing.ts';

const directory = mkdtempSync(join(tmpdir(), 'key-text-'));
afterAll(() => rmSync(directory, { recursive: true }));

const SLIP = 'key vic created; it is shown this once\npc_s_secret';
// Nothing listens there: whoever sends a request ends otherwise.
const URL = 'http://127.0.0.1:1';

async function expectRefused(
  env: Readonly<Record<string, string>>,
  message: string,
  words = ['whoami'],
): Promise<void> {
  const typed = await typist({ PREFIXCAST_CONFIG: join(directory, 'config.yaml'), ...env })(...words);
  expect(typed).toEqual({ code: 78, out: '', err: `prefixcast: ${message}\n` });
}

test.each([
  [SLIP, 'it has more than one line'],
  ['pc_s_a\rpc_s_b', 'it has more than one line'],
  ['key: pc_s_secret', 'it has a space in it'],
  ['pc_s_\u0007', 'it has characters that no key has'],
  ['pc_s_…', 'it has characters that no key has'],
  [' \n', 'it is empty'],
])('PREFIXCAST_KEY=%j', async (key, fault) => {
  const env = { PREFIXCAST_URL: URL, PREFIXCAST_KEY: key };
  await expectRefused(env, `PREFIXCAST_KEY is not a key: ${fault}`);
});

test.each(['why 9.9.9.9', 'entry add scanners 9.9.9.9/32', `login ${URL}`])('%s', async (line) => {
  const env = { ...(line.startsWith('login') ? {} : { PREFIXCAST_URL: URL }), PREFIXCAST_KEY: SLIP };
  await expectRefused(env, 'PREFIXCAST_KEY is not a key: it has more than one line', line.split(' '));
});

test('contexts, and what vaults print', async () => {
  const config = join(directory, 'config.yaml');
  const contexts = {
    lab: { url: URL, key: SLIP },
    vault: { url: URL, key_command: 'echo locked; echo pc_s_secret' },
    mute: { url: URL, key_command: 'true' },
  };
  // JSON is YAML.
  writeFileSync(config, JSON.stringify({ current: 'lab', contexts }));
  await expectRefused({}, `The key of the context lab in ${config} is not a key: it has more than one line`);
  const printed = (name: string): string => `What the key_command of the context ${name} prints is not a key`;
  await expectRefused({ PREFIXCAST_CONTEXT: 'vault' }, `${printed('vault')}: it has more than one line`);
  await expectRefused({ PREFIXCAST_CONTEXT: 'mute' }, `${printed('mute')}: it is empty`);
});

test('the key of the service of this machine', async () => {
  const path = join(directory, 'bootstrap-key');
  writeFileSync(path, SLIP, { mode: 0o600 });
  const env = { APP_DATA_DIR: directory, PREFIXCAST_CONFIG: join(directory, 'none.yaml') };
  await expectRefused(env, `${path} is not a key: it has more than one line`);
});
