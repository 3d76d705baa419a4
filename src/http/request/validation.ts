/** Turns schemas into checks of bodies and queries. Bodies are taken as they are; queries are text and are read by type. */
import { Compile, type Validator } from 'typebox/compile';
import type { TObject, TSchema } from 'typebox';
import { Problem, type FieldFault } from '../../api/problems/problem.ts';
import { lazily } from '../../core/lazily.ts';
import { canonicalizer } from './canonical-names.ts';
import { explainFaults } from '../../api/problems/faults.ts';
import { isStorable } from './json-body.ts';

/** Returns the value it was given, names in their canonical form, or throws `validation_failed`. */
export type Check = (value: unknown) => unknown;

function refusal(where: string, faults: readonly FieldFault[]): Problem {
  const [first] = faults;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more, see errors)` : '';
  return new Problem(
    'validation_failed',
    first === undefined
      ? `The ${where} does not have the shape this operation takes. See its description in /v1/openapi.json.`
      : `${first.pointer === '' ? `The ${where}` : first.pointer} ${first.detail}${more}`.replace(
          /[^?]$/,
          '$&.',
        ),
    { errors: faults },
  );
}

/** A start compiles none of a hundred schemas; the first request of a route compiles its own, in about a millisecond. */
function compiledWhenAsked<Schema extends TSchema>(
  schema: Schema,
): () => Validator<Record<never, never>, Schema> {
  return lazily(() => Compile(schema));
}

/** @param readOnly names that answers have and bodies may not set */
export function compileBody(schema: TSchema, readOnly: readonly string[]): Check {
  const compiled = compiledWhenAsked(schema);
  const canonical = canonicalizer(schema);
  return (sent) => {
    const value = canonical(sent);
    if (compiled().Check(value)) return value;
    throw refusal('body', explainFaults(schema, value, readOnly));
  };
}

interface Parameter {
  readonly type?: string;
  readonly default?: unknown;
  readonly anyOf?: readonly { readonly type?: string }[];
}

/** Whether these are the values of a list: one that also takes a single value takes a single one as such. */
function isList({ type, anyOf = [] }: Parameter = {}, texts: readonly string[]): boolean {
  return type === 'array' || (texts.length > 1 && anyOf.some((branch) => branch.type === 'array'));
}

/** Reads `?a=1&b=true&c=x&c=y` by the types its schema names, with defaults filled in. */
export function compileQuery(schema: TObject): Check {
  const compiled = compiledWhenAsked(schema);
  const properties = schema.properties as Readonly<Record<string, Parameter>>;
  return (query) => {
    const faults: FieldFault[] = [];
    const value: Record<string, unknown> = {};
    for (const [name, text] of Object.entries(query as Record<string, string | string[]>)) {
      const texts = Array.isArray(text) ? text : [text];
      if (isList(properties[name], texts) && texts.every(isStorable)) value[name] = texts;
      else if (typeof text !== 'string')
        faults.push({ pointer: `?${name}`, detail: 'is given more than once; give it once' });
      else if (!isStorable(text)) faults.push({ pointer: `?${name}`, detail: 'holds U+0000; remove it' });
      else value[name] = readParameter(text, properties[name]?.type);
    }
    for (const [name, property] of Object.entries(properties))
      if (property.default !== undefined && !(name in value)) value[name] = property.default;
    if (faults.length === 0 && compiled().Check(value)) return value;
    if (faults.length === 0)
      for (const { pointer, detail } of explainFaults(schema, value))
        faults.push({
          pointer: `?${pointer.slice(1)}`,
          detail: detail.replace('known field', 'known parameter'),
        });
    throw refusal('query', faults);
  };
}

/** Text that does not read as its type stays text, so that the check can say what is wrong with it. */
function readParameter(text: string, type: string | undefined): unknown {
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
