/**
 * Says what is wrong with a value that a schema refused, for people: every fault with its JSON Pointer and its remedy. Knows
 * the part of JSON Schema that src/api uses. Whether a value is good is decided by TypeBox's compiled check alone; this only
 * runs after a refusal.
 */
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import Format from 'typebox/format';
import { NAME_FORMAT, explainName } from '../shapes/names.ts';
import type { FieldFault } from './problem.ts';
import { escapePointer } from './json-pointer.ts';
import { didYouMean } from './nearest.ts';

/** The keywords in use, seen as data. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  /** Secrets: never shown again, not even as a fault. */
  readonly writeOnly?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
}

const FORMATS: Readonly<Record<string, string>> = {
  [NAME_FORMAT]: 'a string',
  uuid: 'an id (UUID)',
  'date-time': 'an RFC 3339 time such as 2026-01-31T12:00:00Z',
  ipv4: 'an IPv4 address such as 192.0.2.1',
  ipv6: 'an IPv6 address such as 2001:db8::1',
};

const TYPES: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};

type Report = (pointer: string, detail: string) => void;

/** Enough for anybody to see what is wrong; a hostile body must not buy more work than this. */
const MAXIMUM_FAULTS = 100;

class EnoughFaults extends Error {}

function collectFaults(run: (report: Report) => void): FieldFault[] {
  const faults: FieldFault[] = [];
  try {
    run((pointer, detail) => {
      if (faults.length === MAXIMUM_FAULTS) throw new EnoughFaults();
      faults.push({ pointer, detail });
    });
  } catch (error) {
    if (!(error instanceof EnoughFaults)) throw error;
  }
  return faults;
}

/**
 * The first hundred faults of `value`, in the order of the schema.
 * @param readOnly names that answers have and bodies may not set
 */
export function explainFaults(
  schema: TSchema,
  value: unknown,
  readOnly: readonly string[] = [],
): FieldFault[] {
  return collectFaults((report) => explain(schema, value, '', readOnly, report));
}

function explain(
  schema: Schema,
  value: unknown,
  pointer: string,
  readOnly: readonly string[],
  report: Report,
): void {
  if (schema.anyOf !== undefined) return explainAnyOf(schema.anyOf, value, pointer, readOnly, report);
  const choices = schema.enum ?? ('const' in schema ? [schema.const] : undefined);
  if (choices !== undefined) {
    if (!choices.includes(value))
      report(pointer, `must be ${oneOf(choices)}; it is ${shown(value)}${didYouMean(value, choices)}`);
    return;
  }
  const type = schema.type;
  if (type !== undefined && !hasType(value, type))
    return report(
      pointer,
      `must be ${expected(schema)}${schema.writeOnly === true ? '' : `; it is ${shown(value)}`}`,
    );
  if (typeof value === 'string') explainString(schema, value, pointer, report);
  else if (typeof value === 'number') explainNumber(schema, value, pointer, report);
  else if (Array.isArray(value)) explainList(schema, value, pointer, readOnly, report);
  else if (isObject(value)) explainObject(schema, value, pointer, readOnly, report);
}

/** Reports the faults of the branch that was most likely meant, and that null is allowed where it is. */
function explainAnyOf(
  branches: readonly Schema[],
  value: unknown,
  pointer: string,
  readOnly: readonly string[],
  report: Report,
): void {
  const real = branches.filter((branch) => branch.type !== 'null');
  const orNull = real.length < branches.length ? ', or null' : '';
  if (value === null && orNull !== '') return;
  const candidates = real
    .map((branch) => {
      const faults = collectFaults((branchReport) => explain(branch, value, pointer, readOnly, branchReport));
      return { faults, likeness: likeness(branch, value) };
    })
    .sort((a, b) => b.likeness - a.likeness || a.faults.length - b.faults.length);
  if (candidates.some(({ faults }) => faults.length === 0)) return;
  const formats = real.flatMap((branch) => (branch.format === undefined ? [] : [FORMATS[branch.format]!]));
  if (formats.length === real.length && real.length > 1)
    return report(pointer, `must be ${formats.join(' or ')}${orNull}; it is ${shown(value)}`);
  for (const fault of candidates[0]?.faults ?? []) {
    const detail =
      fault.pointer === pointer ? fault.detail.replace(/(?=; it (?:is|has) |$)/, orNull) : fault.detail;
    report(fault.pointer, detail);
  }
}

/** How much a value looks like what a branch describes: its type, then how many of its members the branch knows. */
function likeness(branch: Schema, value: unknown): number {
  if (branch.type !== undefined && !hasType(value, branch.type)) return -1;
  if (!isObject(value) || branch.properties === undefined) return 0;
  return Object.keys(value).filter((key) => Object.hasOwn(branch.properties!, key)).length;
}

