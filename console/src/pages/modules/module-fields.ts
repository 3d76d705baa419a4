import { ENTRY_KINDS, MODULE_TYPES, type ModuleType } from '../../../../src/api/entries/entry-kinds.ts';
import type { Members } from '../../service/writes.ts';
import { entriesText } from '../../strings/entries.ts';
import { text } from '../../strings/english.ts';
import type { Choice, FormField } from '../../views/forms/RecordForm.tsx';

const { settings: words } = entriesText;

const isCollected = ({ type }: Members): boolean => ENTRY_KINDS[type as ModuleType].isCollected;
const isResolved = ({ type }: Members): boolean => ENTRY_KINDS[type as ModuleType].isResolved;

/** What somebody says of a module. */
export function moduleFields(communities: readonly Choice[], resolvers: readonly Choice[]): FormField[] {
  return [
    { name: 'name', label: words.name, isRequired: true },
    {
      ...{ name: 'type', label: words.type, kind: 'choice', isRequired: true, isFixed: true },
      ...{
        initial: 'IP_RANGES',
        choices: MODULE_TYPES.map((value) => ({ value, label: text.modules.types[value]! })),
      },
    },
    { name: 'description', label: words.description, kind: 'long' },
    {
      ...{ name: 'purpose', label: words.purpose, kind: 'choice', isRequired: true, initial: 'announce' },
      choices: [
        { value: 'announce', label: text.modules.announce },
        { value: 'exclude', label: text.modules.exclude },
      ],
    },
    {
      name: 'community_id',
      label: words.community,
      hint: words.communityHint,
      kind: 'choice',
      choices: communities,
    },
    {
      ...{ name: 'families', label: words.families, kind: 'many', initial: ['ipv4', 'ipv6'] },
      choices: [
        { value: 'ipv4', label: text.families.ipv4 },
        { value: 'ipv6', label: text.families.ipv6 },
      ],
    },
    {
      ...{ name: 'refresh_interval_seconds', label: words.interval, hint: words.intervalHint },
      ...{ kind: 'number', isFor: isCollected },
    },
    {
      ...{ name: 'doh_profile_ids', label: words.resolvers, hint: words.resolversHint, kind: 'many' },
      ...{ initial: [], choices: resolvers, isFor: isResolved },
    },
    {
      ...{ name: 'can_be_empty', label: words.canBeEmpty, hint: words.canBeEmptyHint, kind: 'toggle' },
      ...{ initial: false, isFor: isCollected },
    },
    { name: 'enabled', label: words.enabled, kind: 'toggle', initial: true },
  ];
}

interface CommunityName {
  readonly id: string;
  readonly community: string;
  readonly title: string;
}

export function communityChoices(communities: readonly CommunityName[]): Choice[] {
  return communities.map(({ id, community, title }) => ({ value: id, label: `${community} ${title}` }));
}

export function resolverChoices(
  resolvers: readonly { readonly id: string; readonly name: string }[],
): Choice[] {
  return resolvers.map(({ id, name }) => ({ value: id, label: name }));
}
