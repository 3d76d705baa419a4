/** What files may declare: a row for each kind of object, with its members as the API has them, and how files name what they refer to. */
import { Type, type TObject, type TSchema } from 'typebox';
import { FirewallRuleCreate } from '../../api/firewall/firewall-rules.ts';
import { WebhookCreate } from '../../api/activity/webhooks.ts';
import { CommunityCreate } from '../../api/lists/communities.ts';
import { DohProfileCreate } from '../../api/lists/doh-profiles.ts';
import { FeedCreate } from '../../api/feeds/feeds.ts';
import { ModuleCreate } from '../../api/lists/modules.ts';
import { MAINTENANCE_KINDS, MaintenancePolicyCreate } from '../../api/operation/maintenance.ts';
import { PeerCreate } from '../../api/speakers/peers.ts';
import { SpeakerCreate } from '../../api/speakers/speakers.ts';
import type { NounName } from '../nouns/noun.ts';

export type Members = Readonly<Record<string, unknown>>;

export const KIND_NAMES = [
  ...['community', 'doh', 'speaker', 'module', 'peer', 'feed', 'rule', 'webhook', 'policy'],
] as const satisfies readonly NounName[];
export type KindName = (typeof KIND_NAMES)[number];

/** A member that holds ids, and what files call it, where names stand in their place. */
export interface Reference {
  readonly member: string;
  readonly name: string;
  readonly noun: NounName;
  /** `keys`: the names of the members of `<member>.<inside>`. */
  readonly form: 'one' | 'list' | 'keys';
  readonly inside?: string;
}

export interface Kind {
  readonly name: KindName;
  /** The member that names an object of it. */
  readonly key: string;
  /** The body that creates one. */
  readonly schema: TObject;
  readonly references: readonly Reference[];
  /** Members that files call otherwise: by the API's name. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** What a member is that a file does not name. */
  readonly defaults: Members;
  /** Members that the API does not change later. */
  readonly fixed: readonly string[];
  /** What nobody reads again: the member of an answer that says whether it is there. */
  readonly secrets: Readonly<Record<string, string>>;
  /** A member that may refer to what is created after it. */
  readonly late?: string;
  /** Nothing refers to it: it may be deleted before anything else is written, which frees its name and address. */
  readonly isLeaf?: true;
  /** Members of the API that no file has. */
  readonly unnamed?: readonly string[];
}

const one = (member: string, name: string, noun: NounName): Reference => ({
  member,
  name,
  noun,
  form: 'one',
});
const list = (member: string, name: string, noun: NounName): Reference => ({
  ...{ member, name, noun },
  form: 'list',
});

const FAMILIES = ['ipv4', 'ipv6'] as const;
const NEXT_HOPS = { next_hop_ipv4: null, next_hop_ipv6: null } as const;

