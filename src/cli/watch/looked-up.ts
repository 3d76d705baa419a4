/** Looks up what somebody has typed, which may be a column of a log: one wrong word among many leaves the answers to the others. */
import { ApiProblem, type Schemas } from '#client';
import { bitsOf } from '../../core/address.ts';
import { parsePrefix } from '../../core/prefix.ts';
import type { Session } from '../session/run-remote.ts';

type Lookup = Schemas['Lookup'];

export interface LookedUp {
  /** What was typed, with the answer. */
  readonly found: readonly { readonly asked: string; readonly lookup: Lookup }[];
  /** What cannot be looked up, with the reason, in the order in which it was typed. */
  readonly wrong: readonly string[];
}

interface Query {
  readonly asked: string;
  readonly query: string;
}

export async function lookedUp(session: Session, words: readonly string[]): Promise<LookedUp> {
  const faults = new Map<string, string>();
  let left: readonly Query[] = words.flatMap((asked) => {
    const read = queryOf(asked);
    if ('query' in read) return [{ asked, ...read }];
    faults.set(asked, read.fault);
    return [];
  });
  let answers: readonly Lookup[] | null = left.length === 0 ? [] : null;
  while (answers === null) {
    const answer = await lookUp(
      session,
      left.map(({ query }) => query),
    );
    if ('items' in answer) answers = answer.items;
    else {
      for (const [at, detail] of answer.faults) faults.set(left[at]!.asked, `${left[at]!.asked}: ${detail}`);
      left = left.filter((_, at) => !answer.faults.has(at));
      if (left.length === 0) answers = [];
    }
  }
  return {
    found: left.map(({ asked }, at) => ({ asked, lookup: answers[at]! })),
    wrong: [...new Set(words)].flatMap((asked) => faults.get(asked) ?? []),
  };
}

/** @returns the answers, or why the service cannot look up some of them, by their places */
export async function lookUp(
  { client }: Pick<Session, 'client'>,
  queries: readonly string[],
): Promise<{ readonly items: readonly Lookup[] } | { readonly faults: ReadonlyMap<number, string> }> {
  try {
    if (queries.length === 1)
      return { items: [await client.get('/v1/lookup', { params: { query: { q: queries[0]! } } })] };
    const answer = await client.request('POST', '/v1/lookup', { body: { queries } });
    return (await answer.json()) as Schemas['Lookups'];
  } catch (error) {
    const faults = new Map<number, string>();
    for (const { pointer, detail } of error instanceof ApiProblem ? error.errors : []) {
      const at = /^(?:\?q|\/queries\/(\d+))$/.exec(pointer);
      if (at !== null) faults.set(Number(at[1] ?? 0), detail);
    }
    if (faults.size === 0) throw error;
    return { faults };
  }
}

/** A prefix of one address is that address. */
function queryOf(asked: string): { readonly query: string } | { readonly fault: string } {
  if (!asked.includes('/')) return { query: asked };
  const prefix = parsePrefix(asked);
  if (!prefix.ok) return { fault: `${asked} cannot be read: ${prefix.reason}` };
  const { family, length } = prefix.value;
  return { query: length === bitsOf(family) ? asked.slice(0, asked.indexOf('/')) : asked };
}
