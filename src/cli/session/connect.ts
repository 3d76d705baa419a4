/** Finds the service and the key of a command: what it names, then the environment, the current context, and this machine's own service. */
import { type ClientOptions, PrefixcastClient } from '#client';
import { say } from '../process/ask.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { lightFetch } from '../transport/light-fetch.ts';
import type { LightRequest } from '../transport/light-request.ts';
import { useLightFetch } from '../transport/use-light-fetch.ts';
import { contextPath, readContexts, type Context } from './contexts.ts';
import type { Deadline } from './deadline.ts';
import { foreignAnswer } from './foreign-answer.ts';
import { sayingInterruption } from './interrupted-write.ts';
import { keyText } from './key-text.ts';
import { LOCAL, type Target, ownService, urlHere } from './own-service.ts';

export async function connect(
  contextName: string | undefined,
  deadline?: Deadline,
): Promise<PrefixcastClient> {
  const target = await findTarget(contextName);
  const client = clientOf(target, { deadline });
  sources.set(client, target.source);
  return client;
}

const sources = new WeakMap<PrefixcastClient, string>();

/** Where the key of the client comes from; undefined: nobody said. */
export function sourceOf(client: PrefixcastClient): string | undefined {
  return sources.get(client);
}

/** A reason is said so often, and from then on not again within the milliseconds. */
const SAID_AT_ONCE = 3;
const SILENCE_MS = 10_000;
/** How long a command waits for a service that has answered it before, and is away, where no `--timeout` says otherwise. */
const RESTART_SECONDS = 30;

/** Requests of one command are tried again side by side, and each of them many times: lines that say the same bury what a person looks for. */
function tellingRetries(): ClientOptions['retries'] {
  const said = new Map<string, { count: number; at: number }>();
  return {
    onRetry: ({ detail }, seconds) => {
      const now = Date.now();
      const { count, at } = said.get(detail) ?? { count: 0, at: 0 };
      if (count >= SAID_AT_ONCE && now - at < SILENCE_MS) return;
      said.set(detail, { count: count + 1, at: now });
      say(`${detail.replace(/[.?]$/, '')}; trying again in ${Math.ceil(seconds)} s`);
    },
  };
}

/** @param retries those that a command reports, unless it says otherwise; none goes beyond the deadline */
export function clientOf(
  { url, key }: Pick<Target, 'url' | 'key'>,
  { retries, deadline }: Pick<ClientOptions, 'retries'> & { readonly deadline?: Deadline | undefined } = {},
): PrefixcastClient {
  useLightFetch();
  let hasAnswered = false;
  const send = async (request: LightRequest): Promise<unknown> => {
    const answer = await sayingInterruption(request, () =>
      deadline === undefined ? lightFetch(request) : deadline.send(request, lightFetch),
    );
    const foreign = hasAnswered && followers.has(client) ? foreignAnswer(answer) : null;
    if (foreign !== null) {
      await answer.body.cancel();
      throw new Error(foreign);
    }
    hasAnswered = true;
    return answer;
  };
  // One that restarts is waited for, and one that was never there is not: its address may be wrong.
  const outageSeconds = (): number => {
    if (deadline !== undefined) return Infinity;
    if (!hasAnswered) return 0;
    return followers.has(client) ? Infinity : RESTART_SECONDS;
  };
  const client: PrefixcastClient = new PrefixcastClient({
    baseUrl: url,
    key,
    // Of `useLightFetch`, which makes every request one of these.
    fetch: (request: unknown) => send(request as LightRequest) as Promise<Response>,
    retries: {
      ...(retries ?? { ...tellingRetries(), outageSeconds }),
      ...(deadline === undefined ? {} : { until: () => deadline.until }),
    },
  });
  return client;
}

/** Clients of commands that go on until somebody ends them. */
const followers = new WeakSet<PrefixcastClient>();

/**
 * From now on its requests wait for a service that is away for as long as it is, also while another program has its port: nobody has said when to
 * give up.
 */
export function waitThroughOutages(client: PrefixcastClient): void {
  followers.add(client);
}

/** @param mayAskVault false: a context whose key a command prints is refused */
export async function findTarget(
  contextName: string | undefined,
  { mayAskVault = true }: { readonly mayAskVault?: boolean } = {},
): Promise<Target> {
  const { PREFIXCAST_URL: url, PREFIXCAST_KEY: given } = process.env;
  // As of `$(cat key)` where the file is not there: nobody means another key then.
  if (contextName === undefined && given === '')
    throw new CommandError('PREFIXCAST_KEY is empty: give it a key, or unset it', EXIT.configuration);
  const key = contextName === undefined && given !== undefined ? keyText(given, 'PREFIXCAST_KEY') : undefined;
  if (url && key !== undefined) return { url, key, source: 'PREFIXCAST_URL, PREFIXCAST_KEY' };
  const { current, contexts } = await readContexts();
  const name = contextName ?? process.env.PREFIXCAST_CONTEXT ?? current;
  if (name !== null && (contextName !== undefined || !url)) {
    const context = contexts[name];
    if (context === undefined && name === LOCAL) return ownService(undefined, key);
    if (context === undefined) throw noContext(name);
    if (key === undefined && context.key_command !== undefined && !mayAskVault)
      throw new CommandError(`A command prints the key of the context ${name}`, EXIT.configuration);
    return {
      url: context.url,
      key: key ?? (await keyOf(name, context)),
      source: `context ${name}`,
    };
  }
  return ownService(url, key);
}

/** The service alone, for whoever has a key. */
export async function findUrl(contextName: string | undefined): Promise<string> {
  const { PREFIXCAST_URL: url, PREFIXCAST_CONTEXT: fromEnvironment } = process.env;
  if (contextName === undefined && url) return url;
  const { current, contexts } = await readContexts();
  const name = contextName ?? (fromEnvironment || current);
  if (name === null) return urlHere();
  const context = contexts[name];
  if (context !== undefined) return context.url;
  if (name === LOCAL) return urlHere();
  throw noContext(name);
}

function noContext(name: string): CommandError {
  return new CommandError(
    `${contextPath()} has no context ${name}: see prefixcast context list`,
    EXIT.configuration,
  );
}

export async function keyOf(name: string, { key, key_command: command }: Context): Promise<string> {
  if (key !== undefined) return keyText(key, `The key of the context ${name} in ${contextPath()}`);
  if (command === undefined)
    throw new CommandError(
      `The context ${name} has no key: prefixcast login --context ${name}`,
      EXIT.configuration,
    );
  const { execFileSync } = await import('node:child_process');
  let printed;
  try {
    printed = execFileSync('/bin/sh', ['-c', command], {
      encoding: 'utf8',
      stdio: ['inherit', 'pipe', 'inherit'],
    });
  } catch {
    throw new CommandError(`The key_command of the context ${name} failed: ${command}`, EXIT.configuration);
  }
  return keyText(printed, `What the key_command of the context ${name} prints`);
}
