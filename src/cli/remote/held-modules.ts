/** What modules are held for, and letting it through. */
import type { Job, Schemas } from '#client';
import { readList, type ListOptions } from './crud.ts';
import { begun } from './revisions.ts';
import { column, type Item } from '../nouns/noun.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { diffLines, summaryText } from '../render/diff-lines.ts';
import { print, printObject } from '../render/formats.ts';
import { shellWord } from '../render/shell-word.ts';
import { heldText } from '../session/held.ts';
import { agreedOverride, type OverrideOptions } from '../session/overrides.ts';
import type { Session } from '../session/run-remote.ts';
import type { WaitOptions } from '../session/wait.ts';

type Module = Schemas['Module'];
type HeldModule = Module & { readonly held: NonNullable<Module['held']> };
type Summary = Schemas['DiffSummary'];

interface HeldRoutes {
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
  const { summary, items, more } = await readRoutes(session, { ...module, held }, options);
  if (session.format !== 'table')
    return printObject({ name: module.name, held, summary, items }, NAMED, session.format);
  const below = more === undefined ? [] : [more];
  const text = heldText(session, { name: module.name, held });
  print([...diffLines(items), ...below, summaryText(summary), text, ''].join('\n'));
}

export interface ReleaseOptions extends WaitOptions, OverrideOptions {
  readonly snapshot?: string | undefined;
}

/** Releases what it shows, and nothing that takes its place meanwhile. */
export async function release(session: Session, name: string, options: ReleaseOptions): Promise<number> {
  const module = await find(session, name);
  const { id, held } = module;
  if (held === null) throw new CommandError(`The module ${module.name} is not held`, EXIT.conflict);
  if (options.snapshot !== undefined && options.snapshot !== held.snapshot)
    throw heldForAnother(module.name, held.snapshot);
  const { summary } = await readRoutes(session, { ...module, held }, { limit: 1 });
  const { snapshot } = held;
  const override = await agreedOverride(
    {
      what: `The module ${module.name}`,
      findings: held.findings,
      lines: [`Its release: ${summaryText(summary)}`, `Its snapshot: ${snapshot}`],
      question: `Release the module ${module.name}?`,
      isInspected: options.snapshot !== undefined,
    },
    options,
  );
  const body = { override, snapshot, reason: options.reason };
  const path = `${NOUNS.module.path}/${id}/release`;
  return begun(
    session,
    (await (await session.client.request('POST', path, { body })).json()) as Job,
    options,
  );
}

async function find(session: Session, name: string): Promise<Module> {
  return (await session.names.find(NOUNS.module, name)) as unknown as Module;
}

/** @throws {CommandError} where these are the routes of another snapshot than that of the module */
async function readRoutes(session: Session, module: HeldModule, options: ListOptions): Promise<HeldRoutes> {
  const path = `${NOUNS.module.path}/${module.id}/held/diff`;
  const first = (await (
    await session.client.request('GET', path, { query: { limit: 1 } })
  ).json()) as Schemas['HeldDiff'];
  if (first.snapshot !== module.held.snapshot) throw heldForAnother(module.name, first.snapshot);
  return { summary: first.summary, ...(await readList(session, path, {}, options)) };
}

function heldForAnother(name: string, snapshot: string): CommandError {
  return new CommandError(
    `The module ${name} is held for something else by now, the snapshot ${snapshot}. Look at it before you release it: prefixcast module held ${shellWord(name)}`,
    EXIT.conflict,
  );
}
