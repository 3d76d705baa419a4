/** Prints items and objects in the format that was asked for. */
import { type Column, column, type Item } from '../nouns/noun.ts';
import { say } from '../process/ask.ts';
import { Output } from '../process/output.ts';
import { isTerminal } from './terminal.ts';
import { textList, textTable } from './text-table.ts';

export const FORMATS = ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'name'] as const;
export type Format = (typeof FORMATS)[number];

const STANDARD_OUTPUT = 1;

export interface Listed {
  readonly items: readonly Item[];
  readonly columns: readonly Column[];
  /** The member that names an item. */
  readonly name: string;
  /** Names of ids, where columns show names. */
  readonly names?: ReadonlyMap<string, string>;
  /** What people call members, where that is another word. */
  readonly labels?: ReadonlyMap<string, string>;
  /** Members whose empty lists mean all. */
  readonly allWhereEmpty?: ReadonlySet<string>;
  /** What people read below a table that does not show all; in a pipe, where rows are read by programs, on standard error. */
  readonly more?: string | undefined;
  /** What JSON has beside the items. */
  readonly beside?: Item | undefined;
}

export function print(text: string): void {
  const out = new Output(STANDARD_OUTPUT);
  out.text(text);
  out.flush();
}

/** A line about rows, which is none of them. */
export function printBelow(line: string): void {
  if (isTerminal()) print(`${line}\n`);
  else say(line);
}

export async function printList(listed: Listed, format: Format): Promise<void> {
  const { items, columns, name, more } = listed;
  const text = (column: Column, item: Item): string => cellText(valueOf(column, item), listed.names);
  switch (format) {
    case 'table':
    case 'wide': {
      const shown = columns.filter(({ isWide }) => isWide !== true || format === 'wide');
      const rows = items.map((item) => shown.map((column) => text(column, item)));
      const titles = shown.map(({ title }) => title);
      const minor = shown.map((column) => column.minor ?? 0);
      print(textTable(titles, rows, minor));
      if (more !== undefined) printBelow(more);
      return;
    }
    case 'csv': {
      const titles = columns.map(({ title }) => title.toLowerCase().replaceAll(' ', '_'));
      const rows = items.map((item) => columns.map((column) => text(column, item)));
      return print([titles, ...rows].map((row) => `${row.map(quoted).join(',')}\n`).join(''));
    }
    case 'json':
      return print(`${JSON.stringify({ items, ...listed.beside }, null, 2)}\n`);
    case 'ndjson':
      return print(items.map((item) => `${JSON.stringify(item)}\n`).join(''));
    case 'yaml':
      return print(await yamlOf(items));
    case 'name':
      return print(items.map((item) => `${cellText(memberOf(item, name))}\n`).join(''));
  }
}

/** One thing with all of its members; a table shows names for ids. */
export async function printObject(item: Item, listed: Omit<Listed, 'items'>, format: Format): Promise<void> {
  switch (format) {
    case 'table':
    case 'wide':
      return print(textList(pairsOf(item, listed)));
    case 'json':
      return print(`${JSON.stringify(item, null, 2)}\n`);
    case 'yaml':
      return print(await yamlOf(item));
    default:
      return printList({ ...listed, items: [item] }, format);
  }
}

/** What a write answers: `words` for people, and what the API says for programs, with a column for each member. */
export async function printAnswer(answer: object, words: string, format: Format): Promise<void> {
  if (format === 'table' || format === 'wide') return print(`${words}\n`);
  const { items, ...others } = answer as { readonly items?: readonly Item[] };
  // A dry run has routes, and more that only an object can hold.
  const isWhole = Object.keys(others).length > 0 && (format === 'json' || format === 'yaml');
  if (items === undefined || isWhole) return printObject(answer as Item, shapeOf(answer), format);
  return printList({ items, ...shapeOf(items[0] ?? {}) }, format);
}

/** Members that name what has them, the best first. */
const NAMES = ['name', 'number', 'slug', 'key', 'cidr', 'fqdn', 'asn', 'id'] as const;

function shapeOf(item: object): Omit<Listed, 'items'> {
  const members = Object.keys(item);
  return {
    columns: members.map((member) => column(member, member)),
    name: NAMES.find((name) => members.includes(name)) ?? members[0] ?? 'id',
  };
}

function pairsOf(
  item: Item,
  { names, labels, allWhereEmpty }: Pick<Listed, 'names' | 'labels' | 'allWhereEmpty'>,
): [string, string][] {
  return Object.entries(item).flatMap(([name, value]) => {
    const label = labels?.get(name) ?? (holdsNames(value, names) ? nameOfNames(name) : name);
    const isAll = allWhereEmpty?.has(name) === true && Array.isArray(value) && value.length === 0;
    const lines = isAll ? ['all'] : proseLines(value, names);
    return lines.map((line, at): [string, string] => [at === 0 ? label : '', line]);
  });
}

/** What an object has, a line for each of several: nobody reads JSON in a table. */
function proseLines(value: unknown, names: Listed['names']): string[] {
  const isObject = (one: unknown): one is Item =>
    typeof one === 'object' && one !== null && !Array.isArray(one);
  const objects = [value].flat();
  if (objects.length === 0 || !objects.every(isObject)) return [cellText(value, names)];
  return objects.map((one) => proseOf(one, names).join(', ') || '-');
}

function proseOf(item: Item, names: Listed['names'], before = ''): string[] {
  // What it is of comes first, and once: an id with its name says what its label says.
  const entries = Object.entries(item).filter(
    ([name]) => !(`${name.replace(/_label$/, '')}_id` in item && name.endsWith('_label')),
  );
  const isOf = ([, value]: readonly [string, unknown]): boolean => holdsNames(value, names);
  return [...entries.filter(isOf), ...entries.filter((one) => !isOf(one))].flatMap(([name, value]) => {
    if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return [];
    const called = `${before}${(holdsNames(value, names) ? nameOfNames(name) : name).replaceAll('_', ' ')} `;
    if (typeof value !== 'object') return [`${called}${cellText(value, names)}`];
    if (!Array.isArray(value)) return proseOf(value as Item, names, called);
    return value.flatMap((one: unknown) =>
      typeof one === 'object' && one !== null
        ? proseOf(one as Item, names, called)
        : [`${called}${cellText(one, names)}`],
    );
  });
}

/** What a member of ids is called where it shows names: `communities` for `community_ids`. */
export function nameOfNames(name: string): string {
  return name
    .replace(/y_ids$/, 'ies')
    .replace(/_ids$/, 's')
    .replace(/_id$/, '');
}

function holdsNames(value: unknown, names: ReadonlyMap<string, string> = new Map()): boolean {
  return [value].flat().some((id) => typeof id === 'string' && names.has(id));
}

export function valueOf({ of }: Column, item: Item): unknown {
  return typeof of === 'string' ? memberOf(item, of) : of(item);
}

/** A member by its path, `a.b` inside another. */
export function memberOf(item: Item, path: string): unknown {
  return path.split('.').reduce<unknown>((value, part) => (value as Item | null | undefined)?.[part], item);
}

export function cellText(value: unknown, names: ReadonlyMap<string, string> = new Map()): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value))
    return value.length === 0 ? '-' : value.map((one) => cellText(one, names)).join(', ');
  if (typeof value === 'object') return JSON.stringify(value);
  if (typeof value !== 'string') return `${value as number}`;
  return names.get(value) ?? value.replace(/\s*\n\s*/g, ' ');
}

function quoted(text: string): string {
  const plain = text === '-' ? '' : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

async function yamlOf(value: unknown): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify(value, { lineWidth: 0 });
}
