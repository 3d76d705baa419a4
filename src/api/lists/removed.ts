/** What was removed of lists and can be put back: modules with all that they had, and entries of modules that are there. */
import { Type, type Static } from 'typebox';
import { SearchText } from '../shapes/members.ts';
import { Name } from '../shapes/names.ts';
import { Id, Nullable, Strict, Timestamp, listQuery, oneOrSeveral } from '../shapes/page.ts';
import { ModuleType } from './modules.ts';

const removal = {
  removed_at: Timestamp,
  removed_by: Nullable(
    Type.String({ examples: ['key:operations'] }),
    'Who removed it, as the audit log names them; null: nobody by the API',
  ),
  kept_until: {
    ...Timestamp,
    description:
      'When it is forgotten, by the setting `removed_retention_days`; earlier if the tenant removes more than it may have',
  },
};

const EntryCount = Type.Integer({
  minimum: 0,
  description: 'Entries that are kept; those that had expired are not',
});

export const RemovedModule = Strict({
  id: { ...Id, description: 'The id that the module had, and has again once it is restored' },
  name: Type.String(),
  type: ModuleType,
  purpose: Type.Enum(['announce', 'exclude']),
  enabled: Type.Boolean({ description: 'Whether it was enabled, and will be when it is restored' }),
  entry_count: EntryCount,
  ...removal,
});
export type RemovedModule = Static<typeof RemovedModule>;

export const RemovedModuleQuery = listQuery({
  type: Type.Optional(ModuleType),
  q: Type.Optional(SearchText),
  id: Type.Optional(oneOrSeveral(Id)),
});
export type RemovedModuleQuery = Static<typeof RemovedModuleQuery>;

/** The entries of one request, or of several that were carried out together. */
export const RemovedEntries = Strict({
  id: { ...Id, description: 'The `batch` to restore' },
  entry_count: EntryCount,
  names: Type.Array(Type.String(), { description: 'What the first three of them are called' }),
  ...removal,
  restored_at: Nullable(Timestamp, 'When they were put back; null: they can be'),
  restored_by: Nullable(Type.String({ examples: ['key:operations'] }), 'Who put them back'),
});
export type RemovedEntries = Static<typeof RemovedEntries>;

export const RemovedEntriesQuery = listQuery({});
export type RemovedEntriesQuery = Static<typeof RemovedEntriesQuery>;

const LeaveOutMissing = Type.Optional(
  Type.Boolean({
    default: false,
    description:
      'Puts it back without the communities and resolvers that were deleted meanwhile. If it is false and some were, the answer is 409 and names them',
  }),
);

export const ModuleRestore = Strict({
  name: Type.Optional(Name('Another name, if its own was given away meanwhile')),
  leave_out_missing: LeaveOutMissing,
});
export type ModuleRestore = Static<typeof ModuleRestore>;

export const EntriesRestore = Strict({
  batch: { ...Id, description: '`id` of GET …/removed-entries' },
  leave_out_missing: LeaveOutMissing,
});
export type EntriesRestore = Static<typeof EntriesRestore>;

const restored = {
  restored: Type.Integer({ minimum: 0, description: 'Entries that are back' }),
  expired: Type.Integer({ minimum: 0, description: 'Entries whose end is over, and that stay away' }),
  left_out: Type.Array(Type.String(), {
    description: 'Communities and resolvers that were deleted meanwhile, and that it came back without',
    examples: [['65000:666']],
  }),
};

export const RestoredModule = Strict({
  id: Id,
  name: Type.String(),
  ...restored,
  is_collected_again: Type.Boolean({
    description:
      'Whether what was collected of it is gone: its routes return when its sources were read again. False: they return at once',
  }),
});
export type RestoredModule = Static<typeof RestoredModule>;

export const RestoredEntries = Strict({
  batch: Id,
  ...restored,
  already_there: Type.Integer({
    minimum: 0,
    description: 'Entries that somebody has added again since; these stay as they are',
  }),
});
export type RestoredEntries = Static<typeof RestoredEntries>;
