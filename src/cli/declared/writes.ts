/** The writes that bring about changes, in an order in which each finds what it refers to. */
import { randomUUID } from 'node:crypto';
import type { PlannedChange } from '../../api/revisions/plan.ts';
import type { NounName } from '../nouns/noun.ts';
import { NOUNS } from '../nouns/nouns.ts';
import type { Change } from './compare.ts';
import { KIND_NAMES, KINDS, nameInApi, toApiMembers, type Kind } from './kinds.ts';
import type { LiveState } from './live-state.ts';
import { SETTING_REFERENCES } from './schema.ts';
import type { ReadSecret, SecretSourceText } from './secrets.ts';
import type { SettingChange } from './setting-changes.ts';

export interface Write {
  /** What it is for; null: settings. */
  readonly change: Change | null;
  readonly part: 'object' | 'entries' | 'settings';
  readonly request: PlannedChange;
}

export interface WriteTools {
  readonly live: LiveState;
  readonly readSecret: ReadSecret;
  /** ETags by the ids of what is changed or deleted. */
  readonly etags: ReadonlyMap<string, string>;
  /** Ids that stand for what is created. */
  readonly standIns: StandIns;
}

/** Less than a request may have. */
export const MAXIMUM_BYTES = 12 * 1024 * 1024;

/** In bytes of a request. */
export function sizeOf({ request }: Write): number {
  return Buffer.byteLength(JSON.stringify(request));
}

/** An id for each object that is created. */
export class StandIns {
  readonly #ids = new Map<string, string>();

  of(noun: NounName, name: string): string {
    const key = keyOf(noun, name);
    let id = this.#ids.get(key);
    if (id === undefined) this.#ids.set(key, (id = randomUUID()));
    return id;
  }

  /** What is called so from now on has an id already. */
  rename(noun: NounName, name: string, id: string): void {
    this.#ids.set(keyOf(noun, name), id);
  }
}

function keyOf(noun: NounName, name: string): string {
  return `${noun} ${name.toLowerCase()}`;
}

export function writesOf(
  changes: readonly Change[],
  settings: readonly SettingChange[],
  tools: WriteTools,
  others: Readonly<Record<string, unknown>> = {},
): Write[] {
  const order = [...changes].sort((a, b) => KIND_NAMES.indexOf(a.kind) - KIND_NAMES.indexOf(b.kind));
  const isDelete = ({ action }: Change): boolean => action === 'delete';
  const isLeaf = ({ kind }: Change): boolean => KINDS[kind].isLeaf === true;
  const kept = order.filter((change) => !isDelete(change));
  const patch = { ...settingsBody(settings, tools), ...others };
  // What refers to what is deleted first changes by that: no ETag of before holds for it.
  const isCascaded = order.some((change) => isDelete(change) && isLeaf(change));
  const etags = isCascaded
    ? new Map([...tools.etags].filter(([id]) => tools.live.withId(id)?.kind.late === undefined))
    : tools.etags;
  const orderly = { ...tools, etags };
  return [
    // Their names and addresses are free then.
    ...order
      .filter((change) => isDelete(change) && isLeaf(change))
      .map((change) => deletion(change, orderly)),
    ...kept.flatMap((change) => [...objectWrites(change, orderly), ...entryWrites(change, orderly)]),
    ...kept.flatMap((change) => lateWrites(change, orderly)),
    ...(Object.keys(patch).length === 0 ? [] : [settingsWrite(patch, orderly)]),
    // What referred to them does so no more.
    ...order
      .filter((change) => isDelete(change) && !isLeaf(change))
      .reverse()
      .map((change) => deletion(change, orderly)),
  ];
}

const pathOf = ({ kind }: Pick<Change, 'kind'>, id: string): string => `${NOUNS[kind].path}/${id}`;

/** Of what exists, or stands for what is created. */
function idOfChange({ kind, name, live }: Change, { standIns }: WriteTools): string {
  return live?.id ?? standIns.of(kind, name);
}

