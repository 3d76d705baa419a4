/** Brings the names in a body into their canonical form, wherever its schema says that there is one. */
import type { TSchema } from 'typebox';
import { NAME_FORMAT, canonicalName } from '../../api/shapes/names.ts';

/** Returns the value with canonical names. The value given stays unchanged; parts without names are shared with it. */
type Canonicalizer = (value: unknown) => unknown;

/** The keywords that lead to names. */
interface Schema {
  readonly format?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

export function canonicalizer(schema: TSchema): Canonicalizer {
  return find(schema) ?? ((value) => value);
}

/** @returns null where the schema has no names */
function find({ format, anyOf, properties, items }: Schema): Canonicalizer | null {
  if (format === NAME_FORMAT) return (value) => (typeof value === 'string' ? canonicalName(value) : value);
  // What is canonical stays so: a value may pass all branches.
  if (anyOf !== undefined) return inTurn(anyOf.flatMap((branch) => find(branch) ?? []));
  if (items !== undefined) return ofItems(find(items));
  return inTurn(
    Object.entries(properties ?? {}).flatMap(([name, member]) => ofMember(name, find(member)) ?? []),
  );
}

function inTurn(steps: readonly Canonicalizer[]): Canonicalizer | null {
  return steps.length === 0 ? null : (value) => steps.reduce((known, step) => step(known), value);
}

function ofItems(canonical: Canonicalizer | null): Canonicalizer | null {
  return canonical === null ? null : (value) => (Array.isArray(value) ? value.map(canonical) : value);
}

function ofMember(name: string, canonical: Canonicalizer | null): Canonicalizer | null {
  if (canonical === null) return null;
  return (value) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return value;
    const member = (value as Readonly<Record<string, unknown>>)[name];
    const better = canonical(member);
    return better === member ? value : { ...value, [name]: better };
  };
}
