/** What a tenant has now of the kinds that matter, by names. */
import { nearest } from '../../api/problems/nearest.ts';
import type { Item, NounName } from '../nouns/noun.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { memberOf } from '../render/formats.ts';
import type { Session } from '../session/run-remote.ts';
import { KIND_NAMES, KINDS, toFileMembers, type Kind, type KindName, type Members } from './kinds.ts';
import { SETTING_REFERENCES } from './schema.ts';

export interface LiveObject {
  readonly kind: Kind;
  readonly id: string;
  readonly name: string;
  readonly item: Item;
  /** As files write it. */
  readonly members: Members;
}

export interface LiveSettings {
  readonly values: Members;
  readonly defaults: Members;
  readonly etag: string;
}

/** The kinds, and what these refer to. */
export function withReferred(kinds: Iterable<KindName>): ReadonlySet<NounName> {
  const referred = SETTING_REFERENCES.map(({ noun }) => noun);
  const named = [...kinds];
  return new Set<NounName>([
    ...named,
    ...named.flatMap((kind) => KINDS[kind].references.map(({ noun }) => noun)),
    ...referred,
  ]);
}

export class LiveState {
  readonly settings: LiveSettings;
  readonly #objects = new Map<string, LiveObject>();
  readonly #ids = new Map<string, string>();
  readonly #names = new Map<string, string>();

  private constructor(lists: ReadonlyMap<NounName, readonly Item[]>, settings: LiveSettings) {
    this.settings = settings;
    for (const [noun, items] of lists)
      for (const item of items) {
        const name = String(memberOf(item, NOUNS[noun].names[0]));
        this.#names.set(String(item.id), name);
        this.#ids.set(keyOf(noun, name), String(item.id));
      }
    for (const kind of KIND_NAMES)
      for (const item of lists.get(kind) ?? []) this.#put(this.toObject(KINDS[kind], item));
  }

  static async read({ client, names }: Session, nouns: Iterable<NounName>): Promise<LiveState> {
    const lists = new Map<NounName, readonly Item[]>();
    for (const noun of nouns) lists.set(noun, await names.all(noun));
    const answer = await client.request('GET', '/v1/settings');
    const { settings, known } = (await answer.json()) as {
      readonly settings: Members;
      readonly known: readonly { readonly key: string; readonly default: unknown }[];
    };
    return new LiveState(lists, {
      values: settings,
      defaults: Object.fromEntries(known.map(({ key, default: usual }) => [key, usual])),
      etag: answer.headers.get('etag')!,
    });
  }

  all(kind: KindName): LiveObject[] {
    return [...this.#objects.values()].filter((one) => one.kind.name === kind);
  }

  find(kind: KindName, name: string): LiveObject | null {
    return this.withId(this.idOf(kind, name) ?? '');
  }

  withId(id: string): LiveObject | null {
    return this.#objects.get(id) ?? null;
  }

  idOf(noun: NounName, name: string): string | null {
    return this.#ids.get(keyOf(noun, name)) ?? null;
  }

  /** An id that nothing has stays as it is. */
  nameOf(id: string): string {
    return this.#names.get(id) ?? id;
  }

  /** What somebody may have meant. */
  nearestTo(noun: NounName, name: string, others: readonly string[]): string | undefined {
    const known = [...this.#ids.keys()].filter((key) => key.startsWith(`${noun} `));
    return nearest(name, [...others, ...known.map((key) => this.nameOf(this.#ids.get(key)!))]);
  }

  toObject(kind: Kind, item: Item): LiveObject {
    const members = toFileMembers(kind, item, (id) => this.nameOf(id));
    return { kind, id: String(item.id), name: String(item[kind.key]), item, members };
  }

  /** In place of what the list said. */
  replace(kind: Kind, item: Item): LiveObject {
    return this.#put(this.toObject(kind, item));
  }

  #put(object: LiveObject): LiveObject {
    this.#objects.set(object.id, object);
    return object;
  }
}

function keyOf(noun: NounName, name: string): string {
  return `${noun} ${name.toLowerCase()}`;
}
