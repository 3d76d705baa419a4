/** A JSON schema in words, for tables of the documentation. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** An object within a table shows the types of its members only if they are few. */
const SHOWN_WITH_TYPES = 4;

const COUNT = new Intl.NumberFormat('en');

export function nameOf($ref: string): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}

/** What a value may be: `integer 1 to 500`, `array of [Module](#module)`, `` `announce` or `exclude` ``. */
export function typeText(schema: Schema): string {
  if (schema.$ref !== undefined) return `[${nameOf(schema.$ref)}](#${nameOf(schema.$ref).toLowerCase()})`;
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeText).join(' or ');
  if (schema.enum !== undefined) return schema.enum.map(literal).join(', ');
  if ('const' in schema) return literal(schema.const);
  switch (schema.type) {
    case 'array':
      return `array${range(schema.minItems, schema.maxItems, ' of')} of ${typeText(schema.items ?? {})}`;
    case 'object':
      return objectText(schema);
    case 'integer':
    case 'number':
      return `${schema.type}${range(schema.minimum, schema.maximum)}`;
    case 'string':
      return stringText(schema);
    default:
      return schema.type ?? 'any JSON';
  }
}

function literal(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function stringText({ format, pattern, minLength, maxLength }: Schema): string {
  const form = format ?? (pattern === undefined ? undefined : `matching \`${pattern}\``);
  const length = range(minLength, maxLength, ' of');
  return `string${form === undefined ? '' : ` (${form})`}${length === '' ? '' : `${length} characters`}`;
}

function objectText({ properties, additionalProperties }: Schema): string {
  if (properties === undefined)
    return typeof additionalProperties === 'object'
      ? `object of ${typeText(additionalProperties)} by name`
      : 'object';
  const names = Object.keys(properties).map((name) => `\`${name}\``);
  if (names.length > SHOWN_WITH_TYPES) return `{ ${names.join(', ')} }`;
  const members = Object.entries(properties).map(([name, member]) => `\`${name}\`: ${typeText(member)}`);
  return `{ ${members.join(', ')} }`;
}

function range(from: number | undefined, to: number | undefined, word = ''): string {
  if (from === undefined && to === undefined) return '';
  if (to === undefined) return `${word} ${COUNT.format(from!)} or more`;
  if (from === undefined) return `${word} up to ${COUNT.format(to)}`;
  return `${word} ${COUNT.format(from)} to ${COUNT.format(to)}`;
}

/** Text for a cell of a table. */
export function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A table of the members of an object. */
export function memberTable({ properties = {}, required = [] }: Schema): string {
  const rows = Object.entries(properties).map(([name, member]) => [
    `\`${name}\``,
    typeText(member),
    required.includes(name) ? 'yes' : '',
    meaning(member),
  ]);
  return table(['member', 'type', 'always', 'meaning'], rows);
}

export function meaning({ description = '', default: fallback }: Schema): string {
  if (fallback === undefined) return description;
  return `${description}${description === '' ? '' : '. '}Default ${literal(fallback)}`;
}
