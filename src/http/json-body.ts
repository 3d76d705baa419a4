/**
 * Reads request bodies: UTF-8 without substitutes, JSON with the place of its fault, and no text that the database could
 * not keep.
 */
import { Problem, fieldProblem } from '../api/problem.ts';
import { countNames, findDuplicateName } from './duplicate-names.ts';
import { escapePointer } from './json-pointer.ts';

/** No schema of this API nests anywhere near this deep. */
const DEEPEST = 32;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a JSON body; undefined for an empty one.
 * @throws {Problem} `malformed_request` with line and column; `validation_failed` for text that cannot be stored
 */
export function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch (cause) {
    throw new Problem('malformed_request', 'The body is not UTF-8. Encode it as UTF-8 JSON (RFC 8259).', {
      cause,
    });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const offset = faultOffset(text);
    const before = text.slice(0, offset);
    const line = before.split('\n').length;
    const column = offset - before.lastIndexOf('\n');
    const found = offset >= text.length ? 'it ends too early' : `unexpected ${JSON.stringify(text[offset])}`;
    throw new Problem(
      'malformed_request',
      `The body is not valid JSON: ${found} at line ${line}, column ${column}. Mend it there and send it again.`,
      { cause },
    );
  }
  if (countMembers(value, 0) !== countNames(text)) refuseDuplicateName(text);
  // UTF-8 has no surrogates, and JSON no control characters: such text can come as an escape only.
  if (text.includes('\\u')) refuseHostileText(value, '');
  return value;
}

function refuseDuplicateName(text: string): void {
  const duplicate = findDuplicateName(text);
  if (duplicate === null) return;
  const { name, pointer } = duplicate;
  const detail = `The body has the member ${JSON.stringify(name.slice(0, 100))} twice in one object, at ${pointer}. Send each member once.`;
  throw new Problem('malformed_request', detail, { errors: [{ pointer, detail }] });
}

/**
 * How many members the objects of a value have.
 * @throws {Problem} for nesting that would cost whoever walks the value the call stack
 */
function countMembers(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth === DEEPEST)
    throw new Problem(
      'malformed_request',
      `The body is nested more than ${DEEPEST} levels deep, which nothing here needs.`,
    );
  const inside = Array.isArray(value) ? (value as unknown[]) : Object.values(value);
  let count = Array.isArray(value) ? 0 : inside.length;
  for (const member of inside) count += countMembers(member, depth + 1);
  return count;
}

/** Refuses text that PostgreSQL does not keep: U+0000 and halves of surrogate pairs. */
function refuseHostileText(value: unknown, pointer: string): void {
  if (typeof value === 'string') {
    if (!isStorable(value))
      throw fieldProblem(
        pointer,
        'holds U+0000 or half of a surrogate pair, which cannot be stored; remove it',
      );
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      refuseHostileText(key, pointer);
      refuseHostileText(member, `${pointer}/${escapePointer(key)}`);
    }
  }
}

export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

const WHITESPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERAL = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * Where `text`, which JSON.parse refused, stops being JSON (RFC 8259). V8 tells the place in some of its messages only. Keeps
 * a stack of its own, because a body may nest deeper than the call stack.
 */
function faultOffset(text: string): number {
  let at = 0;
  const open: ('{' | '[')[] = [];
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.test(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const take = (character: string): boolean => {
    skip(WHITESPACE);
    if (text[at] !== character) return false;
    at++;
    return true;
  };
  /** Leaves `at` on the fault when there is one. */
  const string = (): boolean => {
    if (!take('"')) return false;
    while (at < text.length) {
      const character = text[at]!;
      if (character === '\\') {
        if (!skip(ESCAPE)) return false;
      } else if (character < ' ') {
        return false;
      } else {
        at++;
        if (character === '"') return true;
      }
    }
    return false;
  };
  const scalar = (): boolean => (text[at] === '"' ? string() : skip(NUMBER) || skip(LITERAL));
  const memberName = (): boolean => string() && take(':');

  for (;;) {
    // Here a value is due.
    if (take('{')) {
      if (!take('}')) {
        open.push('{');
        if (!memberName()) return at;
        continue;
      }
    } else if (take('[')) {
      if (!take(']')) {
        open.push('[');
        continue;
      }
    } else if (!scalar()) return at;

    // Here a value has ended.
    for (;;) {
      const container = open.at(-1);
      if (container === undefined) {
        skip(WHITESPACE);
        return at;
      }
      if (take(',')) {
        if (container === '{' && !memberName()) return at;
        break;
      }
      if (!take(container === '{' ? '}' : ']')) return at;
      open.pop();
    }
  }
}
