/** The tenant's settings, by their keys. */
import { isDeepStrictEqual } from 'node:util';
import type { Schemas } from '#client';
import { isOwnershipKey } from '../declared/ownership.ts';
import { column, wide, type Column, type Item, type NounName } from '../nouns/noun.ts';
import { NAMED_BY_SETTINGS } from '../nouns/named-by-settings.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { cellText, printAnswer, printList, printObject, valueOf } from '../render/formats.ts';
import { shellWord } from '../render/shell-word.ts';
import { isMeant, type CautionOptions, type Foreseeing } from '../session/consequences.ts';
import { say } from '../process/ask.ts';
import { EndedSessions } from '../session/ended-sessions.ts';
import { ForeseenHolds } from '../session/foreseen-holds.ts';
import { onceWritten } from '../session/once-written.ts';
import type { Session } from '../session/run-remote.ts';
import { latestText, standingHolds } from '../session/standing-holds.ts';
import { beforeEdit, waitForWrite } from '../session/wait-for-edits.ts';
import type { WaitOptions } from '../session/wait.ts';

type Answer = Schemas['SettingsAnswer'];

const PATH = '/v1/settings';
const COLUMNS: readonly Column[] = [
  column('KEY', 'key'),
  column('VALUE', ({ key, value }) => (NAMED_BY_SETTINGS.has(key as string) ? value : textOf(value))),
  column('DEFAULT', ({ default: usual }) => textOf(usual)),
  wide('TYPE', 'type'),
  wide('DESCRIPTION', 'description'),
];
const NAMED = { columns: COLUMNS, name: 'key' };

/** What ids are called that are among the values, for people. */
async function namesIn(session: Session, items: readonly Item[]): Promise<ReadonlyMap<string, string>> {
  if (session.format !== 'table' && session.format !== 'wide') return new Map();
  const named = items.filter(({ value }) => value !== null && [value].flat().length > 0);
  return session.names.byId(named.flatMap(({ key }) => NAMED_BY_SETTINGS.get(key as string) ?? []));
}

/** As `set` takes it. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

/** People read one sign for nothing, as in all other tables; programs read what `set` takes. */
function listedFor(format: Session['format']): typeof NAMED {
  if (format !== 'table' && format !== 'wide') return NAMED;
  const columns = COLUMNS.map((one) => ({
    ...one,
    of: (item: Item) => (isEmpty(item[one.title.toLowerCase()]) ? null : valueOf(one, item)),
  }));
  return { ...NAMED, columns };
}

async function read({ client }: Session): Promise<Item[]> {
  const { settings, known } = (await (await client.request('GET', PATH)).json()) as Answer;
  const values = settings as Readonly<Record<string, unknown>>;
  const items = known.map((one): Item => ({ ...one, value: values[one.key] }));
  const names = new Set(known.map(({ key }) => key));
  // Tenants may keep settings of their own; which set owns what is for `apply -f` alone.
  const others = Object.keys(values).filter((key) => !names.has(key) && !isOwnershipKey(key));
  return [...items, ...others.map((key) => ({ key, value: values[key], default: null }))];
}

async function find(session: Session, key: string): Promise<Item> {
  const items = await read(session);
  const found = items.find((item) => item.key === key);
  if (found !== undefined) return found;
  const { nearest } = await import('../../api/problems/nearest.ts');
  const near = nearest(
    key,
    items.map((item) => item.key as string),
  );
  const hint = near === undefined ? 'see prefixcast settings list' : `did you mean "${near}"?`;
  throw new CommandError(`There is no setting ${key}; ${hint}`, EXIT.notFound);
}

export async function list(session: Session): Promise<void> {
  const items = await read(session);
  await printList(
    { items, ...listedFor(session.format), names: await namesIn(session, items) },
    session.format,
  );
}

export async function get(session: Session, key: string): Promise<void> {
  const item = await find(session, key);
  await printObject(item, { ...NAMED, names: await namesIn(session, [item]) }, session.format);
}

export async function set(
  session: Session,
  key: string,
  text: string,
  options: WaitOptions & CautionOptions,
): Promise<number> {
  const before = await find(session, key);
  // As in all other commands. Keys of the tenant's own may have any text.
  const isNone = text === 'none' && before.type !== undefined;
  const value = isNone ? null : readValue(text, before.default);
  const now =
    value !== null && NAMED_BY_SETTINGS.has(key)
      ? await idsOf(session, NAMED_BY_SETTINGS.get(key)!, value)
      : value;
  return change(session, before, now, options);
}

