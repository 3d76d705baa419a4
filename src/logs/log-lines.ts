/** Which lines of a log are shown, and how they are split from its bytes. */
import { LINE_LEVELS, type LineLevel } from '../api/operation/runtime-logs.ts';

export interface LineQuery {
  /** The line must contain all of these, literally. */
  readonly grep?: readonly string[] | undefined;
  /** JSON lines of this level or a more severe one. */
  readonly level?: LineLevel | undefined;
  /** RFC 3339. JSON lines at or after this time. */
  readonly since?: string | undefined;
  /** JSON lines with this tenant's id; null: all. */
  readonly tenantId: string | null;
}

const NEWLINE = 0x0a;

export type LineFilter = (line: string) => boolean;

interface JsonLine {
  readonly level?: unknown;
  readonly time?: unknown;
  readonly tenant_id?: unknown;
  readonly err?: unknown;
}

export function lineFilter({ grep = [], level, since, tenantId }: LineQuery): LineFilter {
  const texts = [...new Set(grep)];
  if (tenantId !== null) texts.push(tenantId);
  const least = level === undefined ? null : LINE_LEVELS[level];
  const from = since === undefined ? null : Date.parse(since);
  const needsJson = least !== null || from !== null || tenantId !== null;
  return (line) => {
    if (!texts.every((text) => line.includes(text))) return false;
    if (!needsJson) return true;
    const json = readJson(line);
    if (json === null) return false;
    // Only the member itself says whose the line is, since names and paths contain text of users.
    if (tenantId !== null && json.tenant_id !== tenantId) return false;
    // An error with its causes reveals addresses, users and paths of the machine.
    if (tenantId !== null && json.err !== undefined) return false;
    if (least !== null && !(levelOf(json.level) >= least)) return false;
    return from === null || timeOf(json.time) >= from;
  };
}

function readJson(line: string): JsonLine | null {
  if (!line.startsWith('{')) return null;
  try {
    return JSON.parse(line) as JsonLine;
  } catch {
    return null;
  }
}

function levelOf(level: unknown): number {
  if (typeof level === 'number') return level;
  return typeof level === 'string' && level in LINE_LEVELS ? LINE_LEVELS[level as LineLevel] : NaN;
}

/** Milliseconds; NaN for a line without a readable time, which no comparison accepts. */
function timeOf(time: unknown): number {
  return typeof time === 'number' ? time : typeof time === 'string' ? Date.parse(time) : NaN;
}

/** A line, and where its octets begin and end. */
interface PlacedLine {
  readonly begin: number;
  readonly end: number;
  readonly text: string;
}

/** The lines of the octets; nothing behind the last newline is none. */
export function* linesIn(octets: Buffer): Generator<PlacedLine> {
  for (let begin = 0; begin < octets.length;) {
    const newline = octets.indexOf(NEWLINE, begin);
    const end = newline < 0 ? octets.length : newline;
    const text = readLine(octets, begin, end);
    if (newline >= 0 || text !== '') yield { begin, end, text };
    begin = end + 1;
  }
}

/** A file that was truncated under its writer may begin with a hole of NUL bytes, which are left out. */
export function readLine(octets: Buffer, begin: number, end: number): string {
  const line = octets.toString('utf8', begin, end);
  const whole = line.includes('\0') ? line.replaceAll('\0', '') : line;
  return whole.endsWith('\r') ? whole.slice(0, -1) : whole;
}
