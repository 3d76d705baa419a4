/** A tenant as files: what they would change, changing it, and writing them. */
import { basename, join, resolve } from 'node:path';
import { noteUndo, undoEntriesText, undoModuleText } from '../session/undo-text.ts';
import { carryOut, type Removal } from '../declared/carry-out.ts';
import { refuseEmptied } from '../declared/emptied.ts';
import { heldDeletions } from '../declared/held-deletions.ts';
import { makePlan, requireSameEntries, type PlanOptions, type SetPlan } from '../declared/plan.ts';
import { choicesOfPlan, requireSamePlan, writePlanFile, type Planned } from '../declared/plan-file.ts';
import { isEmptyPlan, planData, planLines, summaryOf } from '../declared/plan-text.ts';
import { readSet, type DeclaredSet } from '../declared/read-set.ts';
import { jsonSchema } from '../declared/schema.ts';
import { readTenants, type TenantFolder, type TenantOptions } from '../declared/tenants.ts';
import { orVanished } from '../declared/vanished.ts';
import { writeSet, writeTenants, type WrittenSet } from '../declared/write-set.ts';
import { asksYes, canAsk, say } from '../process/ask.ts';
import { counted } from '../render/counted.ts';
import { CommandError, EXIT, UsageError } from '../process/command-error.ts';
import { print, printAnswer } from '../render/formats.ts';
import { shellWord } from '../render/shell-word.ts';
import { coloured } from '../render/terminal.ts';
import { requireNoneHeld } from '../session/held.ts';
import { openSession, orProblem, type Session } from '../session/run-remote.ts';
import { beforeEdit, waitForEdits } from '../session/wait-for-edits.ts';
import type { WaitOptions } from '../session/wait.ts';

export interface FileOptions {
  readonly directory?: string | undefined;
}

type Choices = Omit<PlanOptions, 'isImport'>;

/** What was planned for the files of a tenant. */
interface Made extends Planned {
  readonly folder: TenantFolder;
  readonly set: DeclaredSet;
}

function directoryOf({ directory, plan }: FileOptions & { readonly plan?: string | undefined }): string {
  if (directory === undefined)
    throw new UsageError(
      plan === undefined
        ? 'Name the directory: -f DIR'
        : `Name the directory that ${plan} is a plan of: -f DIR --plan ${plan}`,
    );
  return directory;
}

export async function plan(
  options: TenantOptions &
    FileOptions &
    Choices & { readonly out?: string | undefined; readonly 'allow-empty': boolean },
): Promise<number> {
  const made = await planAll(options, options);
  show(made);
  // A review is to see what the apply after it would refuse.
  if (!options['allow-empty']) for (const one of made) refuseEmptied(one.plan);
  if (options.out !== undefined) {
    await writePlanFile(options.out, made, options);
    const place = `-f ${shellWord(options.directory!)} --plan ${shellWord(options.out)}`;
    say(`Apply this and nothing else: prefixcast apply ${place}${sameTenants(options)}`);
  }
  if (!made.every((one) => isEmptyPlan(one.plan))) return EXIT.changes;
  // Routers lack what the files say, and an apply that waits for them ends so, too.
  for (const one of made)
    await ofTenant(one.folder, async () => {
      const deleted = options.prune ? await heldDeletions(one.session) : [];
      await requireNoneHeld(one.session, [...heldOf(one.set, one.plan), ...deleted]);
    });
  return EXIT.ok;
}

/** What else names the tenants that were planned. */
function sameTenants({ context, tenant }: TenantOptions): string {
  const named = [
    ...(context === undefined ? [] : ['--context', context]),
    ...tenant.flatMap((slug) => ['--tenant', slug]),
  ];
  return named.map((word) => ` ${shellWord(word)}`).join('');
}

function heldOf(set: DeclaredSet, plan: SetPlan): string[] {
  return modulesOf(set, plan).filter((id) => (plan.live.withId(id)?.item.held ?? null) !== null);
}

/** All files are read before any service is asked, and all tenants are planned before anything of one is written. */
async function planAll(options: TenantOptions & FileOptions, choices: PlanOptions): Promise<Made[]> {
  const read = readTenants(directoryOf(options), options).map((folder) => ({
    folder,
    set: readSet(folder.directory),
  }));
  const unowned = read.find(({ set }) => choices.prune && set.name === null);
  if (unowned !== undefined)
    throw new CommandError(
      `Nothing says whose the files of ${unowned.folder.directory} are, so nothing can be pruned: write a file with kind: set and a name:`,
      EXIT.usage,
    );
  const made: Made[] = [];
  for (const { folder, set } of read)
    made.push(
      await ofTenant(folder, async () => {
        const session = await folder.open();
        const plan = await orVanished(session, () => makePlan(session, set, choices));
        return { folder, set, session, plan };
      }),
    );
  return made;
}

