/** Log files of the machine of the service: shown, followed, and cleaned. */
import type { Schemas } from '#client';
import { MAXIMUM_READ_BYTES } from '../../api/operation/log-limits.ts';
import { column, type Column } from '../nouns/noun.ts';
import { CommandError, EXIT, UsageError } from '../process/command-error.ts';
import { say } from '../process/ask.ts';
import { print, printAnswer, printList } from '../render/formats.ts';
import { readList } from '../records/crud.ts';
import type { Session } from '../session/run-remote.ts';
import { followLog } from './followed-log.ts';

export interface LogOptions {
  readonly lines?: number | undefined;
  readonly level?: string | undefined;
  readonly grep?: string | undefined;
  readonly follow: boolean;
  readonly empty: boolean;
  readonly clean: boolean;
  readonly 'dry-run': boolean;
}

const FILES = '/v1/runtime-logs/files';

const CLEANED: readonly Column[] = [
  column('NAME', 'name'),
  column('SIZE', 'size'),
  column('MODIFIED', 'modified_at'),
  column('REASON', 'reason'),
];

export async function logs(session: Session, file: string | undefined, options: LogOptions): Promise<void> {
  const { lines, level, grep, follow, clean, empty, 'dry-run': isDry } = options;
  const isRead = follow || [lines, level, grep].some((one) => one !== undefined);
  if ((clean || empty) && isRead)
    throw new UsageError('--clean and --empty show no lines: leave --lines, --level, --grep and -f out');
  if (clean && empty) throw new UsageError('--clean and --empty are two things: write one of them');
  if (isDry && !clean) throw new UsageError('--dry-run goes with --clean');
  if (clean) {
    if (file !== undefined)
      throw new UsageError(`--clean takes no FILE: --empty takes all lines out of ${file}`);
    return cleanAll(session, isDry);
  }
  if (empty) {
    if (file === undefined) throw new UsageError('Name the file: prefixcast logs FILE --empty');
    return emptyOne(session, file);
  }
  if (file === undefined && !isRead) return listFiles(session);
  return readOne(session, file ?? (await onlyFile(session)), options);
}

/** @throws {CommandError} where there are several, or none */
async function onlyFile(session: Session): Promise<string> {
  const { items } = await readList(session, FILES, {}, { all: true });
  const names = items.map(({ name }) => String(name));
  if (names.length === 1) return names[0]!;
  const [what, code] =
    names.length === 0 ? ['there is none', EXIT.notFound] : [`there are ${names.join(', ')}`, EXIT.usage];
  throw new CommandError(`Name the file whose lines are to be shown: ${what}`, code);
}

async function listFiles(session: Session): Promise<void> {
  const { items } = await readList(session, FILES, {}, { all: true });
  const columns = [column('NAME', 'name'), column('SIZE', 'size'), column('MODIFIED', 'modified_at')];
  await printList({ items, columns, name: 'name' }, session.format);
}

async function readOne(session: Session, file: string, options: LogOptions): Promise<void> {
  const { client } = session;
  const { lines, level, grep, follow } = options;
  const isSearched = level !== undefined || grep !== undefined;
  const query = {
    lines,
    level,
    grep,
    ...(isSearched ? { bytes: MAXIMUM_READ_BYTES } : {}),
  };
  if (follow) return followLog(session, pathOf(file), query);
  const answer = await client.request('GET', pathOf(file), {
    query,
    headers: { accept: 'application/json' },
  });
  const { lines: found, size } = (await answer.json()) as Schemas['RuntimeLogTail'];
  print(found.map((line) => `${line}\n`).join(''));
  if (isSearched && size > MAXIMUM_READ_BYTES)
    say(
      `Of the ${size} bytes of ${file}, the last ${MAXIMUM_READ_BYTES} were searched: older lines are not among these`,
    );
}

async function emptyOne({ client, format }: Session, file: string): Promise<void> {
  await client.request('DELETE', pathOf(file));
  await printAnswer({ name: file, mode: 'truncate' }, `${file} is empty`, format);
}

async function cleanAll({ client, format }: Session, isDry: boolean): Promise<void> {
  const answer = isDry
    ? await client.request('GET', '/v1/runtime-logs/auto-estimate')
    : await client.request('POST', '/v1/runtime-logs/auto-run');
  const cleanup = (await answer.json()) as Schemas['RuntimeLogCleanup'];
  const { files, freed_bytes: freed, failed } = cleanup;
  if (format === 'json' || format === 'yaml') await printAnswer(cleanup, '', format);
  else await printList({ items: files, columns: CLEANED, name: 'name' }, format);
  say(isDry ? `It would free ${freed} bytes. Nothing has changed: dry run` : `${freed} bytes are free again`);
  if (failed.length === 0) return;
  const texts = failed.map(({ name, detail }) => `${name}: ${detail ?? 'it is gone'}`);
  throw new CommandError(`Not cleaned: ${texts.join('; ')}`, EXIT.failed);
}

function pathOf(file: string): string {
  return `${FILES}/${encodeURIComponent(file)}`;
}
