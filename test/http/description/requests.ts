/** Requests made out of the API description alone, as a stranger with the document would make them. */
import {
  type Chance,
  type Described,
  type Json,
  parameterText,
  pick,
  resolveSchema,
  rightValue,
  wrongValue,
} from './values.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Json;
}

interface Media {
  readonly schema: Json;
  readonly example?: unknown;
}

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: readonly (readonly [mediaType: string, media: Media])[];
  readonly responses: Readonly<Record<string, { readonly content?: Record<string, unknown> }>>;
}

export interface GeneratedRequest {
  readonly operation: Operation;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export function operationsOf(document: Json): Operation[] {
  const paths = document.paths as Record<string, Record<string, Json>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      method: method.toUpperCase(),
      path,
      parameters: (described.parameters as Json[]).map(
        (parameter) => resolveSchema(document, parameter) as unknown as Parameter,
      ),
      body: Object.entries(
        (described.requestBody as { content: Record<string, Media> } | undefined)?.content ?? {},
      ),
      responses: described.responses as Operation['responses'],
    })),
  );
}

function nounOf({ description = '' }: Parameter): string {
  return description.replace(/^Id of the /, '');
}

/** What the ids in a good answer of the operation identify; null where the description does not tell. */
export function answeredNoun(
  operations: readonly Operation[],
  { path, responses }: Operation,
): string | null {
  if (responses['202'] !== undefined) return 'job';
  const item = operations.find(
    (other) =>
      (path.endsWith('}') ? other.path : other.path.replace(/\/\{\w+\}$/, '')) === path &&
      other.path.endsWith('}'),
  );
  const last = item?.parameters.filter((parameter) => parameter.in === 'path').at(-1);
  return last === undefined ? null : nounOf(last);
}

/** Half of all requests are right in every part, as far as the description says. */
export function generate(from: Described, operation: Operation): GeneratedRequest {
  const { chance } = from;
  const isRight = chance() < 0.5;
  const isGood = (): boolean => isRight || chance() < 0.7;
  let path = operation.path;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  for (const parameter of operation.parameters) {
    const means = parameter.in === 'path' ? nounOf(parameter) : parameter.name;
    const text = (): string => parameterText(from, parameter.schema, means, isGood());
    if (parameter.in === 'path')
      path = path.replace(`{${parameter.name}}`, encodeURIComponent(wellFormed(text())));
    else if (parameter.in === 'query') {
      if (parameter.required === true ? isGood() : chance() < 0.25)
        query.append(parameter.name, wellFormed(text()));
    } else if (parameter.name === 'Idempotency-Key' && chance() < 0.2)
      headers[parameter.name] = `key-${Math.floor(chance() * 500)}`;
    else if (parameter.name.startsWith('If-') && chance() < 0.1)
      headers[parameter.name] = pick(chance, ['*', '"1-Zm9v"', 'W/"x"', '"']);
  }
  if (!isRight && chance() < 0.05) query.append('no_such_parameter', '1');
  if (chance() < 0.1)
    headers.Accept = pick(chance, ['*/*', 'text/csv', 'text/plain', 'image/png', 'application/json;q=0']);
  const body = bodyOf(from, operation, isRight, headers);
  return { operation, path: query.size === 0 ? path : `${path}?${query.toString()}`, headers, body };
}

function bodyOf(
  from: Described,
  operation: Operation,
  isRight: boolean,
  headers: Record<string, string>,
): string | undefined {
  const { chance } = from;
  if (operation.body.length === 0) return undefined;
  const [mediaType, { schema, example }] = pick(chance, operation.body);
  if (!isRight && chance() < 0.03) return undefined;
  headers['Content-Type'] = !isRight && chance() < 0.03 ? 'text/html' : mediaType;
  if (!mediaType.includes('json'))
    return brokenText(chance, isRight, (example as string | undefined) ?? 'a,b\n1,2\n');
  const value =
    isRight || chance() < 0.2 ? rightValue(from, schema, '', example) : wrongValue(from, schema, example);
  return brokenText(chance, isRight, JSON.stringify(value));
}

function brokenText(chance: Chance, isRight: boolean, text: string): string {
  if (isRight || chance() < 0.95) return text;
  return pick(chance, [
    text.slice(0, -1),
    `${text}x`,
    '{',
    '[[[[',
    '{"a":1,"a":2}',
    `${'['.repeat(5_000)}`,
    '\ufeff{}',
  ]);
}

/** A lone surrogate has no UTF-8. */
function wellFormed(text: string): string {
  return text.toWellFormed();
}