/** What fails says of which tenant it is, where there are several. */
async function ofTenant<T>({ tenant }: TenantFolder, work: () => Promise<T>, rest = ''): Promise<T> {
  try {
    return await orProblem(work);
  } catch (error) {
    if (tenant === null || !(error instanceof CommandError)) throw error;
    throw new CommandError(`tenant ${tenant}: ${error.message}${rest}`, error.exitCode, { cause: error });
  }
}

function show(made: readonly Made[]): void {
  const [{ session, folder }] = made as [Made];
  if (session.format === 'json') {
    const data =
      folder.tenant === null
        ? planData(made[0]!.plan)
        : { tenants: made.map((one) => ({ tenant: one.folder.tenant, ...planData(one.plan) })) };
    return print(`${JSON.stringify(data, null, 2)}\n`);
  }
  const parts = made.map((one) => [...headingOf(one.folder), ...planLines(one.plan)].join('\n'));
  print(`${parts.join('\n\n')}\n`);
}

function headingOf({ tenant }: TenantFolder): string[] {
  return tenant === null ? [] : [coloured(`Tenant ${tenant}`, 'bold')];
}

interface ApplyOptions extends TenantOptions, FileOptions, Choices, WaitOptions {
  readonly plan?: string | undefined;
  readonly yes: boolean;
  readonly 'allow-empty': boolean;
}

export async function apply(given: ApplyOptions): Promise<number> {
  const { plan } = given;
  // First of all, where no directory is named.
  directoryOf(given);
  const options = plan === undefined ? given : { ...given, ...choicesOfPlan(plan, given) };
  return applyAll(options, options);
}

/** Objects come to be as files say; no set owns them, and nothing is deleted. */
export async function importSet(
  options: Omit<ApplyOptions, 'plan' | 'prune' | 'take-over'>,
): Promise<number> {
  const choices = { ...options, prune: false, 'take-over': false };
  return applyAll(choices, { ...choices, isImport: true });
}

async function applyAll(options: ApplyOptions, choices: PlanOptions): Promise<number> {
  const made = await planAll(options, choices);
  const { plan } = options;
  if (plan !== undefined)
    for (const one of made) await ofTenant(one.folder, () => requireSamePlan(plan, one));
  if (!options['allow-empty']) for (const one of made) refuseEmptied(one.plan);
  const isEmpty = made.every((one) => isEmptyPlan(one.plan));
  if (!isEmpty || made[0]!.session.format === 'json') show(made);
  await askFirst(made, options);
  const changed: (() => Promise<number>)[] = [];
  for (const [at, one] of made.entries()) {
    const before = await ofTenant(one.folder, () => beforeEdit(one.session, 'routes', undefined, options));
    const moduleIds = await ofTenant(
      one.folder,
      () => orVanished(one.session, () => applyOne(one, options)),
      whatWasDone(made, at),
    );
    changed.push(() => ofTenant(one.folder, () => waitForEdits(one.session, before, moduleIds, options)));
  }
  return waitForAll(changed);
}

/** @returns the modules that an apply of it announces, and those that it has deleted and that stay */
async function applyOne(
  { folder, session, set, plan: planned }: Made,
  { prune, wait }: Pick<ApplyOptions, 'prune' | 'wait'>,
): Promise<readonly string[]> {
  const isEmpty = isEmptyPlan(planned);
  await requireSameEntries(session, planned);
  const { moduleIds, removals, shownOnce, requests } = await carryOut(session, planned);
  const of = folder.tenant === null ? '' : `${folder.tenant}: `;
  if (session.format !== 'json') print(`${of}${isEmpty ? 'Nothing to change' : summaryOf(planned, '')}\n`);
  for (const line of [...(await undoLines(session, planned)), ...entryLines(session, removals)])
    say(`${of}${line}`);
  for (const one of shownOnce) say(`${of}${one.of}: ${one.secret} is shown this once`);
  if (requests > 1) say(`${of}It took ${requests} requests, each of them all or nothing`);
  // What an earlier apply has written may not be announced yet, or be held.
  if (!isEmpty) return moduleIds;
  const deleted = prune && wait !== undefined ? await heldDeletions(session) : [];
  return [...modulesOf(set, planned), ...deleted];
}

/** Of deleted modules, and of lists that have lost entries, those that are named. */
const NAMED = 3;

/** How entries come back that were removed, until the files remove them again. */
function entryLines(session: Session, removals: readonly Removal[]): string[] {
  if (removals.length > NAMED) {
    const program = `prefixcast${session.contextWords} entry`;
    return [
      `Take what was removed of one of ${removals.length} lists back: ${program} restore MODULE; ${program} removed MODULE shows it`,
    ];
  }
  return removals.map(({ module, batch, isReplaced }) => {
    noteUndo(session, batch);
    return `${undoEntriesText(session, module, batch)}${isReplaced ? ' --undo-import' : ''}`;
  });
}

