/** What stands alone: freezing applies, enrolling nodes, looking at sources before they are saved. */
import type { Page, Schemas } from '#client';
import { TRIED_FIELDS, TRIED_KINDS } from '../nouns/entry-kinds.ts';
import { column, wide, type Column, type Item } from '../nouns/noun.ts';
import { requireYes, say } from '../process/ask.ts';
import { EXIT, UsageError } from '../process/command-error.ts';
import { printAnswer, printList, printObject } from '../render/formats.ts';
import { shellWord } from '../render/shell-word.ts';
import { bodyOf } from '../session/body.ts';
import { isMeant, type CautionOptions } from '../session/consequences.ts';
import { freezeBeginning, hostsFollow, readFreeze } from '../session/freeze.ts';
import type { Session } from '../session/run-remote.ts';
import { waitForChain, type WaitOptions } from '../session/wait.ts';

type Settings = Schemas['SettingsAnswer'];

interface FreezeOptions extends CautionOptions {
  /** For others who meet the freeze. */
  readonly reason?: string | undefined;
}

export async function freeze(session: Session, options: FreezeOptions): Promise<void> {
  const { reason } = options;
  const body = { deploy_freeze: true, ...(reason === undefined ? {} : { deploy_freeze_reason: reason }) };
  const write = { ...SETTINGS, body } as const;
  if (!(await isMeant(session, write, null, options))) return;
  const before = await earlierFreeze(session);
  const answer = await session.client.request(write.method, write.path, { body });
  const { stopped_applies: stopped } = (await answer.json()) as Settings;
  const lines = [
    ...(before === null ? [] : [earlierText(before, reason)]),
    ...(await stoppedLines(session, stopped, (what) => `${what} waits`)),
  ];
  const because = reason === undefined ? '' : `: ${reason}`;
  await printAnswer(
    { deploy_freeze: true, stopped_applies: stopped },
    [`applies are frozen${because}${await hostsFollow(session)}`, ...lines].join('\n'),
    session.format,
  );
}

interface EarlierFreeze {
  readonly reason: string | null;
  readonly begun: Awaited<ReturnType<typeof freezeBeginning>>;
}

/** Null: there is none, or nobody can say, which keeps no freeze from its beginning. */
async function earlierFreeze(session: Session): Promise<EarlierFreeze | null> {
  const { isOn, reason } = await readFreeze(session).catch(() => ({ isOn: false, reason: null }));
  return isOn ? { reason, begun: await freezeBeginning(session) } : null;
}

/** Somebody else's freeze: its reason goes where another one is given, and one end ends both. */
function earlierText({ reason: old, begun }: EarlierFreeze, reason: string | undefined): string {
  const since = begun === null ? '' : ` since ${begun.at}, by ${begun.actor}`;
  const why = old === null ? '' : ` (${old})`;
  const isReplaced = old !== null && reason !== undefined && reason !== old;
  return `They were frozen already${since}${why}${isReplaced ? ': the new reason takes the place of that one' : ''}; one unfreeze ends both`;
}

const SETTINGS = { method: 'PATCH', path: '/v1/settings' } as const;

/** Whose freeze it is that the command ends, where that is somebody else's; null: it is that of this key, or nobody can say. */
async function foreignFreeze(session: Session, reason: string | null): Promise<string | null> {
  const [begun, { key }] = await Promise.all([
    freezeBeginning(session),
    session.client.get('/v1/auth/session'),
  ]);
  if (begun === null || begun.actor === `key:${key.name}`) return null;
  return `Applies are frozen since ${begun.at}, by ${begun.actor}${reason === null ? '' : `: ${reason}`}`;
}

/** @returns the exit code: of an apply that follows, where that is waited for */
export async function unfreeze(session: Session, options: CautionOptions & WaitOptions): Promise<number> {
  const write = { ...SETTINGS, body: { deploy_freeze: false } } as const;
  const { isOn, reason } = await readFreeze(session);
  if (!isOn && options['dry-run'] === true) {
    await printAnswer(
      { deploy_freeze: false },
      'applies are not frozen: there is nothing to end',
      session.format,
    );
    return EXIT.ok;
  }
  const foreign = isOn ? await foreignFreeze(session, reason) : null;
  if (foreign !== null) {
    say(foreign);
    if (options['dry-run'] !== true) await requireYes('End it?', options.yes);
  }
  if (!(await isMeant(session, write, null, options))) return EXIT.ok;
  const earlier = await reapplies(session);
  const answer = await session.client.request(write.method, write.path, { body: write.body });
  const { stopped_applies: stopped } = (await answer.json()) as Settings;
  const others = isOn ? (await reapplies(session)).filter((id) => !earlier.includes(id)) : [];
  const program = `prefixcast${session.contextWords}`;
  const applied = (what: string, job: string): string =>
    `${what} is being applied${options.wait === undefined ? `: ${program} job watch ${job}` : ''}`;
  const lines = [
    ...(await stoppedLines(session, stopped, (what, { revision_number: number, apply_job_id: job }, words) =>
      job === null ? `${what} waits: ${program} revision apply ${number}${words}` : applied(what, job),
    )),
    ...others.map((job) => applied('what has changed beside revisions, such as next hops,', job)),
  ];
  await printAnswer(
    { deploy_freeze: false, stopped_applies: stopped, reapply_job_ids: others },
    [isOn || lines.length > 0 ? 'applies go on' : 'applies were not frozen', ...lines].join('\n'),
    session.format,
  );
  if (options.wait !== 'applied') return EXIT.ok;
  const ids = new Set([
    ...stopped.flatMap(({ apply_job_id: id }) => id ?? []),
    ...others,
    ...(await openApplies(session)),
  ]);
  const codes: number[] = [];
  for (const id of ids)
    codes.push((await waitForChain(session, { id }, { ...options, counted: 'all' })).exitCode);
  return codes.find((code) => code !== EXIT.ok) ?? EXIT.ok;
}

