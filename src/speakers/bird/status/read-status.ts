/** Parses what BIRD reports. Lines are recognised by their labels, since BIRD 2 and 3 lay them out differently. */
import type { Family } from '../../../core/address.ts';
import type { SessionState } from '../../speaker.ts';
import type { ReplyLine } from '../process/control-socket.ts';

export interface DaemonStatus {
  readonly version: string | null;
  readonly routerId: string | null;
  readonly uptimeSeconds: number | null;
  /** When BIRD last read a configuration, as milliseconds of its clock. */
  readonly reconfigured: number | null;
  /** Milliseconds of BIRD's clock; the zone is BIRD's own, so only differences are meaningful. */
  readonly now: number | null;
  /** Protocols of the old configuration are still shutting down. */
  readonly reconfiguring: boolean;
}

export interface ProtocolStatus {
  readonly name: string;
  /** `Static`, `BGP`, `BFD`, … */
  readonly kind: string;
  /** `up`, `down`, `start`, … */
  readonly state: string;
  readonly description: string | null;
  /** When the state was entered, as milliseconds of BIRD's clock. */
  readonly since: number | null;
  readonly sessionState: SessionState;
  readonly lastError: string | null;
  /** The shutdown message of the protocol, such as the peer's own words (RFC 9003). */
  readonly message: string | null;
  readonly imported: number;
  readonly exported: number;
  /** Routes announced in received UPDATEs. */
  readonly received: number;
  /** Routes withdrawn in received UPDATEs. */
  readonly withdrawn: number;
  /** Changes of routes that were sent. */
  readonly sent: number;
  /** Families that are configured but not in use: in an established session, those that the peer did not negotiate. */
  readonly idleFamilies: readonly Family[];
}

/** Reads `show status`. */
export function readStatus(lines: readonly ReplyLine[]): DaemonStatus {
  const text = lines.map((line) => line.text).join('\n');
  const find = (pattern: RegExp): string | null => pattern.exec(text)?.[1] ?? null;
  const time = (pattern: RegExp): number | null => readTime(find(pattern), null);
  const now = time(/Current server time is (.+)/);
  const booted = time(/Last reboot on (.+)/);
  return {
    version: find(/^(BIRD \S+)/m),
    routerId: find(/Router ID is (\S+)/),
    uptimeSeconds: now === null || booted === null ? null : Math.max(0, Math.floor((now - booted) / 1000)),
    reconfigured: time(/Last reconfiguration on (.+)/),
    now,
    reconfiguring: /Reconfiguration in progress/i.test(text),
  };
}

/** `2026-11-21 09:11:12.322`, or only its time or its date. Null for a custom format of an operator. */
function readTime(text: string | null, now: number | null): number | null {
  const match = /^(\d{4}-\d\d-\d\d)?\s*(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?$/.exec(text?.trim() ?? '');
  const [, date, time] = match ?? [];
  if (date !== undefined) return Date.parse(`${date}T${time ?? '00:00'}Z`);
  if (time === undefined || now === null) return null;
  // Within the last day: BIRD writes a date for anything older.
  const today = Date.parse(`${new Date(now).toISOString().slice(0, 10)}T${time}Z`);
  return today > now ? today - 86_400_000 : today;
}

const STATES: Readonly<Record<string, SessionState>> = {
  connect: 'connect',
  active: 'active',
  opensent: 'open_sent',
  openconfirm: 'open_confirm',
  established: 'established',
};

/** Name, kind, table, state, since (of one or two words) and the rest. */
const HEADING =
  /^(\S+)\s+([A-Z]\S*)\s+(\S+)\s+([a-z]\S*)\s+((?:\d{4}-\d\d-\d\d)?\s?(?:\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?)/;
const HEADING_CODE = 1002;

/** Reads `show protocols all`. @param now of {@link readStatus} */
export function readProtocols(lines: readonly ReplyLine[], now: number | null): ProtocolStatus[] {
  const protocols: { heading: RegExpExecArray; details: string[] }[] = [];
  for (const { code, text } of lines) {
    const heading = code === HEADING_CODE ? HEADING.exec(text) : null;
    if (heading !== null) protocols.push({ heading, details: [] });
    else protocols.at(-1)?.details.push(text);
  }
  return protocols.map(({ heading: [, name, kind, , state, since], details }) => {
    const values = (label: string): string[] =>
      details.flatMap((line) => (line.trimStart().startsWith(`${label}:`) ? [afterColon(line)] : []));
    const sum = (label: string, pattern: RegExp): number =>
      values(label).reduce((total, value) => total + Number(pattern.exec(value)?.[1] ?? 0), 0);
    const session = values('BGP state')[0]?.toLowerCase();
    return {
      ...{ name: name!, kind: kind!, state: state!, since: readTime(since ?? null, now) },
      description: values('Description')[0] ?? null,
      sessionState: STATES[session ?? ''] ?? 'idle',
      lastError: values('Last error')[0] ?? null,
      message: values('Message')[0] ?? null,
      imported: sum('Routes', /(\d+) imported/),
      exported: sum('Routes', /(\d+) exported/),
      received: sum('Import updates', /^(\d+)/),
      withdrawn: sum('Import withdraws', /^(\d+)/),
      sent: sum('Export updates', /(\d+)\s*$/),
      idleFamilies: idleFamilies(details),
    };
  });
}

function idleFamilies(details: readonly string[]): Family[] {
  const idle: Family[] = [];
  let family: Family | null = null;
  for (const line of details) {
    const opened = /^\s*Channel (ipv4|ipv6)\b/.exec(line)?.[1] as Family | undefined;
    if (opened !== undefined) family = opened;
    else if (family !== null && /^\s*State:/.test(line)) {
      if (afterColon(line) !== 'UP') idle.push(family);
      family = null;
    }
  }
  return idle;
}

function afterColon(line: string): string {
  return line.slice(line.indexOf(':') + 1).trim();
}

/** The state of BIRD and all its protocols. */
export interface BirdState extends DaemonStatus {
  readonly protocols: readonly ProtocolStatus[];
}
