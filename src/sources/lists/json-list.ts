/** Reads prefixes from JSON: the texts at a path, or at the usual places. */
import { shownText } from '../../core/text/prefix-reasons.ts';
import { JSONPathError, type JSONValue } from 'json-p3';
import type { Parsed } from '../../core/address.ts';
import type { CollectedPrefixes, Reject } from '../../core/text/prefix-text.ts';
import { checkJsonPath, leadsToEmptiness, valuesAt } from './json-path.ts';
import { refusedShape } from './json-shape.ts';
import { decodeUtf8 } from './list-format.ts';
import { usualValues } from '../usual-places.ts';
import { ValueList } from './value-list.ts';

/**
 * Reads the document. The line of a reject is the index of its value among those found, starting at 1.
 *
 * @throws ListTooLongError
 */
export function readJsonList(body: Uint8Array, jsonPath: string | null): Parsed<CollectedPrefixes> {
  if (jsonPath !== null) {
    const checked = checkJsonPath(jsonPath);
    if (!checked.ok) return checked;
  }
  const document = parseDocument(body);
  if (!document.ok) return document;
  const list = new ValueList();
  let count = 0;
  let isReached = false;
  try {
    const values = jsonPath === null ? usualValues(document.value) : valuesAt(document.value, jsonPath);
    for (const reached of values) {
      isReached = true;
      // A path may lead to the list itself instead of its members.
      const isList = jsonPath !== null && Array.isArray(reached);
      const path = isList ? `${jsonPath}[*]` : jsonPath;
      for (const value of isList ? reached : [reached]) {
        count++;
        if (typeof value === 'string') list.push(count, value);
        else list.refuse(() => describeOther(count, value, path));
      }
    }
  } catch (error) {
    // A filter that collects very many values overflows the stack of its evaluation.
    if (!(error instanceof JSONPathError || error instanceof RangeError)) throw error;
    return {
      ok: false,
      reason: `The path ${jsonPath} can't be followed in this document (${error.message}): write a simpler one`,
    };
  }
  const isThere = isReached || (jsonPath !== null && leadsToEmptiness(document.value, jsonPath));
  if (isThere) return { ok: true, value: list.finish() };
  return { ok: false, reason: notThere(document.value, jsonPath) };
}

function notThere(document: JSONValue, jsonPath: string | null): string {
  return jsonPath === null
    ? 'The JSON has no prefixes where lists usually have them: say where they are with json_path, such as $.prefixes[*].ip_prefix'
    : `The path ${jsonPath} matches nothing in the JSON${topLevel(document)}: correct json_path`;
}

function parseDocument(body: Uint8Array): Parsed<JSONValue> {
  const refused = refusedShape(body);
  if (refused !== null) return { ok: false, reason: refused };
  const text = decodeUtf8(body);
  if (!text.ok) return text;
  try {
    return { ok: true, value: JSON.parse(text.value) as JSONValue };
  } catch (error) {
    const message = (error as SyntaxError).message.replaceAll(/\p{Cc}/gu, ' ').slice(0, 200);
    return { ok: false, reason: `The body is not JSON, or was cut short: ${message}` };
  }
}

/** The names at the top level, which are what a path most often gets wrong. */
function topLevel(document: JSONValue): string {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return '';
  const names = Object.keys(document).slice(0, 10);
  return names.length === 0
    ? ''
    : `, which has ${names.map((name) => JSON.stringify(name.slice(0, 40))).join(', ')}`;
}

function describeOther(line: number, value: JSONValue, jsonPath: string | null): Reject {
  return { line, text: shownText(shortJson(value)), reason: notText(value, jsonPath) };
}

function notText(value: JSONValue, jsonPath: string | null): string {
  const path = jsonPath ?? '$';
  if (Array.isArray(value)) return `The path ends at an array, not at its texts: write ${path}[*]`;
  if (typeof value === 'object' && value !== null) {
    const name = Object.entries(value).find(([, member]) => typeof member === 'string')?.[0] ?? 'name';
    return `The path ends at an object: name the member that holds the prefix, such as ${path}[${JSON.stringify(name)}]`;
  }
  return `The path ends at ${value === null ? 'null' : `a ${typeof value}`}, and a prefix is text`;
}

function shortJson(value: JSONValue): string {
  if (Array.isArray(value)) return `[${value.length} values]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.keys(value).slice(0, 5).join(', ').slice(0, 190)}}`;
  }
  return String(value);
}
