/** What modules are held for, and letting it through. */
import { ApiProblem, type Job, type Schemas } from '#client';
import { readList, type ListOptions } from '../records/crud.ts';
import { begun } from '../revisions/revisions.ts';
import { column, type Item } from '../nouns/noun.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { diffLines, summaryText } from '../render/diff-lines.ts';
import { print, printObject } from '../render/formats.ts';
import type { HeldModule } from '../session/held-module.ts';
import { findDeleted, findDeletedCalled, heldText, wordOf } from '../session/held.ts';
import { agreedOverride, type OverrideOptions } from '../session/overrides.ts';
import { shellWord } from '../render/shell-word.ts';
import type { Session } from '../session/run-remote.ts';
import type { WaitOptions } from '../session/wait.ts';

type Summary = Schemas['DiffSummary'];
/** A module, which may not be held. */
type AnyModule = Omit<HeldModule, 'held'> & { readonly held: HeldModule['held'] | null };

interface HeldRoutes {
  /** All that a release has to override. */
  readonly findings: HeldModule['held']['findings'];
  readonly alsoHeld: Schemas['HeldDiff']['also_held'];
  readonly summary: Summary;
  readonly items: readonly Item[];
  readonly more: string | undefined;
}

const NAMED = {
  columns: [column('MODULE', 'name'), column('SINCE', 'held.since'), column('SNAPSHOT', 'held.snapshot')],
  name: 'name',
};

/** Findings, snapshot, and the routes that a release would announce and withdraw. */
export async function showHeld(session: Session, name: string, options: ListOptions): Promise<void> {
  const module = await find(session, name);
  const { held } = module;
  if (held === null) {
    if (session.format === 'table') return print(`The module ${module.name} is not held\n`);
    return printObject({ name: module.name, held }, NAMED, session.format);
  }
  const { findings, alsoHeld, summary, items, more } = await readRoutes(
    session,
    { ...module, held },
    options,
  );
  if (session.format !== 'table')
    return printObject(
      { name: module.name, held, also_held: alsoHeld, summary, items },
      NAMED,
      session.format,
    );
  const below = more === undefined ? [] : [more];
  const text = await heldText(session, { ...module, held }, { showsRoutes: true, breaks: findings });
  // First: a pipe gets all routes, which may be thousands.
  const also = alsoHeldLines(session, alsoHeld);
  print(
    [text, '', `Its release: ${summaryText(summary)}`, ...also, ...diffLines(items), ...below, ''].join('\n'),
  );
}

export interface ReleaseOptions extends WaitOptions, OverrideOptions {
  readonly snapshot?: string | undefined;
}

/** Releases what it shows, and nothing that takes its place meanwhile. */
export async function release(session: Session, name: string, options: ReleaseOptions): Promise<number> {
  const module = await find(session, name);
  const { held } = module;
  if (held === null) throw new CommandError(`The module ${module.name} is not held`, EXIT.conflict);
  if (options.snapshot !== undefined && options.snapshot !== held.snapshot)
    throw heldForAnother(module, held.snapshot);
  const { summary, findings, alsoHeld } = await readRoutes(session, { ...module, held }, { limit: 1 });
  const { snapshot } = held;
  const override = await agreedOverride(
    {
      what: `The module ${module.name}`,
      findings,
      lines: [
        `Its release: ${summaryText(summary)}`,
        ...alsoHeldLines(session, alsoHeld),
        `Its snapshot: ${snapshot}`,
      ],
      question: `Release the module ${module.name}?`,
      isInspected: options.snapshot !== undefined,
    },
    options,
  );
  const body = { override, snapshot, reason: options.reason };
  const path = `${NOUNS.module.path}/${module.id}/release`;
  return begun(
    session,
    (await (await session.client.request('POST', path, { body })).json()) as Job,
    options,
  );
}

/** One that is there, or one that was deleted and stays in revisions, by its name or its id. */
async function find(session: Session, name: string): Promise<AnyModule> {
  try {
    const module = await session.names.find(NOUNS.module, name);
    return { ...(module as unknown as Omit<AnyModule, 'isDeleted'>), isDeleted: false };
  } catch (error) {
    const isNone = error instanceof CommandError && error.exitCode === EXIT.notFound;
    const isGone = error instanceof ApiProblem && error.code === 'not_found';
    if (!isNone && !isGone) throw error;
    const deleted = isGone ? await findDeleted(session, name) : await findDeletedCalled(session, name);
    if (deleted === null) throw error;
    return deleted;
  }
}

/** @throws {CommandError} where these are the routes of another snapshot than that of the module */
async function readRoutes(session: Session, module: HeldModule, options: ListOptions): Promise<HeldRoutes> {
  const path = `${NOUNS.module.path}/${module.id}/held/diff`;
  const first = (await (
    await session.client.request('GET', path, { query: { limit: 1 } })
  ).json()) as Schemas['HeldDiff'];
  if (first.snapshot !== module.held.snapshot) throw heldForAnother(module, first.snapshot);
  return {
    summary: first.summary,
    findings: first.findings,
    alsoHeld: first.also_held,
    ...(await readList(session, path, {}, options)),
  };
}

/** Where routers lose routes, or keep them, by which of several held modules is released first. */
function alsoHeldLines(session: Session, modules: Schemas['HeldDiff']['also_held']): string[] {
  return modules.flatMap(({ name, brings_back: back, keeps }) => [
    ...(back === 0
      ? []
      : [
          `The module ${name}, which is held as well, has ${back} of the routes that this withdraws. Release that one first, and they stay: prefixcast${session.contextWords} module held ${shellWord(name)}`,
        ]),
    ...(keeps === 0
      ? []
      : [
          `${keeps} of the routes that this brings are announced already, since the module ${name} is held as well. Its release withdraws none of them after this one`,
        ]),
  ]);
}

function heldForAnother(module: Omit<HeldModule, 'held'>, snapshot: string): CommandError {
  return new CommandError(
    `The module ${module.name} is held for something else by now, the snapshot ${snapshot}. Look at it before you release it: prefixcast module held ${wordOf(module)}`,
    EXIT.conflict,
  );
}
