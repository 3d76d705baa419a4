/** On the machine of the service: a login for a customer's context, and the way back. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCasting, type Casting } from '../../e2e/casting.ts';
import { typist, type Typed } from '../desk/typing.ts';

let casting: Casting;
let url: string;
let secret: string;
let env: Record<string, string>;
const directory = mkdtempSync(join(tmpdir(), 'prefixcast-contexts-'));

beforeAll(async () => {
  casting = await startCasting();
  ({ url } = casting.service);
  const body = { slug: 'acme', name: 'Acme' };
  const made = await casting.service.call<{ api_key: { secret: string } }>('POST', '/v1/tenants', body);
  ({ secret } = made.api_key);
  env = {
    PREFIXCAST_CONFIG: join(directory, 'config.yaml'),
    APP_DATA_DIR: casting.dataDir,
    APP_PORT: new URL(url).port,
  };
});
afterAll(async () => {
  await casting?.close();
  rmSync(directory, { recursive: true });
});

const type = (...words: string[]): Promise<Typed> => typist(env)(...words);
const logIn = (): Promise<Typed> =>
  typist({ ...env, PREFIXCAST_KEY: secret })('login', url, '--context', 'acme');
const tenant = async (...words: string[]): Promise<string> =>
  (JSON.parse((await type('whoami', '-o', 'json', ...words)).out) as { tenant: string }).tenant;

test('the login says that it turns other commands to the customer, once, and where the way back is', async () => {
  expect(await tenant()).toBe('default');
  const first = await logIn();
  expect(first.out).toContain(`logged in to ${url} as operator of acme`);
  expect(first.err).toBe(
    'Commands without --context ask acme from now on, and no longer the service of this machine: prefixcast context use local goes back\n',
  );
  expect(await tenant()).toBe('acme');
  expect((await logIn()).err).toBe('');
});

test('context use names the service of this machine again, and --context does for one command', async () => {
  expect(await tenant('--context', 'local')).toBe('default');
  const { out } = await type('context', 'list', '-o', 'json');
  expect((JSON.parse(out) as { items: unknown }).items).toMatchObject([
    { name: 'acme', current: true },
    { name: 'local', url, current: false },
  ]);
  const unknown = await type('context', 'use', 'default');
  expect(unknown.code).toBe(7);
  expect(unknown.err).toContain(
    'There is no context default; there are acme, local (the service of this machine)',
  );
  expect(await type('context', 'use', 'local')).toMatchObject({
    code: 0,
    out: 'the service of this machine\n',
  });
  expect(await tenant()).toBe('default');
  expect(await tenant('--context', 'acme')).toBe('acme');
});

test('a vault keeps the key: its command is asked each time, and the file has none', async () => {
  const vault = join(directory, 'vault');
  const file = { ...env, PREFIXCAST_CONFIG: join(directory, 'vault.yaml') };
  writeFileSync(vault, `${secret}\n`);
  const login = await typist(file)('login', url, '--context', 'prod', '--key-command', `cat '${vault}'`);
  expect(login.code, login.err).toBe(0);
  const config = readFileSync(file.PREFIXCAST_CONFIG, 'utf8');
  expect(config).toContain(`cat '${vault}'`);
  expect(config).not.toContain(secret);
  expect((await typist(file)('whoami')).out).toContain('acme');
  writeFileSync(vault, 'pc_s_x\n');
  expect(await typist(file)('whoami')).toMatchObject({ code: 4 });
});
