import pg from 'pg';
import { Problem, fieldProblem } from '../../api/problems/problem.ts';

const UNIQUE_VIOLATION = '23505';
const FOREIGN_KEY_VIOLATION = '23503';

/** For each field with a reference: what it refers to, and where that is listed. */
const REFERENCES: Readonly<Record<string, readonly [noun: string, path: string]>> = {
  community_id: ['community', '/v1/communities'],
  community_ids: ['community', '/v1/communities'],
  module_id: ['module', '/v1/modules'],
  speaker_id: ['speaker', '/v1/speakers'],
  client_id: ['firewall client', '/v1/firewall/clients'],
  revision_id: ['revision', '/v1/revisions'],
};

/**
 * Runs a write. A violated constraint, recognised by its name (`<table>_<field>_key` and `_fkey`), becomes a Problem with field, value and
 * remedy.
 * @param values what was written, as the caller knows it
 * @throws {Problem} `conflict` or `validation_failed`
 */
export async function mapConstraintErrors<T>(
  table: string,
  values: Readonly<Record<string, unknown>>,
  write: Promise<T>,
  pointer = '',
): Promise<T> {
  try {
    return await write;
  } catch (error) {
    throw explain(error, table, values, pointer);
  }
}

function explain(
  error: unknown,
  table: string,
  values: Readonly<Record<string, unknown>>,
  pointer: string,
): unknown {
  if (!(error instanceof pg.DatabaseError) || error.constraint?.startsWith(`${table}_`) !== true)
    return error;
  const [constrained, kind] = splitSuffix(error.constraint.slice(table.length + 1));
  const field = constrained.replace(/_without_case$/, '');
  if (field !== constrained && error.code === UNIQUE_VIOLATION)
    return sameWithoutCase(table, field, values[field], pointer);
  const value = String(values[field]);
  if (error.code === UNIQUE_VIOLATION && kind === 'key') {
    const detail = `${nounOf(table)} with the ${field} ${value} exists already. Choose another ${field}.`;
    return new Problem('conflict', detail, { errors: [{ pointer: `${pointer}/${field}`, detail }] });
  }
  if (error.code === FOREIGN_KEY_VIOLATION && kind === 'fkey')
    return unknownReference(field, value, `${pointer}/${field}`);
  return error;
}

function sameWithoutCase(table: string, field: string, value: unknown, pointer: string): Problem {
  // Of several rows it is unknown which one it was.
  const shown = value === undefined ? `one of these ${field}s` : `the ${field} ${value as string}`;
  const detail = `${nounOf(table)} with ${shown}, written in another case or form, exists already. Choose another ${field}.`;
  return new Problem('conflict', detail, { errors: [{ pointer: `${pointer}/${field}`, detail }] });
}

/** 422 for a field whose id does not exist. */
export function unknownReference(field: string, id: string, pointer: string): Problem {
  const [noun, path] = REFERENCES[field] ?? ['resource', '/v1'];
  return fieldProblem(pointer, `No ${noun} has the id ${id}. List ${path} to see which exist.`);
}

function splitSuffix(name: string): [field: string, kind: string] {
  const cut = name.lastIndexOf('_');
  return [name.slice(0, cut), name.slice(cut + 1)];
}

function nounOf(table: string): string {
  const noun = table
    .replaceAll('_', ' ')
    .replace('cdn', 'CDN')
    .replace('ip ', 'IP ')
    .replace('as ', 'AS ')
    .replace('doh', 'DoH')
    .replace('api', 'API');
  return `${/^[aeiou]/.test(noun) ? 'An' : 'A'} ${noun}`;
}
