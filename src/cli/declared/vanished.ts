/** What somebody deletes while a plan of it is made or carried out: a conflict, whichever request meets it. */
import type { ApiProblem } from '#client';
import { UUID } from '../../api/shapes/uuid.ts';
import { KINDS, type KindName } from './kinds.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { memberOf } from '../render/formats.ts';
import type { Session } from '../session/run-remote.ts';

const IDS = new RegExp(UUID, 'g');

/** @throws {CommandError} a conflict with names, where what the work asked for was there when the session read it */
export async function orVanished<T>(session: Session, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const problem = problemOf(error);
    const text = problem === null ? null : await vanishedText(session, problem);
    if (text === null) throw error;
    throw new CommandError(`${text}; plan again`, EXIT.conflict, { cause: error });
  }
}

/** A refusal of several writes is words of files already. */
function problemOf(error: unknown): ApiProblem | null {
  for (let one: unknown = error; one instanceof Error; one = one.cause)
    if (one.name === 'ApiProblem') return one as ApiProblem;
  return null;
}

/** Null: everything that the problem names is there, or was not before either. */
async function vanishedText(
  session: Session,
  { detail, errors, status }: ApiProblem,
): Promise<string | null> {
  if (status < 400 || status >= 500) return null;
  const said = [detail, ...errors.map((fault) => fault.detail)].join('\n');
  const ids = new Set(said.match(IDS));
  for (const kind of Object.keys(KINDS) as KindName[]) {
    if (!(kind in NOUNS)) continue;
    const noun = NOUNS[kind];
    for (const item of ids.size === 0 ? [] : await session.names.all(kind)) {
      const id = String(item.id);
      if (!ids.has(id) || (await isThere(session, `${noun.path}/${id}`))) continue;
      const name = String(memberOf(item, noun.names[0]));
      const by = kind === 'module' ? await whoDeleted(session, id, name) : null;
      return `the ${noun.words} ${name} was deleted meanwhile${by === null ? '' : ` (by ${by})`}`;
    }
  }
  return null;
}

/** Null: nobody knows. */
async function whoDeleted({ client }: Session, id: string, name: string): Promise<string | null> {
  const query = { q: name.slice(0, 100) };
  const { items } = await client.get('/v1/removed-modules', { params: { query } });
  return items.find((one) => one.id === id)?.removed_by ?? null;
}

async function isThere({ client }: Session, path: string): Promise<boolean> {
  try {
    await client.request('GET', path);
    return true;
  } catch (error) {
    if ((error as ApiProblem).status === 404) return false;
    throw error;
  }
}
