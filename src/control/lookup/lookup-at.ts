import { fieldProblem, Problem } from '../../api/problems/problem.ts';
import { MAXIMUM_NAME_LOOKUPS } from '../../api/lookup/lookup.ts';
import type { Revision } from '../../api/revisions/revisions.ts';
import { mapInSlices } from '../../concurrency/slices.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { listRevisionInputs } from '../../store/revisions/revision-history.ts';
import { tableCache } from '../tables/table-cache.ts';
import { readCollected } from './collected-cache.ts';
import { type Asked, readQuery } from './read-query.ts';
import { lookupAmong, lookupIn } from './lookup.ts';
import type { LookupState } from './lookup-state.ts';
import { readLookupState } from './read-lookup-state.ts';

/** A revision that has a content. */
export type PastRevision = Pick<Revision, 'id' | 'number' | 'communities' | 'created_at'> & {
  readonly content_hash: string;
};

/** What {@link lookup} answers of a revision: what it was built from, and its routes. @throws {Problem} as {@link lookup} */
export async function lookupAt(tx: TenantTx, query: string, revision: PastRevision): Promise<string> {
  const asked = readQuery(query, '?q');
  return lookupAmong(tx, await stateAt(tx, revision), query, asked);
}

/**
 * Many answers of {@link lookup} as the JSON text of `Lookups`, in slices, since other requests have their turn in between.
 * @param revision of this one; null: of what there is now
 * @throws {Problem} `validation_failed` where one is nothing to look up, or too many are names
 */
export async function lookupMany(
  tx: TenantTx,
  queries: readonly string[],
  revision: PastRevision | null,
): Promise<string> {
  const asked = readQueries(queries);
  const names = asked.filter(({ kind }) => kind === 'fqdn').length;
  if (names > MAXIMUM_NAME_LOOKUPS)
    throw fieldProblem(
      '/queries',
      `${names} of these are domain names, and ${MAXIMUM_NAME_LOOKUPS} are looked up at once. Ask for the others in further requests.`,
    );
  const state = revision === null ? await readLookupState(tx) : await stateAt(tx, revision);
  const quick = await mapInSlices(queries, (query) => lookupIn(state, query));
  const texts: string[] = [];
  for (const [place, text] of quick.entries())
    texts.push(text ?? (await lookupAmong(tx, state, queries[place]!, asked[place]!)));
  return `{"items":[${texts.join(',')}]}`;
}

/** @throws {Problem} `validation_failed` with every query that is nothing to look up, so that whoever asks can leave them out */
function readQueries(queries: readonly string[]): Asked[] {
  const errors: Problem['errors'][number][] = [];
  const asked = queries.flatMap((query, place) => {
    try {
      return [readQuery(query, `/queries/${place}`)];
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      errors.push(...error.errors);
      return [];
    }
  });
  const [first] = errors;
  if (first !== undefined)
    throw new Problem('validation_failed', `${first.pointer}: ${first.detail}`, { errors });
  return asked;
}

/**
 * The present state, with the snapshots and routes of the revision in place of the present ones. Modules that are gone have no names, and are left
 * out; so are entries whose removal is forgotten.
 */
async function stateAt(tx: TenantTx, of: PastRevision): Promise<LookupState> {
  const { id, number, created_at: pastAt, ...revision } = of;
  const now = await readLookupState(tx);
  const inputs = await listRevisionInputs(tx, id);
  const modules = inputs.flatMap(({ module_id: moduleId, content_hash, purpose, families }) => {
    const module = now.modules.get(moduleId);
    if (module === undefined) return [];
    return [{ ...module, purpose, families: [...families], content_hash, collected_at: null }];
  });
  const table = await tableCache.load(tx, revision.content_hash);
  const speakers = now.live.find((live) => live.revision.id === id)?.revision.speaker_ids ?? [];
  return {
    ...now,
    pastAt,
    modules: new Map(modules.map((module) => [module.id, module])),
    collected: await readCollected(tx, modules),
    live: [{ revision: { id, number, ...revision, speaker_ids: speakers }, table, frames: new Map() }],
    candidates: [],
    ahead: null,
    heldAhead: null,
    held: null,
    leftOut: new Set(inputs.flatMap(({ left_out: leftOut }) => leftOut)),
    frames: new Map(),
  };
}