/** How modules come back that were deleted. */
async function undoLines(session: Session, { changes }: SetPlan): Promise<string[]> {
  const deleted = changes.flatMap(({ action, kind, live }) =>
    action === 'delete' && kind === 'module' ? [live!] : [],
  );
  if (deleted.length <= NAMED) {
    for (const { id } of deleted) noteUndo(session, id);
    return Promise.all(deleted.map((one) => undoModuleText(session, one)));
  }
  const program = `prefixcast${session.contextWords} module`;
  return [
    `Take one of ${deleted.length} modules back: ${program} restore NAME; ${program} list --deleted has them`,
  ];
}

/** Each tenant is all or nothing by itself. */
function whatWasDone(made: readonly Made[], at: number): string {
  const named = (some: readonly Made[]): string => some.map(({ folder }) => folder.tenant).join(', ');
  const before = at === 0 ? '' : `\nApplied before: ${named(made.slice(0, at))}.`;
  const after = at === made.length - 1 ? '' : `\nNot begun: ${named(made.slice(at + 1))}.`;
  return `${before}${after}`;
}

/** One tenant that is held keeps no other from being waited for. @returns the exit code of the first that is not well */
async function waitForAll(waits: readonly (() => Promise<number>)[]): Promise<number> {
  const codes: number[] = [];
  for (const wait of waits)
    try {
      codes.push(await wait());
    } catch (error) {
      if (waits.length === 1 || !(error instanceof CommandError) || error.exitCode === EXIT.interrupted)
        throw error;
      say(`prefixcast: ${error.message}`);
      codes.push(error.exitCode);
    }
  return codes.find((code) => code !== EXIT.ok) ?? EXIT.ok;
}

function modulesOf({ objects }: DeclaredSet, { live }: SetPlan): string[] {
  return objects.flatMap(({ kind, name }) =>
    kind.name === 'module' ? (live.find('module', name)?.id ?? []) : [],
  );
}

/** A script is never asked. */
async function askFirst(made: readonly Made[], { yes }: { readonly yes: boolean }): Promise<void> {
  if (made.every((one) => isEmptyPlan(one.plan)) || yes || !canAsk()) return;
  const changes = made.flatMap((one) => one.plan.changes);
  const deleted = changes.filter(({ action }) => action === 'delete').length;
  const question = deleted === 0 ? 'Apply this?' : `Apply this, and delete ${counted(deleted, 'object')}?`;
  if (!(await asksYes(question))) throw new CommandError('Nothing has changed', EXIT.no);
}

/** With `--tenant`, a folder for the tenant of each of these contexts. */
export async function exportSet(
  options: TenantOptions & FileOptions & { readonly set?: string | undefined },
): Promise<number> {
  const directory = directoryOf(options);
  const name =
    options.set ??
    (basename(resolve(directory))
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') ||
      'set');
  const { files, variables } =
    options.tenant.length === 0
      ? await orProblem(async () => writeSet(await openSession(options), directory, name))
      : await exportTenants(directory, name, options);
  const words = `${files} files written to ${directory}`;
  await printAnswer({ directory, files, variables }, words, options.output ?? 'table');
  if (variables.length > 0)
    say(
      `Secrets are not exported. Set them before these files are applied elsewhere: ${variables.join(', ')}`,
    );
  return EXIT.ok;
}

async function exportTenants(directory: string, name: string, options: TenantOptions): Promise<WrittenSet> {
  if (options.context !== undefined)
    throw new UsageError('--tenant names contexts already: leave out --context');
  const found: { readonly tenant: string; readonly context: string; readonly session: Session }[] = [];
  for (const context of options.tenant) {
    const session = await openSession({ ...options, context });
    const { tenant } = await orProblem(() => session.client.get('/v1/auth/session'));
    const earlier = found.find((one) => one.tenant === tenant.slug);
    if (earlier !== undefined)
      throw new CommandError(
        `The contexts ${earlier.context} and ${context} are both of the tenant ${tenant.slug}: leave one out`,
        EXIT.usage,
      );
    found.push({ tenant: tenant.slug, context, session });
  }
  const written = writeTenants(directory, found);
  const parts: WrittenSet[] = [written];
  for (const { tenant, session } of found)
    parts.push(await orProblem(() => writeSet(session, join(directory, tenant), name)));
  return {
    files: parts.reduce((sum, { files }) => sum + files, 0),
    variables: [...new Set(parts.flatMap(({ variables }) => variables))],
  };
}

export function schema(): number {
  print(`${JSON.stringify(jsonSchema(), null, 2)}\n`);
  return EXIT.ok;
}