function explainString(schema: Schema, value: string, pointer: string, report: Report): void {
  const { minLength = 0, maxLength = Infinity } = schema;
  if (value.length < minLength)
    report(pointer, minLength === 1 ? 'must not be empty' : `must have at least ${minLength} characters`);
  else if (value.length > maxLength)
    report(pointer, `must have at most ${maxLength} characters; it has ${value.length}`);
  else if (schema.format === NAME_FORMAT && !Format.Test(NAME_FORMAT, value))
    report(pointer, explainName(value));
  else if (schema.format !== undefined && !Format.Test(schema.format, value))
    report(pointer, `must be ${FORMATS[schema.format] ?? schema.format}; it is ${shown(value)}`);
  else if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value))
    report(
      pointer,
      `must be ${inSentence(schema.description) ?? `text that matches ${schema.pattern}`}${schema.writeOnly === true ? '' : `; it is ${shown(value)}`}`,
    );
}

/** A description begins with a capital, unless that is a name. */
function inSentence(description: string | undefined): string | undefined {
  return description?.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
}

function explainNumber(schema: Schema, value: number, pointer: string, report: Report): void {
  const { minimum = -Infinity, maximum = Infinity } = schema;
  if (value < minimum || value > maximum) report(pointer, `must be ${range(schema)}; it is ${value}`);
}

function explainList(
  schema: Schema,
  value: readonly unknown[],
  pointer: string,
  readOnly: readonly string[],
  report: Report,
): void {
  const { minItems = 0, maxItems = Infinity } = schema;
  if (value.length < minItems)
    report(pointer, `must have at least ${minItems} item${minItems === 1 ? '' : 's'}`);
  if (value.length > maxItems) report(pointer, `must have at most ${maxItems} items; it has ${value.length}`);
  if (schema.uniqueItems === true) {
    const seen = new Set<string>();
    value.forEach((item, index) => {
      const text = JSON.stringify(item);
      if (seen.has(text)) report(`${pointer}/${index}`, `repeats ${shown(item)}; name each once`);
      seen.add(text);
    });
  }
  const items = schema.items ?? {};
  const isGood = value.length > FEW_ITEMS ? compiledCheck(items) : null;
  value.forEach((item, index) => {
    if (isGood?.(item) !== true) explain(items, item, `${pointer}/${index}`, readOnly, report);
  });
}

/** With this many items or more, those with faults are looked for by compiled code: a list of 40,000 held the event loop for half a second. */
const FEW_ITEMS = 100;
const compiledChecks = new WeakMap<Schema, (value: unknown) => boolean>();

function compiledCheck(schema: Schema): (value: unknown) => boolean {
  let check = compiledChecks.get(schema);
  if (check === undefined) {
    const validator = Compile(schema as TSchema);
    check = (value) => validator.Check(value);
    compiledChecks.set(schema, check);
  }
  return check;
}

function explainObject(
  schema: Schema,
  value: Readonly<Record<string, unknown>>,
  pointer: string,
  readOnly: readonly string[],
  report: Report,
): void {
  const { properties = {}, patternProperties = {}, required = [] } = schema;
  const patterns = Object.entries(patternProperties);
  for (const name of required)
    if (!Object.hasOwn(value, name))
      report(`${pointer}/${name}`, `is required: ${expected(properties[name])}`);
  for (const [name, member] of Object.entries(value)) {
    const at = `${pointer}/${escapePointer(name)}`;
    const known = Object.hasOwn(properties, name)
      ? properties[name]
      : patterns.find(([pattern]) => new RegExp(pattern, 'u').test(name))?.[1];
    if (known !== undefined) explain(known, member, at, [], report);
    else if (schema.additionalProperties === false) {
      const names = Object.keys(properties);
      if (readOnly.includes(name)) report(at, 'cannot be set here; leave it out');
      else if (names.length === 0) report(at, 'is not a name that is allowed here');
      else report(at, `is not a known field${didYouMean(name, names) || `; known are ${names.join(', ')}`}`);
    }
  }
  const count = Object.keys(value).length;
  if (count < (schema.minProperties ?? 0)) report(pointer, 'must set at least one field');
  if (count > (schema.maxProperties ?? Infinity))
    report(pointer, `must have at most ${schema.maxProperties} members; it has ${count}`);
}

/** What a schema wants, in words. */
function expected(schema: Schema | undefined): string {
  if (schema === undefined) return 'a value';
  if (schema.anyOf !== undefined) return schema.anyOf.map(expected).join(' or ');
  if (schema.enum !== undefined) return oneOf(schema.enum);
  if (schema.format !== undefined) return FORMATS[schema.format] ?? schema.format;
  const numeric = schema.type === 'integer' || schema.type === 'number';
  if (numeric && schema.minimum !== undefined) return `${TYPES[schema.type]} ${range(schema)}`;
  return TYPES[schema.type ?? ''] ?? 'a value';
}

function range({ minimum, maximum }: Schema): string {
  if (minimum === undefined) return `at most ${maximum}`;
  return maximum === undefined ? `at least ${minimum}` : `from ${minimum} to ${maximum}`;
}

function oneOf(choices: readonly unknown[]): string {
  const names = choices.map((choice) => (typeof choice === 'string' ? choice : JSON.stringify(choice)));
  return names.length === 1 ? names[0]! : `one of ${names.join(', ')}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}
