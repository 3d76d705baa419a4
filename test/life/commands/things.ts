/** Deeds that are the same whatever they are done to: switching, deleting, renaming, another community, other families. */
import fc from 'fast-check';
import type { Family } from '../../../src/core/address.ts';
import { chosen, type Deed, deed, pick } from '../deed.ts';
import type { Expected } from '../expected.ts';
import type {
  CommunityModel,
  EntryModel,
  FeedModel,
  ModuleModel,
  ModuleType,
  NextHop,
  PeerModel,
  Removal,
  SpeakerModel,
} from '../model.ts';
import type { Life } from '../life.ts';
import { waitFor } from '../../daemons/wait.ts';
import { TIMEOUT_MS } from '../requests.ts';
import { NEXT_HOPS } from '../universe.ts';
import type { Walk } from '../walk.ts';

export const FAMILIES: readonly (readonly Family[])[] = [['ipv4', 'ipv6'], ['ipv4'], ['ipv6']];

/** Something that an operator can name. */
export interface Thing<T> {
  readonly model: T;
  /** What stories call it. */
  readonly told: string;
  readonly path: string;
  /** The list of the model that it stands in. */
  readonly among: T[];
  /** The module that has to be collected when it is asked for again. */
  readonly module?: ModuleModel;
  /** What is remembered when it is deleted. */
  readonly removal?: Removal;
}

export type Things<T> = (life: Life) => Thing<T>[];

export const modules: Things<ModuleModel> = ({ modules: among }) =>
  among.map((model) => ({
    ...{ model, among, module: model, removal: { kind: 'module' as const, module: model } },
    ...{ told: `module ${model.name}`, path: `/v1/modules/${model.id}` },
  }));

export const peers: Things<PeerModel> = ({ peers: among }) =>
  among.map((model) => ({ model, told: model.name, path: `/v1/peers/${model.id}`, among }));

export const speakers: Things<SpeakerModel> = ({ speakers: among }) =>
  among.map((model) => ({ model, told: model.name, path: `/v1/speakers/${model.id}`, among }));

export const feeds: Things<FeedModel> = ({ feeds: among }) =>
  among.map((model) => ({ model, told: model.name, path: `/v1/feeds/${model.id}`, among }));

export const communities: Things<CommunityModel> = ({ communities: among }) =>
  among.map((model) => ({
    ...{ model, among },
    ...{ told: `community ${model.name}`, path: `/v1/communities/${model.id}` },
  }));

/** What the API calls entries of each type of module. */
const ENTRIES: Readonly<Record<ModuleType, string>> = {
  IP_RANGES: 'ip-range-entries',
  GEOFEED: 'geofeed-entries',
  CDN_SOURCES: 'cdn-sources',
  AS_PREFIXES: 'as-entries',
  DOMAINS: 'domain-entries',
};

export function entriesPath({ id, type }: Pick<ModuleModel, 'id' | 'type'>): string {
  return `/v1/modules/${id}/${ENTRIES[type]}`;
}

/** What an operator calls the entry: a source and a geofeed have a name of their own. */
export function titleOf(
  { type }: Pick<ModuleModel, 'type'>,
  { name, key }: Pick<EntryModel, 'name' | 'key'>,
): string {
  return type === 'CDN_SOURCES' || type === 'GEOFEED' ? name : key;
}

export function entriesOf(...types: readonly ModuleType[]): Things<EntryModel> {
  return (life) =>
    types
      .flatMap((type) => life.entriesOf(type))
      .map(({ module, entry }) => ({
        ...{ model: entry, among: module.entries, module },
        removal: { kind: 'entries' as const, module, entries: [entry] },
        told: `module ${module.name}: ${titleOf(module, entry)}`,
        path: `${entriesPath(module)}/${entry.id}`,
      }));
}

/** The module has to be collected before a revision holds what was edited; one that is disabled, when it is enabled. */
export function toCollect({ toCollect: modules }: Life, module: ModuleModel | undefined): void {
  if (module?.enabled === true) modules.add(module);
}

interface Made<T, P> {
  readonly weight: number;
  readonly of: Things<T>;
  readonly drawn?: fc.Arbitrary<P>;
  readonly does: (walk: Walk, thing: Thing<T>, drawn: P) => Promise<Expected | undefined>;
}

/** A deed that is done to one of these, whichever there is when its turn comes. */
export function doneTo<T, P = null>(made: Made<T, P>): ReturnType<typeof deed> {
  const { weight, of, does } = made;
  const drawn = made.drawn ?? (fc.constant(null) as unknown as fc.Arbitrary<P>);
  const whole: Deed<{ pick: number; drawn: P }> = {
    weight,
    drawn: fc.record({ pick, drawn }),
    can: (life) => of(life).length > 0,
    run: (walk, { pick: number, drawn: what }) => does(walk, chosen(of(walk.life), number), what),
  };
  return deed(whole);
}

