/** What attacks are made of: requests that are sent again and again, and lists that the attacker has. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Prefixes of a large revision. */
export const MANY = 200_000;
/** Of a file that is not large: less than 32 KiB. */
const LINES = 1_500;

export interface Tenant {
  readonly id: string;
  readonly key: string;
  readonly module: string;
  readonly base: string;
}

/** Each attack by its name; it begins for ever, once it has what it needs. What it answers ends what would go on without it. */
export type Attacks = Readonly<
  Record<string, (attacker: Tenant) => void | Promise<void | (() => Promise<void>)>>
>;

type Send = (
  method: string,
  path: string,
  body?: unknown,
  type?: string,
  headers?: Readonly<Record<string, string>>,
) => Promise<Response>;

export function sender({ base, key }: Pick<Tenant, 'base' | 'key'>): Send {
  return async (method, path, body, type = 'application/json', headers = {}) => {
    const answer = await fetch(base + path, {
      method,
      headers: {
        ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': type }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    // Nobody keeps what is not looked at.
    await answer.body?.pipeTo(new WritableStream());
    return answer;
  };
}

/** Gives the attacker so many entries. */
export async function fill(attacker: Tenant, count: number): Promise<void> {
  await replace(
    attacker,
    Array.from({ length: count }, (_, n) => cidrOf(n)),
  );
}

/** In requests that are not large: at a high load, one of 200,000 lines takes minutes, since it stands behind all others. */
export async function replace(attacker: Tenant, cidrs: readonly string[]): Promise<void> {
  const path = `/v1/modules/${attacker.module}/entries.csv?mode=`;
  for (let at = 0; at < cidrs.length; at += LINES) {
    const body = `cidr\r\n${cidrs.slice(at, at + LINES).join('\r\n')}\r\n`;
    const send = (): Promise<Response> =>
      sender(attacker)('POST', path + (at === 0 ? 'replace' : 'append'), body, 'text/csv');
    let answer = await send();
    // A revision that is being built of the list locks it for moments.
    while (answer.status === 503) answer = await send();
    if (answer.status !== 200) throw new Error(`The attacker's import was answered ${answer.status}`);
  }
}

/** What the attacker is answered, as JSON. */
export async function ask<T>(
  { base, key }: Pick<Tenant, 'base' | 'key'>,
  path: string,
  body?: object,
): Promise<T> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', prefer: 'wait=30' };
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(base + path, { headers, ...sent });
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** How many prefixes the attacker's module has in the latest revision. */
export async function announcedBy(attacker: Tenant): Promise<number> {
  const path = `/v1/modules/${attacker.module}`;
  const { prefix_count: has } = await ask<{ prefix_count: { ipv4: number } }>(attacker, path);
  return has.ipv4;
}

/** A revision of so many prefixes, none of which merges with another, unless the attacker has it already. */
export async function announce(attacker: Tenant, count: number): Promise<void> {
  if ((await announcedBy(attacker)) === count) return;
  const of = (n: number): string => `${60 + (n >> 15)}.${(n >> 7) & 255}.${(n & 127) * 2}.0/24`;
  await replace(
    attacker,
    Array.from({ length: count }, (_, n) => of(n)),
  );
  await refresh(attacker);
}

export async function refresh(attacker: Tenant): Promise<void> {
  const path = `/v1/modules/${attacker.module}/refresh`;
  const { status } = await sender(attacker)('POST', path, undefined, '', { prefer: 'wait=30' });
  if (status >= 300) throw new Error(`The attacker's refresh was answered ${status}`);
}

export function cidrOf(n: number): string {
  return `9.${(n >> 8) & 255}.${n & 255}.0/24`;
}

/** Answers that the attacker got, by status, and requests that got none. */
export const answered: Record<string, number> = {};

export function repeat(atOnce: number, work: (n: number) => Promise<Response>): void {
  let n = 0;
  const again = async (): Promise<never> => {
    for (;;) {
      // A connection that the service ends is an answer as well, and no end of the attack.
      const status = await work(n++).then(
        (answer) => answer.status,
        () => 'no answer',
      );
      answered[status] = (answered[status] ?? 0) + 1;
      if (status === 429 || status === 503 || status === 'no answer') await sleep(50);
    }
  };
  for (let each = 0; each < atOnce; each++) void again();
}
