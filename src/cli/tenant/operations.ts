/** What stands alone: freezing applies, enrolling nodes, looking at sources before they are saved. */
import type { Page, Schemas } from '#client';
import { column, wide, type Column, type Item } from '../nouns/noun.ts';
import { UsageError } from '../process/command-error.ts';
import { printAnswer, printList, printObject } from '../render/formats.ts';
import { shellWord } from '../render/shell-word.ts';
import { isMeant, type CautionOptions } from '../session/consequences.ts';
import type { Session } from '../session/run-remote.ts';

export async function freeze(session: Session, isFrozen: boolean, options: CautionOptions): Promise<void> {
  const write = { method: 'PATCH', path: '/v1/settings', body: { deploy_freeze: isFrozen } } as const;
  if (!(await isMeant(session, write, null, options))) return;
  const answer = await session.client.request(write.method, write.path, { body: write.body });
  const { stopped_applies: stopped } = (await answer.json()) as Schemas['SettingsAnswer'];
  const called = stopped.length === 0 ? new Map<string, string>() : await session.names.byId(['speaker']);
  const lines = stopped.map(({ revision_number: number, speaker_ids: ids, apply_job_id: job }) => {
    const names = ids?.map((id) => called.get(id) ?? id);
    const where = names === undefined ? '' : ` at ${names.join(', ')}`;
    const words = (names ?? []).map((name) => ` --speaker ${shellWord(name)}`).join('');
    const context = session.contextWords;
    if (job !== null) return `revision ${number} is applied${where}: prefixcast${context} job watch ${job}`;
    if (isFrozen) return `revision ${number} waits${where}`;
    return `revision ${number} waits${where}: prefixcast${context} revision apply ${number}${words}`;
  });
  const text = [isFrozen ? 'applies are frozen' : 'applies go on', ...lines].join('\n');
  await printAnswer({ deploy_freeze: isFrozen, stopped_applies: stopped }, text, session.format);
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

export interface TryOptions {
  readonly format?: string | undefined;
  readonly 'json-path'?: string | undefined;
  readonly 'csv-column'?: string | undefined;
  /** It is a geofeed then. */
  readonly countries?: string | undefined;
}

export async function trySource(
  { client, format }: Session,
  url: string,
  options: TryOptions,
): Promise<void> {
  if (options.countries !== undefined) return tryGeofeed({ client, format }, url, options);
  const body = {
    url,
    ...(options.format === undefined ? {} : { format: options.format }),
    ...(options['json-path'] === undefined ? {} : { json_path: options['json-path'] }),
    ...(options['csv-column'] === undefined ? {} : { csv_column: options['csv-column'] }),
  };
  const found = (await (await client.request('POST', '/v1/cdn-sources/preview', { body })).json()) as Item;
  await printObject(found, { columns: [column('URL', 'url')], name: 'url' }, format);
}

/** @throws {UsageError} for what lists of other kinds have alone */
async function tryGeofeed(
  { client, format }: Pick<Session, 'client' | 'format'>,
  url: string,
  { countries = '', ...others }: TryOptions,
): Promise<void> {
  const [other] = (['format', 'json-path', 'csv-column'] as const).filter((one) => others[one] !== undefined);
  if (other !== undefined)
    throw new UsageError(`--${other} goes with no geofeed: leave it or --countries out`);
  const body = { url, countries: countries.split(',').map((code) => code.trim()) };
  const found = (await (
    await client.request('POST', '/v1/geofeed-entries/preview', { body })
  ).json()) as Item;
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
