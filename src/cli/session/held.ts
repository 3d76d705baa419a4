/** Ends commands whose change a guardrail holds: nothing of it was announced, so they must not look as if it was. */
import { ApiProblem, type Page, type Schemas } from '#client';
import { NOUNS } from '../nouns/nouns.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { shellWord } from '../render/shell-word.ts';
import type { HeldModule } from './held-module.ts';
import { restoreLines } from './restore-lines.ts';
import { releaseLine } from './release-line.ts';
import type { Session } from './run-remote.ts';

type Findings = readonly Pick<Schemas['Revision']['findings'][number], 'code' | 'detail'>[];

/** The same may be found of the module and of the revision. */
export function reasonsOf(findings: Findings): string {
  return [...new Set(findings.map(({ code, detail }) => `\n  ${code}: ${detail}`))].join('');
}

export function codesOf(findings: readonly Pick<Findings[number], 'code'>[]): string[] {
  return [...new Set(findings.map(({ code }) => code))];
}

/** What a module that is held for these announces. A policy that was narrowed takes away what it does not allow any more, and no hold keeps that. */
export function staysText(codes: readonly string[]): string {
  return codes.includes('tenant_policy')
    ? 'and of its last accepted content only what the policy of the tenant allows stays'
    : 'its last accepted content stays';
}

type HeldRevision = Pick<Schemas['Revision'], 'number' | 'state' | 'findings'>;

/** @throws {CommandError} where the revision is held */
export async function requireReady(session: Session, revision: HeldRevision): Promise<void> {
  const text = await heldRevisionText(session, revision);
  if (text !== null) throw new CommandError(text, EXIT.held);
}

/** What holds the revision, and what lets it through; null: nothing holds it. */
export async function heldRevisionText(
  session: Session,
  { number, state, findings }: HeldRevision,
): Promise<string | null> {
  if (state !== 'held') return null;
  const codes = codesOf(findings);
  const command = `revision apply ${number} --override ${codes.join(',')} --reason TEXT`;
  const remedy = await releaseLine(session, { title: 'Announce it all the same', command, codes });
  return `Revision ${number} is held, and not announced:${reasonsOf(findings)}\n${remedy}`;
}

/**
 * What stands in this text, and nothing else, the command in its last line releases.
 * @param breaks what the release breaks, where that is known; none: nothing has to be overridden any more
 */
export async function heldText(
  session: Session,
  { id, name, isDeleted, held }: HeldModule,
  { showsRoutes = false, breaks = held.findings }: { showsRoutes?: boolean; breaks?: Findings } = {},
): Promise<string> {
  const { snapshot } = held;
  const word = wordOf({ id, name, isDeleted });
  // What it is held for may be over since, as where all that a rollback took back has left at its end.
  const findings = breaks.length > 0 ? breaks : held.findings;
  const codes = codesOf(findings);
  const override = breaks.length > 0 ? ` --override ${codesOf(breaks).join(',')}` : '';
  const command = `module release ${word}${override} --snapshot ${snapshot} --reason TEXT`;
  return [
    `The ${isDeleted ? 'deleted ' : ''}module ${name} is held, ${staysText(codes)}:${reasonsOf(findings)}`,
    ...(showsRoutes ? [] : [`See the routes: prefixcast${session.contextWords} module held ${word}`]),
    ...(await restoreLines(session, { id, name, isDeleted, held })),
    ...rollbackLines(session, codes),
    await releaseLine(session, { title: 'Release it', command, codes: codesOf(breaks) }),
  ].join('\n');
}

/** Whoever takes back what was added a minute ago meets the guardrail about withdrawals, which a rollback does not. */
export function rollbackLines(
  { contextWords }: Pick<Session, 'contextWords'>,
  codes: readonly string[],
): string[] {
  if (!codes.includes('large_withdrawal')) return [];
  const program = `prefixcast${contextWords} revision`;
  return [
    `To withdraw at once what was added by mistake: ${program} list shows what ran before, and ${program} rollback REVISION goes back to it`,
  ];
}

/** What commands find the module by. */
export function wordOf({ id, name, isDeleted }: Omit<HeldModule, 'held'>): string {
  return isDeleted ? id : shellWord(name);
}

/** A module that is deleted and yet stays in revisions; null: there is none of this id. */
export async function findDeleted(session: Session, id: string): Promise<HeldModule | null> {
  try {
    const path = `${NOUNS.module.path}/${id}/held/diff`;
    const answer = await session.client.request('GET', path, { query: { limit: 1 } });
    const { name, snapshot, findings } = (await answer.json()) as Schemas['HeldDiff'];
    return { id, name, isDeleted: true, held: { snapshot, findings } };
  } catch (error) {
    if (error instanceof ApiProblem && error.code === 'not_found') return null;
    throw error;
  }
}

/** All that are deleted and yet stay in revisions. */
export async function deletedHeld(session: Session): Promise<HeldModule[]> {
  const query = { limit: 1, state: 'ready' };
  const answer = await session.client.request('GET', '/v1/revisions', { query });
  const [latest] = ((await answer.json()) as Page<Schemas['Revision']>).items;
  const held = latest?.quarantined ?? [];
  if (held.length === 0) return [];
  const there = new Set((await session.names.all('module')).map(({ id }) => id));
  const ids = held.flatMap(({ module_id: id }) => (there.has(id) ? [] : [id]));
  return (await Promise.all(ids.map((id) => findDeleted(session, id)))).filter((one) => one !== null);
}

/** What `module held` and `module release` find it by: its name, unless others are called so. */
export async function wordOfDeleted(
  session: Session,
  { id, name }: HeldModule,
  deleted: readonly HeldModule[],
): Promise<string> {
  const others = [
    ...(await session.names.all('module')).map((one) => String(one.name)),
    ...deleted.flatMap((one) => (one.id === id ? [] : [one.name])),
  ];
  return others.some((other) => isCalled(other, name)) ? id : shellWord(name);
}

/**
 * The same by its name. @throws {CommandError} where several were called so
 */
export async function findDeletedCalled(session: Session, name: string): Promise<HeldModule | null> {
  const deleted = await deletedHeld(session);
  const exact = deleted.filter((one) => one.name === name);
  const called = exact.length > 0 ? exact : deleted.filter((one) => isCalled(one.name, name));
  if (called.length > 1)
    throw new CommandError(
      `${called.length} deleted modules that are held were called ${name}; use an id: ${called.map(({ id }) => id).join(', ')}`,
      EXIT.conflict,
    );
  return called[0] ?? null;
}

function isCalled(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** @throws {CommandError} where one of the modules is held now */
export async function requireNoneHeld(session: Session, moduleIds: readonly string[]): Promise<void> {
  const texts: string[] = [];
  for (const id of moduleIds) {
    const module = await findHeld(session, id);
    if (module !== null) texts.push(await heldText(session, module));
  }
  if (texts.length > 0) throw new CommandError(texts.join('\n'), EXIT.held);
}

/** Null: it is not held, or gone. */
async function findHeld(session: Session, id: string): Promise<HeldModule | null> {
  try {
    const answer = await session.client.request('GET', `${NOUNS.module.path}/${id}`);
    const { name, held } = (await answer.json()) as Schemas['Module'];
    return held === null ? null : { id, name, isDeleted: false, held };
  } catch (error) {
    if (error instanceof ApiProblem && error.code === 'not_found') return findDeleted(session, id);
    throw error;
  }
}
