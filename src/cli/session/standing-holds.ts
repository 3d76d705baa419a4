/** What is held already: whoever tries a change out is to see what that change would hold, and not all that is held anyway. */
import type { Page, Schemas } from '#client';
import { shellWord } from '../render/shell-word.ts';
import { codesOf, reasonsOf } from './held.ts';
import { releaseLine } from './release-line.ts';
import type { Session } from './run-remote.ts';

type Revision = Pick<Schemas['Revision'], 'findings' | 'quarantined'>;
type Effect = Pick<Schemas['Effect'], 'latest_findings'> & { readonly revision: Revision | null };

export interface StandingHolds {
  /** Names what is held back of each module, by its id. */
  readonly snapshots: ReadonlyMap<string, string>;
  /** What modules are called. Those that are deleted have no name any more. */
  readonly names: ReadonlyMap<string, string>;
  readonly contextWords: string;
  /** What the latest revision breaks from then on, for people: it stays, and nobody would hear of it before the next edit is held. */
  readonly ofLatest: readonly string[];
}

/** @param effect of what is tried; where it holds no module, nothing is asked */
export async function standingHolds(session: Session, effect: Effect | null): Promise<StandingHolds> {
  const { client, names, contextWords } = session;
  const ofLatest = await latestLines(session, effect?.latest_findings ?? []);
  const revision = effect?.revision ?? null;
  if (revision === null || revision.quarantined.length === 0)
    return { snapshots: new Map(), names: new Map(), contextWords, ofLatest };
  // It has deleted modules as well.
  const answer = await client.request('GET', '/v1/revisions', { query: { limit: 1, state: 'ready' } });
  const [latest] = ((await answer.json()) as Page<Revision>).items;
  const modules = (await names.all('module')) as unknown as readonly Schemas['Module'][];
  const held = modules.flatMap((one) => (one.held === null ? [] : [[one.id, one.held.snapshot] as const]));
  return {
    snapshots: new Map([
      ...(latest?.quarantined ?? []).map(({ module_id: id, snapshot }) => [id, snapshot] as const),
      ...held,
    ]),
    names: new Map(modules.map(({ id, name }) => [id, name])),
    ...{ contextWords, ofLatest },
  };
}

async function latestLines(session: Session, findings: Revision['findings']): Promise<string[]> {
  if (findings.length === 0) return [];
  const codes = codesOf(findings);
  return [
    latestText(findings),
    await releaseLine(session, {
      title: 'Announce that then all the same',
      command: `revision apply latest --override ${codes.join(',')} --reason TEXT`,
      codes,
    }),
  ];
}

/** What is announced breaks a guardrail from then on. */
export function latestText(findings: Revision['findings']): string {
  return `What is announced stays, and whatever changes it next is held, be it an edit or a refresh:${reasonsOf(findings)}`;
}

/** What guardrails would hold of a revision that is tried, for people: all of it, or modules that stay as they were in it. */
export function wouldHoldLines(
  revision: Revision | null,
  { snapshots, names, contextWords }: StandingHolds,
): string[] {
  if (revision === null) return [];
  const stays = revision.quarantined.filter(({ module_id: id, snapshot }) => snapshots.get(id) === snapshot);
  const found = revision.quarantined.filter((one) => !stays.includes(one)).flatMap((one) => one.findings);
  return [
    ...(revision.findings.length > 0 ? [`Guardrails would hold it:${reasonsOf(revision.findings)}`] : []),
    ...(found.length > 0 ? [`Modules that are held then:${reasonsOf(found)}`] : []),
    ...stays.map(({ module_id: id }) => {
      const name = names.get(id);
      const what = name === undefined ? 'A deleted module' : `The module ${name}`;
      const word = name === undefined ? id : shellWord(name);
      return `${what} is held already, and stays so: prefixcast${contextWords} module held ${word}`;
    }),
  ];
}