/** In the order in which they are written: what is referred to comes before what refers to it. */
export const KINDS: Readonly<Record<KindName, Kind>> = {
  community: {
    name: 'community',
    key: 'community',
    schema: CommunityCreate,
    references: [],
    defaults: { description: null, color: null, ...NEXT_HOPS },
    fixed: [],
    secrets: {},
  },
  doh: {
    name: 'doh',
    key: 'name',
    schema: DohProfileCreate,
    references: [],
    defaults: {
      ...{ method: 'POST', bootstrap_addresses: [], client_subnet: null },
      ...{ timeout_ms: 5_000, enabled: true },
    },
    fixed: [],
    secrets: { headers: 'headers' },
  },
  speaker: {
    name: 'speaker',
    key: 'name',
    schema: SpeakerCreate,
    references: [
      { member: 'policies_json', name: 'policies_json', noun: 'peer', form: 'keys', inside: 'peers' },
    ],
    defaults: {
      ...{ daemon: 'builtin', mode: 'local', label: null, router_id: null },
      ...{ local_ipv4: null, local_ipv6: null, policies_json: {}, enabled: true },
    },
    fixed: ['daemon', 'mode'],
    secrets: {},
    late: 'policies_json',
  },
  module: {
    name: 'module',
    key: 'name',
    schema: ModuleCreate,
    references: [
      one('community_id', 'community', 'community'),
      list('doh_profile_ids', 'doh_profiles', 'doh'),
    ],
    defaults: {
      ...{ description: null, purpose: 'announce', enabled: true, community: null },
      ...{ refresh_interval_seconds: null, families: FAMILIES, can_be_empty: false },
      ...{ doh_profiles: [], doh_resolver_policy: null },
    },
    fixed: ['type'],
    secrets: {},
    unnamed: ['doh_profile_id'],
  },
  peer: {
    name: 'peer',
    key: 'name',
    schema: PeerCreate,
    references: [
      list('speaker_ids', 'speakers', 'speaker'),
      list('community_ids', 'communities', 'community'),
    ],
    defaults: {
      ...{ description: null, speakers: [], communities: [], families: FAMILIES, passive: false, port: 179 },
      ...{ multihop: null, hold_time: 90, ...NEXT_HOPS, max_prefixes_out: null, when_too_many: 'keep' },
      ...{ graceful_restart: true, bfd: false, enabled: true },
    },
    fixed: [],
    secrets: { password: 'has_password' },
    isLeaf: true,
  },
  feed: {
    name: 'feed',
    key: 'name',
    schema: FeedCreate,
    references: [list('community_ids', 'communities', 'community'), list('module_ids', 'modules', 'module')],
    defaults: {
      ...{ description: null, communities: [], modules: [], families: FAMILIES, format: 'text' },
      ...{ max_prefixes: null, when_too_many: 'fail', allowed_networks: [], enabled: true },
    },
    fixed: [],
    secrets: {},
    isLeaf: true,
  },
  rule: {
    name: 'rule',
    key: 'name',
    schema: FirewallRuleCreate,
    references: [
      list('module_ids', 'modules', 'module'),
      list('community_ids', 'communities', 'community'),
      list('client_ids', 'clients', 'client'),
    ],
    defaults: {
      ...{ action: 'block', direction: 'both', modules: [], communities: [], cidrs: [], protocol: 'any' },
      ...{ ports: [], priority: 1_000, clients: [], enabled: true },
    },
    fixed: [],
    secrets: {},
    isLeaf: true,
  },
  webhook: {
    name: 'webhook',
    key: 'name',
    schema: WebhookCreate,
    references: [],
    defaults: { description: null, format: 'json', enabled: true },
    fixed: [],
    secrets: {},
    isLeaf: true,
  },
  policy: {
    name: 'policy',
    key: 'name',
    schema: MaintenancePolicyCreate,
    references: [],
    renamed: { kind: 'maintenance' },
    defaults: { schedule: null, enabled: true, parameters: {} },
    fixed: ['maintenance'],
    secrets: {},
    isLeaf: true,
  },
};

/** All members that an object has, with what holds where its file says nothing. */
export function completed(kind: Kind, members: Members): Members {
  const complete = { ...kind.defaults, ...members };
  if (kind.name !== 'policy') return complete;
  const named = (members.parameters ?? {}) as Members;
  return { ...complete, parameters: { ...parameterDefaults(String(members.maintenance)), ...named } };
}

function parameterDefaults(maintenance: string): Members {
  const known = MAINTENANCE_KINDS as Readonly<
    Record<string, { readonly parameters: Readonly<Record<string, { readonly default: unknown }>> }>
  >;
  const parameters = Object.entries(known[maintenance]?.parameters ?? {});
  return Object.fromEntries(parameters.map(([name, parameter]) => [name, parameter.default]));
}

/** What files call a member of the API. */
export function nameInFiles({ references, renamed = {} }: Kind, member: string): string {
  return references.find((one) => one.member === member)?.name ?? renamed[member] ?? member;
}