function deletion(change: Change, { etags }: WriteTools): Write {
  const { id } = change.live!;
  const request: PlannedChange = { method: 'DELETE', path: pathOf(change, id), ...ifMatch(etags, id) };
  return { change, part: 'object', request };
}

function ifMatch(etags: ReadonlyMap<string, string>, id: string): { if_match?: string } {
  const etag = etags.get(id);
  return etag === undefined ? {} : { if_match: etag };
}

function objectWrites(change: Change, tools: WriteTools): Write[] {
  const { action, kind: kindName, live } = change;
  const kind = KINDS[kindName];
  const body = bodyOf(change, kind, tools, (member) => member !== kind.late);
  if (action === 'create') {
    const id = idOfChange(change, tools);
    return [{ change, part: 'object', request: { method: 'POST', path: NOUNS[kindName].path, body, id } }];
  }
  if (Object.keys(body).length === 0) return [];
  const path = pathOf(change, live!.id);
  return [
    { change, part: 'object', request: { method: 'PATCH', path, body, ...ifMatch(tools.etags, live!.id) } },
  ];
}

function bodyOf(
  { members, declared, secrets, live }: Change,
  kind: Kind,
  tools: WriteTools,
  isMeant: (member: string) => boolean,
): Record<string, unknown> {
  const changed = members.filter(({ name }) => isMeant(nameInApi(kind, name)));
  const named = Object.fromEntries(changed.map(({ name, after }) => [name, after]));
  const body = toApiMembers(kind, named, (noun, name) => idOf(noun, name, tools));
  for (const member of secrets.filter(isMeant)) {
    const value = declared!.secrets[member];
    const at = (name: string): string => declared!.at(`/${member}${name}`);
    body[member] =
      value === null
        ? null
        : kind.secrets[member] === member
          ? headersOf(value as Record<string, SecretSourceText>, live?.item[member], tools, at)
          : tools.readSecret(value as SecretSourceText, at(''));
  }
  return body;
}

/** Those that the file names no more go. */
function headersOf(
  sources: Readonly<Record<string, SecretSourceText>>,
  shown: unknown,
  { readSecret }: WriteTools,
  at: (name: string) => string,
): Record<string, string | null> {
  const gone = Object.keys(shown ?? {}).filter((name) => !Object.hasOwn(sources, name));
  return {
    ...Object.fromEntries(gone.map((name) => [name, null])),
    ...Object.fromEntries(
      Object.entries(sources).map(([name, source]) => [name, readSecret(source, at(`/${name}`))]),
    ),
  };
}

function entryWrites(change: Change, tools: WriteTools): Write[] {
  const path = `${pathOf(change, idOfChange(change, tools))}/entries.csv`;
  return change.imports.map(({ mode, text }) => ({
    change,
    part: 'entries',
    request: { method: 'POST', path: `${path}?mode=${mode}`, body: text },
  }));
}

function lateWrites(change: Change, tools: WriteTools): Write[] {
  const kind = KINDS[change.kind];
  const body = bodyOf({ ...change, secrets: [] }, kind, tools, (member) => member === kind.late);
  if (Object.keys(body).length === 0) return [];
  const path = pathOf(change, idOfChange(change, tools));
  return [{ change, part: 'object', request: { method: 'PATCH', path, body } }];
}

function settingsBody(settings: readonly SettingChange[], tools: WriteTools): Record<string, unknown> {
  return Object.fromEntries(
    settings.map(({ key, after }) => {
      const reference = SETTING_REFERENCES.find(({ name }) => name === key);
      if (reference === undefined || after === null) return [reference?.member ?? key, after];
      const ids = [after].flat().map((name) => idOf(reference.noun, name as string, tools));
      return [reference.member, reference.form === 'list' ? ids : ids[0]];
    }),
  );
}

function settingsWrite(body: Readonly<Record<string, unknown>>, { live }: WriteTools): Write {
  const request = { method: 'PATCH', path: '/v1/settings', body, if_match: live.settings.etag } as const;
  return { change: null, part: 'settings', request };
}

function idOf(noun: NounName, name: string, { live, standIns }: WriteTools): string {
  return live.idOf(noun, name) ?? standIns.of(noun, name);
}
