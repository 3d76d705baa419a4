/** list, get, create, edit and delete of every noun of the table. */
import type { Page, Schemas } from '#client';
import { beforeClient, beforeKey, beforeResolver } from './cautions.ts';
import { columnNouns, innerNouns, labelsOf } from './column-names.ts';
import { beforePeer, beforeSpeaker } from './served-peers.ts';
import { printMade } from './made.ts';
import { withPolicyWords } from './policy-words.ts';
import { noteUndo, undoModuleText } from '../session/undo-text.ts';
import type { Item, Noun } from '../nouns/noun.ts';
import { requireYes, say } from '../process/ask.ts';
import { CommandError, EXIT, UsageError } from '../process/command-error.ts';
import { type Format, memberOf, print, printAnswer, printList, printObject } from '../render/formats.ts';
import { isTerminal } from '../render/terminal.ts';
import { bodyOf, withInner } from '../session/body.ts';
import { UNFORESEEN, isMeant, type CautionOptions, type Foreseeing } from '../session/consequences.ts';
import { EndedSessions } from '../session/ended-sessions.ts';
import { freezeText } from '../session/freeze.ts';
import { ForeseenHolds } from '../session/foreseen-holds.ts';
import type { HeldModule } from '../session/held-module.ts';
import { deletedHeld, heldText, wordOfDeleted } from '../session/held.ts';
import { onceWritten } from '../session/once-written.ts';
import type { Session } from '../session/run-remote.ts';
import { isUnchanged } from '../session/unchanged.ts';
import { beforeEdit, waitForWrite, type BeforeEdit } from '../session/wait-for-edits.ts';
import { expectNoNews, type WaitOptions } from '../session/wait.ts';

const PAGE = 500;
/** A terminal gets a page, a pipe gets all. */
const SCREEN = 50;

export interface ListOptions {
  readonly limit?: number | undefined;
  readonly all?: boolean;
}

/** The items of a list as far as they are asked for, and what to say of the others. */
export async function readList(
  { client }: Session,
  path: string,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
  { limit, all }: ListOptions,
): Promise<{ readonly items: Item[]; readonly more: string | undefined }> {
  const wanted = limit ?? (all !== true && isTerminal() ? SCREEN : Infinity);
  const items: Item[] = [];
  for (let cursor: string | undefined; ;) {
    const page = (await (
      await client.request('GET', path, {
        query: { ...query, cursor, limit: Math.min(PAGE, wanted - items.length) },
      })
    ).json()) as Page<Item>;
    items.push(...page.items);
    if (page.next_cursor === null) return { items, more: undefined };
    if (items.length >= wanted) return { items, more: `… and more: --limit N or --all shows them` };
    cursor = page.next_cursor;
  }
}

export async function list(
  session: Session,
  noun: Noun,
  options: ListOptions & { readonly find?: string | undefined },
): Promise<void> {
  const { items, more } = await readList(session, noun.path, { q: options.find }, options);
  await printList({ ...(await shown(session, noun, items)), items, more }, session.format);
  if (noun.name !== 'module') return;
  await sayDeleted(session);
  await sayFreeze(session);
}

/** No list has them any more, and routers have their routes all the same. */
async function sayDeleted(session: Session): Promise<void> {
  if (session.format !== 'table' && session.format !== 'wide') return;
  const deleted = await deletedHeld(session).catch((error: unknown): HeldModule[] => {
    // The list is what was asked for.
    if ((error as Error).name === 'ApiProblem') return [];
    throw error;
  });
  if (deleted.length === 0) return;
  const program = `prefixcast${session.contextWords} module held`;
  const lines = deleted.map(
    async (one) => `${one.name} - ${program} ${await wordOfDeleted(session, one, deleted)}`,
  );
  const what = deleted.length === 1 ? '1 deleted module is' : `${deleted.length} deleted modules are`;
  say(`${what} still announced (held): ${(await Promise.all(lines)).join('; ')}`);
}

/** Beside what people read, on standard error: lists that change while routers do not look like a fault. */
async function sayFreeze(session: Session): Promise<void> {
  if (session.format !== 'table' && session.format !== 'wide') return;
  const text = await freezeText(session);
  if (text !== null) say(text);
}

export async function get(session: Session, noun: Noun, given: string): Promise<void> {
  const item = await session.names.find(noun, given);
  const isText = session.format === 'table' || session.format === 'wide';
  const inner = isText ? await session.names.byId(innerNouns(item)) : new Map<string, string>();
  const listed = await shown(session, noun, [item]);
  await printObject(
    isText ? withPolicyWords(noun, item) : item,
    {
      ...{ ...listed, names: new Map([...listed.names, ...inner]), labels: labelsOf(noun) },
      allWhereEmpty: new Set(
        Object.values(noun.fields).flatMap(({ member, emptyMeansAll }) =>
          emptyMeansAll === undefined ? [] : [member],
        ),
      ),
    },
    session.format,
  );
}

