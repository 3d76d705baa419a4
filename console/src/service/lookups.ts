/** Many lookups at once, some of which may be nothing to look up. */
import { ApiProblem, type Schemas } from '@prefixcast/client';
import { client } from './client.ts';

/** What was asked for, and its answer, or why there is none. */
export interface Asked {
  readonly query: string;
  readonly lookup: Schemas['Lookup'] | null;
  readonly fault: string | null;
}

/** In the order of the queries. One that cannot be read takes nothing from the others. */
export async function lookUpMany(queries: readonly string[]): Promise<readonly Asked[]> {
  const faults = new Map<string, string>();
  let items: readonly Schemas['Lookup'][];
  try {
    items = await ask(queries);
  } catch (error) {
    for (const { pointer, detail } of error instanceof ApiProblem ? error.errors : []) {
      const at = /^\/queries\/(\d+)$/.exec(pointer);
      const query = at === null ? undefined : queries[Number(at[1])];
      if (query !== undefined) faults.set(query, detail);
    }
    if (faults.size === 0) throw error;
    items = await ask(queries.filter((query) => !faults.has(query)));
  }
  const answers = new Map(items.map((item) => [item.query, item]));
  return queries.map((query) => ({
    query,
    lookup: answers.get(query) ?? null,
    fault: faults.get(query) ?? null,
  }));
}

async function ask(queries: readonly string[]): Promise<readonly Schemas['Lookup'][]> {
  if (queries.length === 0) return [];
  return (await client.post('/v1/lookup', { body: { queries: [...queries] } })).items;
}