/** What the API calls a member of files. */
export function nameInApi({ references, renamed = {} }: Kind, name: string): string {
  const other = Object.keys(renamed).find((member) => renamed[member] === name);
  return references.find((one) => one.name === name)?.member ?? other ?? name;
}

/** Members of the API as files have them; `nameOf` gives the names of ids. Secrets are left out. */
export function toFileMembers(kind: Kind, item: Members, nameOf: (id: string) => string): Members {
  const known = Object.keys(kind.schema.properties).filter(
    (member) => kind.secrets[member] === undefined && kind.unnamed?.includes(member) !== true,
  );
  return Object.fromEntries(
    known.map((member) => [
      nameInFiles(kind, member),
      withReferences(kind, nameInFiles(kind, member), item[member], nameOf),
    ]),
  );
}

/** Members of files as the API has them; `idOf` gives the ids of names. */
export function toApiMembers(
  kind: Kind,
  members: Members,
  idOf: (noun: NounName, name: string) => string,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => {
      const { noun } = kind.references.find((one) => one.name === name) ?? {};
      const replaced =
        noun === undefined ? value : withReferences(kind, name, value, (text) => idOf(noun, text));
      return [nameInApi(kind, name), replaced];
    }),
  );
}

/** @param name of the member in files */
function withReferences(
  kind: Kind,
  name: string,
  value: unknown,
  replace: (text: string) => string,
): unknown {
  const reference = kind.references.find((one) => one.name === name);
  if (reference === undefined || value === null || value === undefined) return value ?? null;
  switch (reference.form) {
    case 'one':
      return replace(value as string);
    case 'list':
      return (value as readonly string[]).map(replace);
    case 'keys': {
      const inside = (value as Members)[reference.inside!] as Members | undefined;
      if (inside === undefined) return value;
      const replaced = Object.entries(inside).map(([key, member]) => [replace(key), member] as const);
      return { ...(value as Members), [reference.inside!]: Object.fromEntries(replaced) };
    }
  }
}

/** The names to which the members of a file refer, with the pointers of their places. */
export function referencesOf(
  { references }: Kind,
  members: Members,
): { readonly noun: NounName; readonly name: string; readonly pointer: string }[] {
  return references.flatMap(({ name, noun, form, inside }) => {
    const value = members[name];
    if (value === undefined || value === null) return [];
    if (form === 'one') return [{ noun, name: value as string, pointer: `/${name}` }];
    if (form === 'list')
      return (value as readonly string[]).map((one, at) => ({ noun, name: one, pointer: `/${name}/${at}` }));
    const keys = Object.keys((value as Members)[inside!] ?? {});
    return keys.map((key) => ({ noun, name: key, pointer: `/${name}/${inside!}` }));
  });
}

const NameText = { minLength: 1, maxLength: 200 } as const;

/** The schema of a reference in files, where that of the API is of ids. */
export function ofNames(schema: TSchema, { form, noun, inside }: Reference): TSchema {
  const { description, anyOf, properties } = schema as TSchema & {
    readonly description?: string;
    readonly anyOf?: readonly TSchema[];
    readonly properties?: Readonly<Record<string, TSchema>>;
  };
  const about = description === undefined ? {} : { description };
  const Name = Type.String({ ...NameText, description: `Name of a ${noun}` });
  if (form === 'list') return { ...schema, items: Name };
  if (form === 'one')
    return anyOf === undefined
      ? Type.String({ ...NameText, ...about })
      : Type.Union([Type.String(NameText), Type.Null()], about);
  const { patternProperties } = properties![inside!] as { patternProperties?: Record<string, TSchema> };
  const values = Object.values(patternProperties ?? {})[0]!;
  const byName = { ...Type.Record(Type.String(), values), description: `By name of the ${noun}` };
  return { ...schema, properties: { ...properties, [inside!]: byName } };
}