/** Names are read for tables alone: programs want what the API says. */
async function shown(
  { names, format }: Session,
  noun: Noun,
  items: readonly Item[],
): Promise<{
  readonly columns: Noun['columns'];
  readonly name: string;
  readonly names: ReadonlyMap<string, string>;
}> {
  const isRead = format === 'table' || format === 'wide' || format === 'csv';
  const nouns = isRead ? columnNouns(noun.columns, items) : [];
  return { columns: noun.columns, name: noun.names[0], names: await names.byId(nouns) };
}

export async function create(
  session: Session,
  noun: Noun,
  given: string,
  options: Readonly<Record<string, unknown>> &
    CautionOptions &
    WaitOptions & { readonly output?: Format | undefined },
): Promise<number> {
  const called = Object.fromEntries((noun.calledAlike ?? []).map((member) => [member, given]));
  const own = withInner(noun, await bodyOf(noun, options, session.names));
  const body: Record<string, unknown> = { [noun.names[0]]: given, ...called, ...own };
  if (noun.name === 'speaker') await beforeSpeaker(session, given, body, options);
  if (noun.name === 'peer') await beforePeer(session, given, body);
  if (noun.name === 'key') await beforeKey(session, given);
  const follow = options.wait === undefined ? null : await Following.begin(session, noun, [], options);
  const write = { method: 'POST', path: noun.path, body } as const;
  if (!(await isMeant(session, write, null, options, follow?.foreseen))) return EXIT.ok;
  await follow?.beginWrite();
  const made = (await (await session.client.request('POST', noun.path, { body })).json()) as Item;
  await printMade(session, noun, { item: made, done: `${given} created` }, options, () =>
    shown(session, noun, [made]),
  );
  if (made.enabled === true) await follow?.beginSessions(made);
  return follow?.end() ?? EXIT.ok;
}

export async function edit(
  session: Session,
  noun: Noun,
  given: string,
  options: Readonly<Record<string, unknown>> & CautionOptions & WaitOptions,
): Promise<number> {
  const own = await bodyOf(noun, options, session.names);
  if (options.rename !== undefined) own[noun.names[0]] = options.rename;
  if (Object.keys(own).length === 0)
    throw new UsageError('Nothing is to be changed: name at least one option');
  const item = await session.names.findExactly(noun, given);
  const body = withInner(noun, own, item);
  const path = `${noun.path}/${String(item.id)}`;
  const name = ownName(noun, item);
  if (noun.name === 'client') await beforeClient(session, item, body, options);
  if (noun.name === 'doh') await beforeResolver(session, item, body, options);
  const isAnnouncing = noun.isAnnouncing === true && Object.keys(body).some((member) => !QUIET.has(member));
  // Routers of another tenant, which no revision of this one says anything of.
  const isLimiting = noun.name === 'tenant' && body.policy !== undefined;
  const isAsked = isAnnouncing || isLimiting;
  const question = isAsked ? `${body.enabled === false ? 'Disable' : 'Change'} ${name}?` : null;
  const follow = await Following.begin(
    session,
    noun,
    isAnnouncing || noun.name === 'peer' ? [item] : [],
    options,
  );
  const foreseen = isAnnouncing ? follow : isLimiting ? UNFORESEEN : null;
  if (!(await isMeant(session, { method: 'PATCH', path, body }, question, options, foreseen))) return EXIT.ok;
  await follow.beginWrite();
  const changed = (await (await session.client.request('PATCH', path, { body })).json()) as Item;
  const isSame = isUnchanged(body, item, changed);
  if (isSame) expectNoNews(session);
  if (options.output !== undefined)
    await printObject(changed, await shown(session, noun, [changed]), session.format);
  else if (isSame) print(`${noun.words} ${name} was so already: nothing has changed\n`);
  else print(`${noun.words} ${name} changed\n`);
  // Of one that is down, too: what was written may be what its router has refused.
  const isDown = isAnnouncing && noun.name === 'peer' && !isSame && isWithoutSession(item);
  if (changed.enabled === true && (item.enabled === false || isDown)) await follow.beginSessions(changed);
  return follow.end();
}

/** One of which nobody knows, as of a node that does not report, is not among them. */
function isWithoutSession(peer: Item): boolean {
  const sessions = peer.session_on_speakers as Schemas['Peer']['session_on_speakers'];
  return sessions.length > 0 && sessions.every(({ state }) => state !== 'established');
}

/** Members that no route depends on. */
const QUIET: ReadonlySet<string> = new Set([
  ...['name', 'title', 'label', 'color', 'description'],
  ...['refresh_interval_seconds', 'doh_profile_ids', 'doh_resolver_policy', 'can_be_empty'],
]);

