/** Evaluates JSONPath, RFC 9535. */
import { JSONPathError, JSONPathQuery, type JSONValue, jsonpath } from 'json-p3';
import type { Parsed } from '../../core/address.ts';

const MAX_PATH = 500;

/** A path from the root, as RFC 9535 writes it; the root may be omitted: `data.list` is `$.data.list`. */
function fromRoot(text: string): string {
  if (text.startsWith('$') || text === '') return text;
  return text.startsWith('[') || text.startsWith('.') ? `$${text}` : `$.${text}`;
}

/** Checks a path before it is stored. The value is the path as given. */
export function checkJsonPath(text: string): Parsed<string> {
  if (text.length > MAX_PATH) return { ok: false, reason: `The path is longer than ${MAX_PATH} characters` };
  try {
    jsonpath.compile(fromRoot(text));
    return { ok: true, value: text };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const where =
      error instanceof JSONPathError
        ? ` at character ${error.token.index + 1 - (fromRoot(text).length - text.length)}`
        : '';
    return {
      ok: false,
      reason: `${JSON.stringify(text)} is not a JSONPath (RFC 9535)${where}: ${error.message}. Write it such as $.prefixes[*].ip_prefix`,
    };
  }
}

/** The values at a path that {@link checkJsonPath} accepted, in the order of the document, one by one. */
export function* valuesAt(document: JSONValue, path: string): IterableIterator<JSONValue> {
  for (const { value } of jsonpath.compile(fromRoot(path)).lazyQuery(document)) yield value;
}

/**
 * Whether a path that matches nothing leads to empty arrays, as far as it can be followed: then the list exists, and is empty. A wrong path
 * leads to something else.
 */
export function leadsToEmptiness(document: JSONValue, path: string): boolean {
  const { environment, segments } = jsonpath.compile(fromRoot(path));
  for (let length = segments.length - 1; length >= 0; length--) {
    const nodes = new JSONPathQuery(environment, segments.slice(0, length)).lazyQuery(document);
    let reached = false;
    for (const { value } of nodes) {
      if (!Array.isArray(value) || value.length > 0) return false;
      reached = true;
    }
    if (reached) return true;
  }
  return false;
}
