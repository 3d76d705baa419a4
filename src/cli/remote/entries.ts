/** Entries of a module, which their value names: a prefix, an AS number, a domain, or the name of a source. */
import { readFileSync } from 'node:fs';
import { readList, type ListOptions } from './crud.ts';
import { columnNouns } from './column-names.ts';
import { ENTRY_KINDS } from '../nouns/entry-kinds.ts';
import { column } from '../nouns/noun.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { asksYes, canAsk, say } from '../process/ask.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { print, printList } from '../render/formats.ts';
import type { Session } from '../session/run-remote.ts';
import { waitForEdits } from '../session/wait-for-edits.ts';
import type { WaitOptions } from '../session/wait.ts';

async function openModule(session: Session, name: string) {
  const module = await session.names.find(NOUNS.module, name);
  const kind = ENTRY_KINDS[module.type as string]!;
  return { ...kind, base: `${NOUNS.module.path}/${String(module.id)}`, id: String(module.id) };
}

export async function list(session: Session, name: string, options: ListOptions): Promise<void> {
  const { base, path, key, columns: own } = await openModule(session, name);
  const columns = [
    column(key.toUpperCase(), key),
    ...own,
    column('ENABLED', 'enabled'),
    column('COMMUNITY', 'community_id', 'community'),
  ];
  const { items, more } = await readList(session, `${base}/${path}`, {}, options);
  const names = await session.names.byId(columnNouns(columns, items));
  await printList({ items, columns, name: key, names, more }, session.format);
}

export interface AddOptions extends WaitOptions {
  readonly note?: string | undefined;
  readonly community?: string | undefined;
  readonly url?: string | undefined;
  readonly format?: string | undefined;
  readonly 'json-path'?: string | undefined;
  readonly 'csv-column'?: string | undefined;
  readonly countries?: string | undefined;
}

export async function add(
  session: Session,
  [name, ...values]: readonly string[],
  options: AddOptions,
): Promise<number> {
  const { base, path, key, id } = await openModule(session, name!);
  const given = {
    note: options.note,
    url: options.url,
    format: options.format,
    json_path: options['json-path'],
    csv_column: options['csv-column'],
    countries: options.countries?.split(','),
    community_id:
      options.community === undefined ? undefined : await session.names.idOf('community', options.community),
  };
  const members = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const items = values.map((value) => ({ [key]: value, ...members }));
  await session.client.request('POST', `${base}/${path}`, { body: { items } });
  print(`${values.length === 1 ? `${values[0]} added` : `${values.length} entries added`}\n`);
  return waitForEdits(session, [id], options);
}

export async function remove(
  session: Session,
  [name, ...values]: readonly string[],
  options: WaitOptions,
): Promise<number> {
  const { base, path, key, id: moduleId } = await openModule(session, name!);
  const { items } = await readList(session, `${base}/${path}`, {}, { all: true });
  const wanted = values.map((value) => {
    const found = items.find((item) => plain(item[key]) === plain(value));
    if (found === undefined)
      throw new CommandError(`The module ${name!} has no entry ${value}`, EXIT.notFound);
    return found;
  });
  for (const { id } of wanted) await session.client.request('DELETE', `${base}/${path}/${String(id)}`);
  print(`${values.length === 1 ? `${values[0]} removed` : `${values.length} entries removed`}\n`);
  return waitForEdits(session, [moduleId], options);
}

/** AS3333 and 3333, and letters in any case, mean the same. */
function plain(value: unknown): string {
  return String(value)
    .toLowerCase()
    .replace(/^as(?=\d+$)/, '');
}

export async function exportEntries(session: Session, name: string): Promise<void> {
  const { base } = await openModule(session, name);
  const headers = { accept: 'text/csv' };
  print(await (await session.client.request('GET', `${base}/entries.csv`, { headers })).text());
}

export interface ImportOptions extends WaitOptions {
  readonly replace: boolean;
  readonly 'dry-run': boolean;
  readonly 'allow-empty': boolean;
  readonly yes: boolean;
}

/** A file with a header as the export writes it; lines of single values do as well. */
export async function importEntries(
  session: Session,
  [name, file]: readonly string[],
  options: ImportOptions,
): Promise<number> {
  const { base, key, id } = await openModule(session, name!);
  const body = withHeader(readText(file!), key);
  if (options.replace && !options['allow-empty'] && isEmpty(body))
    throw new CommandError(
      `${file === '-' ? 'Standard input' : file!} has no entries, and --replace would delete all of ${name!}: use --allow-empty where that is meant`,
      EXIT.usage,
    );
  const query = { mode: options.replace ? 'replace' : 'append', dry_run: options['dry-run'] };
  const headers = { 'content-type': 'text/csv' };
  if (options.replace && !options['dry-run']) await askBeforeLoss(session, name!, { base, body }, options);
  const answer = await session.client.request('POST', `${base}/entries.csv`, { query, body, headers });
  const { created, updated, unchanged, deleted } = (await answer.json()) as Record<string, number>;
  const would = options['dry-run'] ? ' (dry run: nothing has changed)' : '';
  print(`${created} created, ${updated} updated, ${unchanged} unchanged, ${deleted} deleted${would}\n`);
  return options['dry-run'] ? EXIT.ok : waitForEdits(session, [id], options);
}

/** @throws {CommandError} where the answer at the terminal is no */
async function askBeforeLoss(
  { client }: Session,
  name: string,
  { base, body }: { readonly base: string; readonly body: string },
  { yes }: ImportOptions,
): Promise<void> {
  const query = { mode: 'replace', dry_run: true };
  const headers = { 'content-type': 'text/csv' };
  const answer = await client.request('POST', `${base}/entries.csv`, { query, body, headers });
  const { updated, unchanged, deleted } = (await answer.json()) as Record<
    'updated' | 'unchanged' | 'deleted',
    number
  >;
  const all = updated + unchanged + deleted;
  if (deleted > 0) say(`--replace deletes ${deleted} of the ${all} entries of ${name}`);
  if (deleted * 2 <= all || yes || !canAsk() || (await asksYes('Go on?'))) return;
  throw new CommandError('Nothing has changed', EXIT.no);
}

function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new CommandError(`${file} can't be read: ${(error as Error).message}`, EXIT.noInput);
  }
}

/** With its header alone: perhaps what was to fill the pipe has failed. */
function isEmpty(csv: string): boolean {
  return csv.split(/\r?\n/).filter((line) => line.replaceAll(/[\s,"]/g, '') !== '').length <= 1;
}

/** A plain list has no header, and perhaps comments. */
function withHeader(text: string, key: string): string {
  const [first = ''] = text.split(/\r?\n/, 1);
  if (first.split(',').some((cell) => cell.trim().replaceAll('"', '') === key)) return text;
  const lines = text.split(/\r?\n/).map((line) => line.replace(/\s*[#;].*$/, '').trim());
  return [key, ...lines.filter((line) => line !== '')].join('\n');
}