export async function remove(
  session: Session,
  noun: Noun,
  given: readonly string[],
  options: CautionOptions & WaitOptions & { readonly 'abandon-node'?: unknown },
): Promise<number> {
  const items = await Promise.all(given.map((name) => findToDelete(session, noun, name)));
  const follow = await Following.begin(session, noun, items, options);
  let isChanged = false;
  for (const item of items) {
    const query = options['abandon-node'] === true ? '?abandon_node=true' : '';
    const path = `${noun.path}/${String(item.id)}${query}`;
    const question = noun.isAnnouncing === true ? `Delete ${ownName(noun, item)}?` : null;
    follow.holds?.deletes(String(item.id));
    if (noun.endedBy !== undefined)
      await requireYes(
        `Delete ${ownName(noun, item)}? Whoever uses it is refused from then on.`,
        options.yes === true || options['dry-run'] === true,
      );
    if (!(await isMeant(session, { method: 'DELETE', path }, question, options, follow.foreseen))) continue;
    await follow.beginWrite();
    await session.client.request('DELETE', path);
    await printAnswer(item, `${noun.words} ${ownName(noun, item)} deleted`, session.format);
    if (noun.isRestorable === true) {
      say(await undoModuleText(session, { id: String(item.id), name: ownName(noun, item) }));
      noteUndo(session, String(item.id));
    }
    isChanged = true;
  }
  return isChanged ? follow.end() : EXIT.ok;
}

/** @throws {CommandError} for one that is not there, which says so where it is deleted already and still announced */
async function findToDelete(session: Session, noun: Noun, name: string): Promise<Item> {
  try {
    return await session.names.findExactly(noun, name);
  } catch (error) {
    const isNone = error instanceof CommandError && error.exitCode === EXIT.notFound;
    const deleted = isNone && noun.name === 'module' ? await deletedHeld(session) : [];
    const one = deleted.find((module) => module.name === name);
    if (one === undefined) throw error;
    throw new CommandError(
      `The module ${name} is deleted already.\n${await heldText(session, one)}`,
      EXIT.notFound,
    );
  }
}

/** What becomes of writes: waited for, or what a trial of each said of guardrails. */
class Following implements Foreseeing {
  /** Null: nothing is announced by this noun. */
  readonly holds: ForeseenHolds | null;
  readonly #session: Session;
  readonly #noun: Noun;
  readonly #ids: readonly string[];
  readonly #options: WaitOptions;
  readonly #sessions: EndedSessions;
  #before: BeforeEdit | null = null;

  private constructor(
    session: Session,
    noun: Noun,
    { ids, holds }: { readonly ids: readonly string[]; readonly holds: ForeseenHolds | null },
    options: WaitOptions,
  ) {
    this.#session = session;
    this.#noun = noun;
    this.#ids = ids;
    this.#options = options;
    this.holds = holds;
    this.#sessions = new EndedSessions(session);
  }

  /** @param items those that are to be written, where routes depend on it */
  static async begin(
    session: Session,
    noun: Noun,
    items: readonly Item[],
    options: WaitOptions,
  ): Promise<Following> {
    const ids = items.map(({ id }) => String(id));
    const holds = noun.isAnnouncing === true ? await ForeseenHolds.read(session) : null;
    return new Following(session, noun, { ids, holds }, options);
  }

  /** Null: nothing is announced by this noun. */
  get foreseen(): Foreseeing | null {
    return this.holds === null ? null : this;
  }

  get freed(): string | null {
    return this.holds?.freed ?? null;
  }

  note(effect: Schemas['Effect']): string | null {
    this.#sessions.note(effect);
    return this.holds?.note(effect) ?? null;
  }

  /** After the questions: what others do to sessions while somebody thinks is not caused by the write. */
  async beginWrite(): Promise<void> {
    await this.#sessions.beginWrite(this.#options);
    if (this.#before !== null) return;
    const { name } = this.#noun;
    const of = name === 'peer' ? 'sessions' : name === 'community' ? 'next_hops' : 'routes';
    const peerId = name === 'peer' && this.#ids.length === 1 ? this.#ids[0] : undefined;
    this.#before = await beforeEdit(this.#session, of, peerId, this.#options);
  }

  /** What was written is enabled from now on: of a peer, the sessions are waited for. */
  async beginSessions(item: Item): Promise<void> {
    if (this.#noun.name === 'peer')
      await onceWritten(this.#session, () =>
        this.#sessions.begin(this.#options, item as unknown as Schemas['Peer']),
      );
  }

  /** @returns the exit code. @throws {CommandError} where it is held */
  async end(): Promise<number> {
    const { holds } = this;
    if (holds === null) return EXIT.ok;
    if (this.#options.wait === undefined) {
      await holds.requireNone();
      return EXIT.ok;
    }
    const idsOf = (noun: string): readonly string[] => (this.#noun.name === noun ? this.#ids : []);
    const written = { moduleIds: idsOf('module'), peerIds: idsOf('peer'), holds, sessions: this.#sessions };
    return waitForWrite(this.#session, this.#before, written, this.#options);
  }
}

/** What changed is called by its own name, whatever somebody wrote. */
function ownName(noun: Noun, item: Item): string {
  return String(memberOf(item, noun.names[0]));
}
