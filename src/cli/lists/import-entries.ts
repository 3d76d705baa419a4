/** Entries of a module out of a file. */
import type { ApiProblem, Schemas } from '#client';
import { openModule, type OpenModule } from './find-entries.ts';
import { type CsvList, nameOf, readListText, withHeader } from './list-text.ts';
import { noteUndo, undoEntriesText } from '../session/undo-text.ts';
import { asksYes, canAsk, say } from '../process/ask.ts';
import { CommandError, EXIT, UsageError } from '../process/command-error.ts';
import { printAnswer } from '../render/formats.ts';
import { shellWord } from '../render/shell-word.ts';
import { inCommands } from '../session/command-words.ts';
import { downSessions } from '../session/without-session.ts';
import { effectText, lossOf, TIMEOUT_MS, untriedText } from '../session/consequences.ts';
import { sayEmpty } from '../session/empty-entries.ts';
import { ForeseenHolds } from '../session/foreseen-holds.ts';
import { exitCodeOf, type Session } from '../session/run-remote.ts';
import { beforeEdit, endOfEdit } from '../session/wait-for-edits.ts';
import type { WaitOptions } from '../session/wait.ts';

export interface ImportOptions extends WaitOptions {
  readonly replace: boolean;
  readonly remove: boolean;
  readonly 'dry-run': boolean;
  readonly 'allow-empty': boolean;
  readonly yes: boolean;
}

type Mode = 'replace' | 'append' | 'remove';
type Counts = Schemas['EntryImport'];

/** A file with a header as the export writes it; lines of single values do as well. */
export async function importEntries(
  session: Session,
  [name, file]: readonly string[],
  options: ImportOptions,
): Promise<number> {
  if (options.replace && options.remove)
    throw new UsageError('--replace and --remove say different things: write one of them');
  const module = await openModule(session, name!);
  const list = withHeader(readListText(file!), module.key, nameOf(file!));
  if (options.replace && !options['allow-empty'] && isEmpty(list.body))
    throw new CommandError(
      `${file === '-' ? 'Standard input' : file!} has no entries, and --replace would delete all of ${name!}: use --allow-empty where that is meant`,
      EXIT.usage,
    );
  return refusedInLines(session, file!, list, () =>
    importList(session, module, { file: file!, ...list }, options),
  );
}

async function importList(
  session: Session,
  module: OpenModule,
  { file, body }: CsvList & { readonly file: string },
  options: ImportOptions,
): Promise<number> {
  const mode = options.replace ? 'replace' : options.remove ? 'remove' : 'append';
  if (options['dry-run']) return showImport(session, module, mode, body);
  const holds = await ForeseenHolds.read(session, module.id);
  const isAsked = (mode !== 'append' || module.isHeldBack) && !options.yes && canAsk();
  // A trial takes as long as the import: where nobody is asked, what follows is found once it is written. Only what a rollback holds is tried: the
  // revision that brings it back may be there before anybody has looked.
  const isTried = isAsked || holds.mayFree;
  const given = { mode, body, isAsked } as const;
  const { lines, isLoss } = isTried ? await foresee(session, module, given, holds) : UNTRIED_IMPORT;
  for (const line of lines) say(line);
  if (isLoss && isAsked && !(await asksYes('Go on?'))) throw new CommandError('Nothing has changed', EXIT.no);
  const before = await beforeEdit(session, 'entries', module.id, options);
  const headers = { 'content-type': 'text/csv' };
  const answer = await session.client.request('POST', `${module.base}/entries.csv`, {
    query: { mode },
    body,
    headers,
  });
  const counts = (await answer.json()) as Counts;
  await printAnswer(counts, countsText(counts), session.format);
  for (const line of undoLines(session, module, { mode, file }, counts)) say(line);
  noteUndo(session, counts.batch);
  if (!isTried && before === null)
    for (const line of await following(session, counts, mode, holds)) say(line);
  const exitCode = await endOfEdit(session, before, holds, options);
  if (before !== null && module.isCollected && mode !== 'remove') await sayEmpty(session, module.id, null);
  return exitCode;
}

/** What follows from an import that is written: what guardrails hold of it, and which routes go. */
async function following(
  session: Session,
  { created, updated, deleted }: Counts,
  mode: Mode,
  holds: ForeseenHolds,
): Promise<readonly string[]> {
  if (created + updated + deleted === 0) return [];
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const body = { changes: [] };
    const answer = await session.client.request('POST', '/v1/revisions/plan', { body, signal });
    const { effect } = (await answer.json()) as Schemas['Plan'];
    const held = holds.note(effect);
    if (mode === 'append' || held !== null) return [];
    const loss = lossOf(effect, await downSessions(session, effect));
    return loss === null ? [] : [loss];
  } catch (error) {
    if (signal.aborted) return [untriedText(`there was no answer within ${TIMEOUT_MS / 1_000} s`)];
    const problem = error as ApiProblem;
    if (problem.name !== 'ApiProblem' || !UNTRIED.has(exitCodeOf(problem))) throw error;
    return [untriedText(problem.message)];
  }
}

/** What takes it back; of values that it changed, nothing does. */
function undoLines(
  session: Session,
  module: OpenModule,
  { mode, file }: { readonly mode: Mode; readonly file: string },
  { created, updated, unchanged, deleted, batch }: Counts,
): string[] {
  const changed = updated > 0 ? [`The ${updated} that it updated stay as they are now`] : [];
  if (deleted > 0) {
    const undo = undoEntriesText(session, module.name, batch);
    return created === 0 || batch === null ? [undo, ...changed] : [`${undo} --undo-import`, ...changed];
  }
  // What the file names was not there before.
  if (mode !== 'append' || created === 0 || updated + unchanged > 0 || file === '-') return [];
  const words = `prefixcast${session.contextWords} entry import ${shellWord(module.name)}`;
  return [`Take it back: ${words} ${shellWord(file)} --remove`];
}

