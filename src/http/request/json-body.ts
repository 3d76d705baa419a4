/**
 * Reads request bodies: UTF-8 without substitutes, JSON with the place of its fault, and no text that the database could
 * not keep.
 */
import { Problem, fieldProblem } from '../../api/problems/problem.ts';
import { rest } from '../../concurrency/slices.ts';
import { countNames, findDuplicateName } from './duplicate-names.ts';
import { escapePointer } from '../../api/problems/json-pointer.ts';

/** No schema of this API nests anywhere near this deep. */
const DEEPEST = 32;
/** Twice what the largest bodies have that are taken: small values cost the most time for their length, hundreds of nanoseconds each. */
const MOST_VALUES = 250_000;
/** Characters that are parsed in no time whatever they are. */
const SHORT = 4 * 1024;
/** Values and ends of them that are looked at in a step of explaining a fault: a millisecond. */
const EXPLAINED_IN_A_STEP = 1_000;
/** The position of a fault is reported in so much of a body: finding it takes longer than parsing. */
const EXPLAINED_LENGTH = 1024 * 1024;
const LONGEST_ESCAPE = '\\u0000'.length;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACE = 0x7b;
const CLOSING_BRACKET = 0x5d;
const CLOSING_BRACE = 0x7d;
const BACKSLASH = 0x5c;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a JSON body; undefined for an empty one.
 * @throws {Problem} `malformed_request` with line and column; `payload_too_large` for what would take long; `validation_failed` for text that
 * cannot be stored
 */
export function parseJsonBody(bytes: Uint8Array): unknown {
  const steps = parseInSteps(bytes);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** {@link parseJsonBody} with a rest after each step: a megabyte takes some milliseconds of each. */
export async function parseLongJsonBody(bytes: Uint8Array): Promise<unknown> {
  const steps = parseInSteps(bytes);
  for (;;) {
    const began = performance.now();
    const { done, value } = steps.next();
    await rest(began);
    if (done === true) return value;
  }
}

function* parseInSteps(bytes: Uint8Array): Generator<undefined, unknown> {
  if (bytes.length === 0) return undefined;
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch (cause) {
    throw new Problem('malformed_request', 'The body is not UTF-8. Encode it as UTF-8 JSON (RFC 8259).', {
      cause,
    });
  }
  yield;
  if (text.length > SHORT) {
    const { values, depth, open } = outline(text);
    if (values >= MOST_VALUES)
      throw new Problem(
        'payload_too_large',
        `The body has more than ${MOST_VALUES} values, which nothing here needs. Send less at once.`,
      );
    // To parse it would take V8 a tenth of a second.
    if (depth > DEEPEST) throw open === 0 ? tooDeep() : malformed(yield* explainFault(text));
  }
  yield;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw malformed(yield* explainFault(text), cause);
  }
  yield;
  const members = countMembers(value, 0);
  yield;
  if (members !== countNames(text)) refuseDuplicateName(text);
  // UTF-8 has no surrogates, and JSON no control characters: such text can come as an escape only.
  if (text.includes('\\u')) refuseHostileText(value, '');
  return value;
}

function malformed(fault: string, cause?: unknown): Problem {
  return new Problem(
    'malformed_request',
    `The body is not valid JSON: ${fault}. Correct it there and send it again.`,
    { cause },
  );
}

function tooDeep(): Problem {
  return new Problem(
    'malformed_request',
    `The body is nested more than ${DEEPEST} levels deep, which nothing here needs.`,
  );
}

/**
 * What a text would be as JSON, without parsing it: how many values it has (each but the first stands behind a comma or a bracket), how deep
 * they are nested, and how many brackets are still open at its end.
 */
function outline(text: string): { values: number; depth: number; open: number } {
  let [values, depth, open] = [0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) at = closingQuote(text, at);
    else if (sign === COMMA) values++;
    else if (sign === BRACKET || sign === BRACE) {
      values++;
      depth = Math.max(depth, ++open);
    } else if (sign === CLOSING_BRACKET || sign === CLOSING_BRACE) open--;
  }
  return { values, depth, open };
}

/** Where the string ends that begins there; the end of the text, where it does not end. */
function closingQuote(text: string, opening: number): number {
  for (let at = text.indexOf('"', opening + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((at - before) % 2 === 1) return at;
  }
  return text.length;
}

/** What is wrong with a text that is no JSON, and where. */
function* explainFault(text: string): Generator<undefined, string> {
  const explained = text.slice(0, EXPLAINED_LENGTH);
  const offset = yield* faultOffset(explained);
  // What is cut off may be half an escape.
  if (explained.length < text.length && offset > explained.length - LONGEST_ESCAPE)
    return `it is wrong after its first ${EXPLAINED_LENGTH} characters`;
  const before = explained.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - before.lastIndexOf('\n');
  const found = offset >= text.length ? 'it ends too early' : `unexpected ${JSON.stringify(text[offset])}`;
  return `${found} at line ${line}, column ${column}`;
}

function refuseDuplicateName(text: string): void {
  if (text.length > EXPLAINED_LENGTH)
    throw new Problem(
      'malformed_request',
      'The body has a member twice in one object. Send each member once; the answer to a shorter body names the member.',
    );
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
  if (depth === DEEPEST) throw tooDeep();
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
 * Where `text`, which JSON.parse refused, stops being JSON (RFC 8259). V8 names the place in some of its messages only. Keeps
 * a stack of its own, because a body may nest deeper than the call stack.
 */
function* faultOffset(text: string): Generator<undefined, number> {
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

  let steps = 0;
  for (;;) {
    if (++steps % EXPLAINED_IN_A_STEP === 0) yield;
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
      if (++steps % EXPLAINED_IN_A_STEP === 0) yield;
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
