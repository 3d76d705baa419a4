/** Which service, as whom: login, contexts, and what this key may do. */
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import type { Schemas } from '#client';
import { say } from '../process/ask.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { print, printList, printObject, type Format } from '../render/formats.ts';
import { clientOf, findTarget, keyOf } from '../session/connect.ts';
import { contextPath, readContexts, writeContexts, type Context } from '../session/contexts.ts';
import { keyText } from '../session/key-text.ts';
import { findOwnService, LOCAL } from '../session/own-service.ts';
import { shellWord } from '../render/shell-word.ts';
import { orProblem, type Session } from '../session/run-remote.ts';

type SignInLink = Schemas['SignInLink'];

export interface LoginOptions {
  readonly context?: string | undefined;
  readonly 'key-command'?: string | undefined;
}

/** Keeps the service and the key as a context, once the service has taken the key. */
export async function login(url: string, options: LoginOptions): Promise<number> {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new CommandError(`${url} is no URL: write it as https://routes.example.net`, EXIT.usage);
  // With the port: two services may share a host.
  const name = options.context ?? new URL(url).host;
  const command = options['key-command'];
  const context: Context =
    command === undefined ? { url, key: await askForKey() } : { url, key_command: command };
  const client = clientOf({ url, key: await keyOf(name, context) });
  const { tenant, role } = await orProblem(() => client.get('/v1/auth/session'));
  const { current, contexts } = await readContexts();
  await writeContexts({ current: name, contexts: { ...contexts, [name]: context } });
  print(`logged in to ${url} as ${role} of ${tenant.slug}; context ${name} in ${contextPath()}\n`);
  sayTurned(name, current);
  return EXIT.ok;
}

/** Whoever logs in for one customer goes on for themselves, and would write into the customer's lists. */
function sayTurned(name: string, before: string | null): void {
  if (before === name) return;
  const isLocal = before === null;
  if (isLocal && findOwnService() === null) return;
  const what = isLocal ? 'the service of this machine' : `the context ${before}`;
  say(
    `Commands without --context ask ${name} from now on, and no longer ${what}: prefixcast context use ${shellWord(before ?? LOCAL)} goes back`,
  );
}

async function askForKey(): Promise<string> {
  const { PREFIXCAST_KEY: given } = process.env;
  if (given) return keyText(given, 'PREFIXCAST_KEY');
  const lines = createInterface({
    input: process.stdin,
    output: process.stdin.isTTY ? process.stderr : undefined,
  });
  try {
    // An input that ends answers nothing.
    const ended = once(lines, 'close').then(() => '');
    const key = (await Promise.race([lines.question('API key: '), ended])).trim();
    if (key === '')
      throw new CommandError(
        'No key was given: type it, set PREFIXCAST_KEY, or name a command that prints it by --key-command',
        EXIT.usage,
      );
    return keyText(key, 'What was typed');
  } finally {
    lines.close();
  }
}

export async function logout(name: string | undefined): Promise<number> {
  const { current, contexts } = await readContexts();
  const gone = name ?? current;
  if (gone === null || contexts[gone] === undefined)
    throw new CommandError(
      gone === null ? 'Nobody is logged in' : `There is no context ${gone}`,
      EXIT.notFound,
    );
  const rest = Object.fromEntries(Object.entries(contexts).filter(([other]) => other !== gone));
  await writeContexts({ current: current === gone ? null : current, contexts: rest });
  print(`context ${gone} removed\n`);
  return EXIT.ok;
}

/** As an address, so that a script can open it. */
export async function signInLink({ client, format }: Session): Promise<void> {
  const link = (await (await client.request('POST', '/v1/auth/sign-in-links')).json()) as SignInLink;
  const item = { url: `${client.baseUrl}${link.path}`, ...link };
  if (format === 'table') return print(`${item.url}\n`);
  const columns = [
    { title: 'URL', of: 'url' },
    { title: 'EXPIRES', of: 'expires_at' },
  ];
  await printObject(item, { columns, name: 'url' }, format);
}

export async function whoami({ client, format }: Session, context: string | undefined): Promise<void> {
  const { url, source } = await findTarget(context);
  const { tenant, role, key } = await client.get('/v1/auth/session');
  const item = { url, tenant: tenant.slug, role, key: key.name, source };
  await printObject(
    item,
    { columns: Object.keys(item).map((of) => ({ title: of.toUpperCase(), of })), name: 'tenant' },
    format,
  );
}

export async function listContexts(format: Format): Promise<number> {
  const { current, contexts } = await readContexts();
  const kept = Object.entries(contexts).map(([name, { url, key_command: command }]) => ({
    name,
    url,
    current: name === current,
    key: command === undefined ? 'kept' : 'key_command',
  }));
  const own = contexts[LOCAL] === undefined ? findOwnService() : null;
  const here =
    own === null ? [] : [{ name: LOCAL, url: own.url, current: current === null, key: 'of this machine' }];
  const items = [...kept, ...here];
  const columns = ['name', 'url', 'current', 'key'].map((of) => ({ title: of.toUpperCase(), of }));
  await printList({ items, columns, name: 'name' }, format);
  return EXIT.ok;
}

export async function useContext(name: string): Promise<number> {
  const { contexts } = await readContexts();
  const isLocal = name === LOCAL && contexts[name] === undefined;
  if (isLocal && findOwnService() !== null) {
    await writeContexts({ current: null, contexts });
    print('the service of this machine\n');
    return EXIT.ok;
  }
  if (contexts[name] === undefined) {
    const own = findOwnService() === null ? [] : [`${LOCAL} (the service of this machine)`];
    const known = [...Object.keys(contexts), ...own].join(', ');
    throw new CommandError(
      `There is no context ${name}${known === '' ? '' : `; there are ${known}`}`,
      EXIT.notFound,
    );
  }
  await writeContexts({ current: name, contexts });
  print(`context ${name}\n`);
  return EXIT.ok;
}