/** As many as may come about between two looks, and more: the newest are read. */
const NEWEST = 20;

/** The newest applies of no revision: they bring speakers what has changed beside it, as next hops of communities. */
async function reapplies({ client }: Session): Promise<string[]> {
  const { items } = await client.get('/v1/jobs', { params: { query: { type: ['apply'], limit: NEWEST } } });
  return items.flatMap(({ id, resource }) => (resource?.type === 'revision' ? [] : [id]));
}

/** Jobs under way by which routers get what has changed beside revisions, as next hops of communities. */
async function openApplies({ client }: Session): Promise<string[]> {
  const { items } = await client.get('/v1/jobs', {
    params: { query: { type: ['peer_reconcile', 'apply'], state: ['queued', 'running'], limit: 100 } },
  });
  return items.map(({ id }) => id).reverse();
}

type Stopped = Settings['stopped_applies'][number];

/** @param lineOf of `revision 7`, or `revision 7 at edge`, and the options that choose these speakers */
async function stoppedLines(
  { names }: Session,
  stopped: readonly Stopped[],
  lineOf: (what: string, apply: Stopped, words: string) => string,
): Promise<string[]> {
  const called = stopped.length === 0 ? new Map<string, string>() : await names.byId(['speaker']);
  return stopped.map((apply) => {
    const at = apply.speaker_ids?.map((id) => called.get(id) ?? id);
    const where = at === undefined ? '' : ` at ${at.join(', ')}`;
    const words = (at ?? []).map((name) => ` --speaker ${shellWord(name)}`).join('');
    return lineOf(`revision ${apply.revision_number}${where}`, apply, words);
  });
}

const KEY_COLUMNS: readonly Column[] = [
  column('KEY', 'key_id'),
  column('ACTIVE', 'active'),
  column('FROM', 'not_before'),
  column('UNTIL', 'not_after'),
  column('ENDORSED BY', 'endorsed_by'),
  wide('PUBLIC KEY', 'public_key'),
];

/** Those that sign bundles; the oldest first. */
export async function signingKeys({ client, format }: Session): Promise<void> {
  const { items } = (await (await client.request('GET', '/v1/bundles/signing-key')).json()) as Page<Item>;
  await printList({ items, columns: KEY_COLUMNS, name: 'key_id' }, format);
}

const PRESET_COLUMNS: readonly Column[] = [
  column('ID', 'id'),
  column('NAME', 'name'),
  column('CATEGORY', 'category'),
  column('URL', 'url'),
  wide('DESCRIPTION', 'description'),
];

export async function presets({ client, format }: Session): Promise<void> {
  const { items } = (await (await client.request('GET', '/v1/source-presets')).json()) as Page<Item>;
  await printList({ items, columns: PRESET_COLUMNS, name: 'id' }, format);
}

/**
 * Reads a list as a refresh would. Which kind of list it is, the options say that only this kind has; without any, it is the first.
 * @throws {UsageError} for options of different kinds
 */
export async function trySource(
  { client, format, names }: Session,
  url: string,
  options: Readonly<Record<string, unknown>>,
): Promise<void> {
  const given = Object.keys(TRIED_FIELDS).filter((option) => options[option] !== undefined);
  const kind = TRIED_KINDS.find((one) => given.every((option) => one.options.includes(option)));
  if (kind === undefined)
    throw new UsageError(`--${given.join(' and --')} are of different kinds of lists: leave one out`);
  const body = { url, ...(await bodyOf({ fields: TRIED_FIELDS }, options, names)) };
  const found = (await (await client.request('POST', `/v1/${kind.path}/preview`, { body })).json()) as Item;
  await printObject(found, { columns: [column('URL', 'url')], name: 'url' }, format);
}

const STALE_COLUMNS: readonly Column[] = [
  column('MODULE', 'module_name'),
  column('SOURCE', 'name'),
  column('STATUS', 'status'),
  column('READ', 'last_refreshed_at'),
  column('ERROR', 'last_error'),
];

/** Sources, AS numbers and domains whose last content stays, or that have none, because they can't be read. */
export async function stale({ client, format }: Session): Promise<void> {
  const query = { status: ['stale' as const, 'failed' as const], limit: 500 };
  const items: Item[] = await client.list('/v1/sources', { params: { query } }).toArray();
  await printList({ items, columns: STALE_COLUMNS, name: 'name' }, format);
}