export function switched<T extends { enabled: boolean }>(weight: number, of: Things<T>) {
  return doneTo({
    ...{ weight, of },
    async does(walk, { model, told, path, module }) {
      walk.tell(`${told}: ${model.enabled ? 'disable' : 'enable'}`);
      await walk.patch(path, { enabled: !model.enabled });
      model.enabled = !model.enabled;
      if (model.enabled) toCollect(walk.life, module);
      return undefined;
    },
  });
}

export function deleted<T>(weight: number, of: Things<T>) {
  return doneTo({
    ...{ weight, of },
    async does(walk, { model, told, path, among, removal }) {
      walk.tell(`${told}: delete`);
      await walk.delete(path);
      if (removal !== undefined) walk.life.removals.push(removal);
      among.splice(among.indexOf(model), 1);
      return undefined;
    },
  });
}

/** Long enough that the end is to come still when it is written. */
const SOON_MS = 2_000;

/** Its time is over in a moment: it leaves by itself, and what follows is as if it had been deleted. */
export function expired<T extends { readonly id: string }>(weight: number, of: Things<T>) {
  return doneTo({
    ...{ weight, of },
    async does(walk, { model, told, path, among }) {
      walk.tell(`${told}: leaves by itself`);
      await walk.patch(path, { expires_at: new Date(Date.now() + SOON_MS).toISOString() });
      const list = `${path.slice(0, path.lastIndexOf('/'))}?limit=500`;
      const isGone = async (): Promise<boolean> =>
        (await walk.get<{ items: { id: string }[] }>(list)).items.every(({ id }) => id !== model.id);
      await waitFor(isGone, { what: 'the entry to leave', timeoutMs: TIMEOUT_MS });
      walk.life.left.add(model.id);
      among.splice(among.indexOf(model), 1);
      return undefined;
    },
  });
}

/** Names and notes are for people: nothing follows. */
export function renamed<T extends object>(
  weight: number,
  of: Things<T>,
  field: 'description' | 'note' | 'name' | 'title',
) {
  return doneTo({
    ...{ weight, of },
    async does(walk, { model, told, path }) {
      const text = `renamed-${++walk.life.made}`;
      walk.tell(`${told}: ${field} ${text}`);
      await walk.patch(path, { [field]: text });
      if (field === 'name') Object.assign(model, { name: text });
      return walk.life.autoRevision && walk.life.toCollect.size === 0 ? { makesNothing: true } : undefined;
    },
  });
}

export function givenCommunity<T extends { community: CommunityModel | null }>(
  weight: number,
  of: Things<T>,
  none: string,
) {
  return doneTo({
    ...{ weight, of, drawn: pick },
    async does(walk, { model, told, path }, number) {
      const community = walk.communityOf(number);
      walk.tell(`${told}: community ${community?.value ?? none}`);
      await walk.patch(path, { community_id: community?.id ?? null });
      model.community = community;
      return undefined;
    },
  });
}

/** What few entries are made with: most carry what their module says. */
export function ownOf(walk: Walk, number: number): readonly CommunityModel[] {
  return number < 6 ? walk.communitiesOf(number) : [];
}

/** The members of a body: one community has two ways to be said. */
export function given(communities: readonly CommunityModel[]): object {
  if (communities.length < 2) return { community_id: communities[0]?.id ?? null };
  return { community_ids: communities.map(({ id }) => id) };
}

export function namesOf(communities: readonly CommunityModel[], none: string): string {
  const values = communities.map(({ value }) => value).join(' and ');
  return communities.length > 1 ? `communities ${values}` : `community ${values || none}`;
}

/** One, several, or those of its module. */
export function givenCommunities(weight: number, of: Things<EntryModel>) {
  return doneTo({
    ...{ weight, of, drawn: pick },
    async does(walk, { model, told, path }, number) {
      const communities = walk.communitiesOf(number);
      walk.tell(`${told}: ${namesOf(communities, "the module's")}`);
      await walk.patch(path, given(communities));
      model.communities = communities;
      return undefined;
    },
  });
}

export function givenFamilies<T extends { families: readonly Family[] }>(weight: number, of: Things<T>) {
  return doneTo({
    ...{ weight, of, drawn: pick },
    async does(walk, { model, told, path, module }, number) {
      const families = chosen(FAMILIES, number);
      walk.tell(`${told}: families ${families.join(' and ')}`);
      await walk.patch(path, { families });
      model.families = families;
      // Resolvers were asked for the families of then.
      if (module?.type === 'DOMAINS') toCollect(walk.life, module);
      return undefined;
    },
  });
}

export function givenNextHop<T extends { nextHop: NextHop }>(weight: number, of: Things<T>) {
  return doneTo({
    ...{ weight, of, drawn: fc.record({ family: fc.constantFrom<Family>('ipv4', 'ipv6'), pick }) },
    async does(walk, { model, told, path }, { family, pick: number }) {
      const address = chosen(NEXT_HOPS[family], number);
      walk.tell(`${told}: ${family} next hop ${address ?? 'none'}`);
      await walk.patch(path, { [`next_hop_${family}`]: address });
      model.nextHop = { ...model.nextHop, [family]: address };
      return undefined;
    },
  });
}
