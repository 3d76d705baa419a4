/** What modules were called that are deleted and can be restored: histories name what contributed once, and have its id alone. */
import { ApiProblem, type Schemas } from '#client';
import { undoModuleText } from '../session/undo-text.ts';
import type { Session } from '../session/run-remote.ts';

type Contributor = Pick<Schemas['HistoryItem']['contributors'][number], 'module' | 'change'>;

/** Values that the service takes of one parameter. */
const AT_ONCE = 16;

export type DeletedNames = ReadonlyMap<string, string>;

/** By id. Nothing is asked where all contributors are there; those that are no longer kept are missing. Others may be kept by the thousand. */
export async function deletedNames(
  { client }: Session,
  contributors: readonly Contributor[],
): Promise<DeletedNames> {
  const wanted = [
    ...new Set(contributors.flatMap(({ module: { id, name } }) => (name === null ? [id] : []))),
  ];
  const names = new Map<string, string>();
  try {
    for (let at = 0; at < wanted.length; at += AT_ONCE) {
      const query = { id: wanted.slice(at, at + AT_ONCE), limit: AT_ONCE };
      const { items } = await client.get('/v1/removed-modules', { params: { query } });
      for (const { id, name } of items) names.set(id, name);
    }
  } catch (error) {
    // A key may read revisions, and no lists: what became of the prefix is worth more than a name.
    if (!(error instanceof ApiProblem)) throw error;
  }
  return names;
}

/** How those come back that had something which is gone, each once. */
export async function restoreLinesOf(
  session: Session,
  contributors: readonly Contributor[],
  names: DeletedNames,
): Promise<string[]> {
  const ids = new Set(
    contributors.flatMap(({ module, change }) => (change === 'removed' ? [module.id] : [])),
  );
  const gone = [...names].filter(([id]) => ids.has(id));
  return Promise.all(gone.map(([id, name]) => undoModuleText(session, { id, name })));
}