function countsText({ created, updated, unchanged, deleted }: Counts): string {
  return `${created} created, ${updated} updated, ${unchanged} unchanged, ${deleted} deleted`;
}

interface Trial {
  readonly counts: Counts;
  readonly effect: Schemas['Effect'];
}

/** What the import would do to entries and to routes. */
async function tryImport(
  { client }: Session,
  { base }: OpenModule,
  { mode, body: csv }: Pick<Import, 'mode' | 'body'>,
  signal?: AbortSignal,
): Promise<Trial> {
  const path = `${base}/entries.csv?mode=${mode}`;
  const body = { changes: [{ method: 'POST', path, body: csv }] };
  const answer = await client.request('POST', '/v1/revisions/plan', { body, signal });
  const { answers, effect } = (await answer.json()) as Schemas['Plan'];
  return { counts: answers[0]!.body as Counts, effect };
}

async function showImport(session: Session, module: OpenModule, mode: Mode, csv: string): Promise<number> {
  const { counts, effect } = await tryImport(session, module, { mode, body: csv });
  const words = `${countsText(counts)} (dry run: nothing has changed)\n${await effectText(session, effect)}`;
  await printAnswer({ entries: { ...counts, dry_run: true }, effect }, words, session.format);
  return EXIT.ok;
}

interface Import {
  readonly mode: Mode;
  readonly body: string;
  /** Somebody is at the terminal, and waits for what it would do. */
  readonly isAsked: boolean;
}

interface Foreseen {
  /** What people are to know before. */
  readonly lines: readonly string[];
  /** Most entries go, or routes go, or are kept by a guardrail. */
  readonly isLoss: boolean;
}

const UNTRIED_IMPORT: Foreseen = { lines: [], isLoss: false };

async function foresee(
  session: Session,
  module: OpenModule,
  given: Import,
  holds: ForeseenHolds,
): Promise<Foreseen> {
  const { counts, effect, untried } = await tryOrCount(session, module, given);
  const { mode } = given;
  const held = effect === null ? null : holds.note(effect);
  const freed = held === null || held !== holds.freed ? [] : [held];
  if (mode === 'append') return { lines: [...untried, ...freed], isLoss: freed.length > 0 };
  const loss = held ?? (effect === null ? null : lossOf(effect, await downSessions(session, effect)));
  const { updated, unchanged, deleted } = counts ?? { updated: 0, unchanged: 0, deleted: 0 };
  const all = updated + unchanged + deleted;
  const some = mode === 'replace' ? `${deleted} of the ${all}` : String(deleted);
  const deletes = deleted === 0 ? [] : [`--${mode} deletes ${some} entries of ${module.name}`];
  const lines = [...deletes, ...untried, ...(loss === null ? [] : [loss])];
  return { lines, isLoss: loss !== null || (mode === 'replace' && deleted * 2 > all) };
}

interface Known {
  /** Null: not even these are known. */
  readonly counts: Counts | null;
  readonly effect: Trial['effect'] | null;
  /** Why the effect is not. */
  readonly untried: readonly string[];
}

/** A file may be larger than a trial takes, and no emergency waits for a service that is busy. */
async function tryOrCount(session: Session, module: OpenModule, given: Import): Promise<Known> {
  const signal = given.isAsked ? undefined : AbortSignal.timeout(TIMEOUT_MS);
  try {
    return { ...(await tryImport(session, module, given, signal)), untried: [] };
  } catch (error) {
    if (signal?.aborted === true)
      return {
        counts: null,
        effect: null,
        untried: [untriedText(`there was no answer within ${TIMEOUT_MS / 1_000} s`)],
      };
    const problem = error as ApiProblem;
    const isUntried = problem.code === 'payload_too_large' || UNTRIED.has(exitCodeOf(problem));
    if (problem.name !== 'ApiProblem' || !isUntried) throw error;
    const query = { mode: given.mode, dry_run: true };
    const headers = { 'content-type': 'text/csv' };
    const path = `${module.base}/entries.csv`;
    const answer = await session.client.request('POST', path, { query, body: given.body, headers });
    return { counts: (await answer.json()) as Counts, effect: null, untried: [untriedText(problem.message)] };
  }
}

/** Of trials that say nothing of the write. */
const UNTRIED: ReadonlySet<number> = new Set([EXIT.tryAgain, EXIT.notAuthorised]);

/** With its header alone: perhaps what was to fill the pipe has failed. */
function isEmpty(csv: string): boolean {
  return csv.split(/\r?\n/).filter((line) => line.replaceAll(/[\s,"]/g, '') !== '').length <= 1;
}

/** @throws {CommandError} with the lines of the file that the service refuses */
async function refusedInLines<T>(
  { contextWords }: Session,
  file: string,
  { added }: CsvList,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const problem = error as ApiProblem;
    if (problem.name !== 'ApiProblem') throw error;
    const lines = problem.errors.flatMap(({ pointer, detail }) => {
      const [, line] = /(?:^| )line (\d+)$/.exec(pointer) ?? [];
      if (line === undefined) return [];
      // Of an entry that stands there twice.
      const inFile = detail.replace(
        / in line (\d+) already/,
        (_, other: string) => ` in line ${Number(other) - added} already`,
      );
      return [`${nameOf(file)}:${Number(line) - added}: ${inCommands(inFile, contextWords)}`];
    });
    if (lines.length === 0) throw error;
    throw new CommandError(lines.join('\n'), exitCodeOf(problem), { cause: error });
  }
}