export async function unset(
  session: Session,
  key: string,
  options: WaitOptions & CautionOptions,
): Promise<number> {
  return change(session, await find(session, key), null, options);
}

/** Settings by which routes or sessions change at once. */
const ANNOUNCING: ReadonlySet<string> = new Set([
  ...['bgp_source_ipv4', 'bgp_source_ipv6', 'bgp_restart_time', 'bgp_default_hold_time'],
  ...['bgp_default_router_id', 'default_community_id'],
]);

/** Whether it is tried before it is written. A guardrail may hold lists that are announced; what is none counts with the next refresh or apply. */
function isTried(key: string): boolean {
  return ANNOUNCING.has(key) || key.startsWith('guard_');
}

async function change(
  session: Session,
  before: Item,
  value: unknown,
  options: WaitOptions & CautionOptions,
): Promise<number> {
  const key = before.key as string;
  const tried = isTried(key);
  const holds = tried || options.wait !== undefined ? await ForeseenHolds.read(session) : null;
  const sessions = new EndedSessions(session);
  const write = { method: 'PATCH', path: PATH, body: { [key]: value } } as const;
  const question = tried ? `${value === null ? 'Reset' : 'Change'} ${key}?` : null;
  const foreseen = tried ? new ForeseenSetting(holds!, sessions) : null;
  if (!(await isMeant(session, write, question, options, foreseen))) return EXIT.ok;
  await sessions.beginWrite(options);
  const begun = await beforeEdit(session, 'sessions', undefined, options);
  await session.client.request(write.method, write.path, { body: write.body });
  return onceWritten(session, async () => {
    const now = (await read(session)).find((item) => item.key === key);
    const names = await namesIn(session, now === undefined ? [] : [now]);
    const shown = names.size === 0 ? textOf(now?.value) : cellText(now!.value, names);
    const words =
      now === undefined ? `${key} removed` : `${key} is ${isEmpty(now.value) ? 'empty' : shellWord(shown)}`;
    await printAnswer(now ?? { key, value: null }, words, session.format);
    for (const line of (await foreseen?.latestLines(session, before)) ?? []) say(line);
    if (holds === null) return EXIT.ok;
    if (options.wait === undefined) {
      await holds.requireNone();
      return EXIT.ok;
    }
    return waitForWrite(session, begun, { moduleIds: [], peerIds: [], holds, sessions }, options);
  });
}

/** Beside what is held of it: what is announced already may break a guardrail from then on, and is not held for that. */
class ForeseenSetting implements Foreseeing {
  readonly #holds: ForeseenHolds;
  readonly #sessions: EndedSessions;
  #effect: Schemas['Effect'] | null = null;

  constructor(holds: ForeseenHolds, sessions: EndedSessions) {
    this.#holds = holds;
    this.#sessions = sessions;
  }

  get freed(): string | null {
    return this.#holds.freed;
  }

  note(effect: Schemas['Effect']): string | null {
    this.#effect = effect;
    this.#sessions.note(effect);
    const { latest_findings: findings } = effect;
    return this.#holds.note(effect) ?? (findings === undefined ? null : latestText(findings));
  }

  /** What whoever has changed it is to know of that, with the way back. */
  async latestLines(session: Session, { key, value, default: usual }: Item): Promise<string[]> {
    const { ofLatest } = await standingHolds(session, this.#effect);
    if (ofLatest.length === 0) return [];
    // Another setting may be the one that holds it, and has done so before.
    const isOfThis = this.#effect!.latest_findings!.some(({ detail }) => detail.includes(String(key)));
    if (!isOfThis) return [...ofLatest];
    const program = `prefixcast${session.contextWords} settings`;
    const back = isDeepStrictEqual(value, usual)
      ? `unset ${String(key)}`
      : `set ${String(key)} ${shellWord(textOf(value))}`;
    return [...ofLatest, `Or put the setting back: ${program} ${back}`];
  }
}

function idsOf({ names }: Session, noun: NounName, value: unknown): Promise<unknown> {
  const idOf = (one: unknown): Promise<unknown> =>
    typeof one === 'string' ? names.idOf(noun, one) : Promise.resolve(one);
  return Array.isArray(value) ? Promise.all(value.map(idOf)) : idOf(value);
}

/** JSON where it is such; a list may be written with commas. */
function readValue(text: string, usual: unknown): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return Array.isArray(usual) ? text.split(',').map((part) => part.trim()) : text;
  }
}
