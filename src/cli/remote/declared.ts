/** A tenant as files: what they would change, changing it, and writing them. */
import { basename, resolve } from 'node:path';
import { carryOut } from '../declared/carry-out.ts';
import { makePlan, requireSameEntries, type PlanOptions, type SetPlan } from '../declared/plan.ts';
import { requireSamePlan, writePlanFile } from '../declared/plan-file.ts';
import { isEmptyPlan, planData, planLines, summaryOf } from '../declared/plan-text.ts';
import { readSet, type DeclaredSet } from '../declared/read-set.ts';
import { jsonSchema } from '../declared/schema.ts';
import { writeSet } from '../declared/write-set.ts';
import { asksYes, canAsk, say } from '../process/ask.ts';
import { CommandError, EXIT, UsageError } from '../process/command-error.ts';
import { print } from '../render/formats.ts';
import type { Session } from '../session/run-remote.ts';
import { waitForEdits } from '../session/wait-for-edits.ts';
import type { WaitOptions } from '../session/wait.ts';

export interface FileOptions {
  readonly directory?: string | undefined;
}

type Choices = Omit<PlanOptions, 'isImport'>;

function directoryOf({ directory }: FileOptions): string {
  if (directory === undefined) throw new UsageError('Name the directory: -f DIR');
  return directory;
}

export async function plan(
  session: Session,
  options: FileOptions & Choices & { readonly out?: string | undefined },
): Promise<number> {
  const set = readSet(directoryOf(options));
  const made = await makePlan(session, set, options);
  show(session, made);
  if (options.out !== undefined) {
    await writePlanFile(session, options.out, made);
    say(`Apply this and nothing else: prefixcast apply -f ${options.directory!} --plan ${options.out}`);
  }
  return isEmptyPlan(made) ? EXIT.ok : EXIT.changes;
}

function show({ format }: Session, made: SetPlan): void {
  print(
    format === 'json' ? `${JSON.stringify(planData(made), null, 2)}\n` : `${planLines(made).join('\n')}\n`,
  );
}

interface ApplyOptions extends FileOptions, Choices, WaitOptions {
  readonly plan?: string | undefined;
  readonly yes: boolean;
  readonly 'allow-empty': boolean;
}

export async function apply(session: Session, options: ApplyOptions): Promise<number> {
  return applySet(session, readSet(directoryOf(options)), options);
}

/** Objects come to be as files say; no set owns them, and nothing is deleted. */
export async function importSet(
  session: Session,
  options: Omit<ApplyOptions, 'plan' | 'prune' | 'take-over'>,
): Promise<number> {
  const set = readSet(directoryOf(options));
  return applySet(session, set, { ...options, prune: false, 'take-over': false, isImport: true });
}

async function applySet(
  session: Session,
  set: DeclaredSet,
  options: Omit<ApplyOptions, keyof Choices> & PlanOptions,
): Promise<number> {
  if (options.prune && set.name === null)
    throw new CommandError(
      'Nothing says whose these files are, so nothing can be pruned: write a file with kind: set and a name:',
      EXIT.usage,
    );
  const made = await makePlan(session, set, options);
  if (options.plan !== undefined) await requireSamePlan(session, options.plan, made);
  if (!options['allow-empty']) refuseEmptied(made);
  const isEmpty = isEmptyPlan(made);
  if (!isEmpty || session.format === 'json') show(session, made);
  await askFirst(made, options);
  await requireSameEntries(session, made);
  const { moduleIds, shownOnce, requests } = await carryOut(session, made);
  if (session.format !== 'json') print(`${isEmpty ? 'Nothing to change' : summaryOf(made, '')}\n`);
  for (const { of, secret } of shownOnce) say(`${of}: ${secret} is shown this once`);
  if (requests > 1) say(`It took ${requests} requests, each of them all or nothing`);
  // What an earlier apply has written may not be announced yet, or be held.
  return waitForEdits(session, isEmpty ? modulesOf(set, made) : moduleIds, options);
}

function modulesOf({ objects }: DeclaredSet, { live }: SetPlan): string[] {
  return objects.flatMap(({ kind, name }) =>
    kind.name === 'module' ? (live.find('module', name)?.id ?? []) : [],
  );
}

/** A file that has come to be empty is a mistake more often than a wish. @throws {CommandError} */
function refuseEmptied({ changes, effect }: SetPlan): void {
  // Where there was too much to try it out, the file alone tells.
  const bare = changes.find(
    ({ entries, live, writesEntries, declared }) =>
      effect === null &&
      entries === null &&
      live !== null &&
      writesEntries &&
      isBare(declared!.entries!.text),
  );
  if (bare !== undefined)
    throw new CommandError(
      `${bare.declared!.entries!.shown}:1: has no entries: use --allow-empty where that is meant`,
      EXIT.usage,
    );
  const emptied = changes.filter(
    ({ entries }) =>
      entries !== null && entries.deleted > 0 && entries.created + entries.updated + entries.unchanged === 0,
  );
  const [first] = emptied;
  if (first === undefined) return;
  throw new CommandError(
    `${first.entries!.file}:1: has no entries, and all ${first.entries!.deleted} of the module ${first.name} would be deleted: use --allow-empty where that is meant`,
    EXIT.usage,
  );
}

/** A header at most. */
function isBare(text: string): boolean {
  return text.trim().split(/\n+/).length <= 1;
}

/** A script is never asked. */
async function askFirst(made: SetPlan, { yes }: { readonly yes: boolean }): Promise<void> {
  if (isEmptyPlan(made) || yes || !canAsk()) return;
  const deleted = made.changes.filter(({ action }) => action === 'delete').length;
  const question = deleted === 0 ? 'Apply this?' : `Apply this, and delete ${deleted} objects?`;
  if (!(await asksYes(question))) throw new CommandError('Nothing has changed', EXIT.no);
}

export async function exportSet(
  session: Session,
  options: FileOptions & { readonly set?: string | undefined },
): Promise<number> {
  const directory = directoryOf(options);
  const name =
    options.set ??
    (basename(resolve(directory))
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') ||
      'set');
  const { files, variables } = await writeSet(session, directory, name);
  print(`${files} files written to ${directory}\n`);
  if (variables.length > 0)
    say(
      `Secrets are not exported. Set them before these files are applied elsewhere: ${variables.join(', ')}`,
    );
  return EXIT.ok;
}

export function schema(): number {
  print(`${JSON.stringify(jsonSchema(), null, 2)}\n`);
  return EXIT.ok;
}
