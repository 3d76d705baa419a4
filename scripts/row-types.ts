/** Types of database rows, made of the catalog of a database that holds every migration. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, type FormatConfig } from 'oxfmt';
import ts from 'typescript';
import { SCHEMA } from '../src/store/database/migrate.ts';

const ROOT = join(import.meta.dirname, '..');
const SHAPES = join(ROOT, 'src/store/columns/column-shapes.ts');
const KINDS = join(ROOT, 'src/store/columns/column-kinds.ts');

export const ROWS = join(ROOT, 'src/store/generated/rows.ts');

/** What the driver hands out for a column, beside arrays of these. */
const VALUES: Readonly<Record<string, string>> = {
  bigint: 'number',
  boolean: 'boolean',
  bytea: 'Buffer',
  cidr: 'string',
  integer: 'number',
  smallint: 'number',
  text: 'string',
  uuid: 'string',
  xid8: 'string',
};

export interface Column {
  readonly table: string;
  readonly column: string;
  /** As `format_type` names it, without a length or precision. */
  readonly type: string;
  readonly nullable: boolean;
  readonly defaulted: boolean;
  /** The database alone writes it. */
  readonly always: boolean;
  /** Checks that look at this column alone, as `pg_get_constraintdef` writes them. */
  readonly checks: readonly string[];
}

/** Answers with rows of {@link Column}. The table of landed migrations is none of theirs. */
export const CATALOG = `
  SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, NULL) AS type,
    NOT a.attnotnull AS nullable, a.atthasdef AS defaulted,
    a.attidentity = 'a' OR a.attgenerated <> '' AS always,
    ARRAY(SELECT pg_get_constraintdef(oid) FROM pg_constraint
      WHERE conrelid = c.oid AND contype = 'c' AND conkey = ARRAY[a.attnum]) AS checks
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  WHERE c.relnamespace = '${SCHEMA}'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname <> 'migration'
    AND a.attnum > 0 AND NOT a.attisdropped
  ORDER BY c.relname COLLATE "C", a.attnum`;

/** The text of {@link ROWS}. Throws when column-shapes.ts and the catalog do not fit each other. */
export async function rowTypes(columns: readonly Column[], shapes = readShapes()): Promise<string> {
  const names = new Set(columns.flatMap((column) => [nameOf(column), anywhere(column)]));
  const gone = [...shapes].find((name) => !names.has(name));
  if (gone !== undefined)
    throw new Error(`src/store/columns/column-shapes.ts names ${gone}, and no migration makes that column`);
  const tables = Map.groupBy(columns, ({ table }) => table);
  const body = [
    ...Array.from(tables, ([table, own]) => {
      const members = own.map((column) => `${column.column}: ${typeOf(column, shapes)};`);
      return `export interface ${typeName(table)} {\n${members.join('\n')}\n}`;
    }),
    `/** Every table by its name. */\nexport interface Tables {\n${Array.from(tables.keys(), (table) => `${table}: ${typeName(table)};`).join('\n')}\n}`,
  ].join('\n\n');
  const text = `/** Rows as the driver hands them out, made by \`npm run rows\` of what migrations/ make; those say what each column means. */
${importOf(['Generated', 'GeneratedAlways'], 'kysely', body)}
${importOf(exportsOf(KINDS), '../columns/column-kinds.ts', body)}
${importOf(['ColumnShapes'], '../columns/column-shapes.ts', body)}

${body}`;
  const { code, errors } = await format(ROWS, text, readStyle());
  if (errors.length > 0) throw new Error(`${ROWS} could not be formatted: ${errors[0]!.message}`);
  return code;
}

/** How `npm run check:format` wants files; `format` looks for no configuration by itself. */
function readStyle(): FormatConfig {
  const style = JSON.parse(readFileSync(join(ROOT, '.oxfmtrc.json'), 'utf8')) as FormatConfig & {
    ignorePatterns?: unknown;
    $schema?: unknown;
  };
  delete style.ignorePatterns;
  delete style.$schema;
  return style;
}

function nameOf({ table, column }: Column): string {
  return `${table}.${column}`;
}

/** How column-shapes.ts names the column of all tables that have it. */
function anywhere({ column }: Column): string {
  return `*.${column}`;
}

function typeName(table: string): string {
  return `${table.replaceAll(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase())}Table`;
}

function typeOf(column: Column, shapes: ReadonlySet<string>): string {
  const { type, nullable, defaulted, always } = column;
  const fill = nullable ? 'Nullable' : defaulted ? 'Defaulted' : '';
  if (type === 'timestamp with time zone') return `${fill}Time`;
  const shape = [nameOf(column), anywhere(column)].find((name) => shapes.has(name));
  const value = shape === undefined ? valueOf(column) : `ColumnShapes['${shape}']`;
  if (type === 'jsonb') return `${fill}Json<${value}>`;
  if (always) return `GeneratedAlways<${value}${nullable ? ' | null' : ''}>`;
  if (defaulted) return `Generated<${value}${nullable ? ' | null' : ''}>`;
  return nullable ? `${value} | null` : value;
}

function valueOf(column: Column): string {
  const [, element, brackets] = /^(.*?)((?:\[\])?)$/.exec(column.type)!;
  const value = VALUES[element!];
  if (value === undefined)
    throw new Error(
      `${nameOf(column)} is ${column.type}: ${
        element === 'jsonb'
          ? 'say its shape in src/store/columns/column-shapes.ts'
          : 'say in scripts/row-types.ts what the driver hands out for that'
      }`,
    );
  return (brackets === '' ? closedSet(column.checks) : undefined) ?? `${value}${brackets}`;
}

/** `CHECK (x IN ('a', 'b'))` as a union of these values. */
function closedSet(checks: readonly string[]): string | undefined {
  for (const check of checks) {
    const list = /^CHECK \(\(\w+ = (?:ANY \(ARRAY\[)?((?:'[^']*'::text(?:, )?)+)(?:\]\))?\)\)$/.exec(
      check,
    )?.[1];
    if (list !== undefined) return list.replaceAll('::text', '').replaceAll(', ', ' | ');
  }
  return undefined;
}

/** An import of those names that `body` speaks of. */
function importOf(names: readonly string[], from: string, body: string): string {
  const used = names.filter((name) => new RegExp(`\\b${name}\\b`).test(body));
  return used.length === 0 ? '' : `import type { ${used.join(', ')} } from '${from}';`;
}

function readShapes(): Set<string> {
  const names = new Set<string>();
  for (const statement of parse(SHAPES).statements) {
    if (!ts.isInterfaceDeclaration(statement)) continue;
    for (const { name } of statement.members)
      if (name !== undefined && ts.isStringLiteral(name)) names.add(name.text);
  }
  return names;
}

function exportsOf(path: string): string[] {
  return parse(path)
    .statements.filter(ts.isTypeAliasDeclaration)
    .map(({ name }) => name.text);
}

function parse(path: string): ts.SourceFile {
  return ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
}
