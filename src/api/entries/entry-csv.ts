import { Type, type Static } from 'typebox';
import { Strict } from '../shapes/page.ts';
import { RemovalBatch } from './many-entries.ts';

export const IMPORT_MODES = ['append', 'replace', 'remove'] as const;
export type ImportMode = (typeof IMPORT_MODES)[number];

export const EntryImportQuery = Strict({
  mode: Type.Optional(
    Type.Enum([...IMPORT_MODES], {
      default: 'append',
      description:
        '`append` creates and updates what the file names; `replace` also deletes every entry that the file does not name; `remove` deletes ' +
        'what the file names, and lets other columns than the first be anything',
    }),
  ),
  dry_run: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Answers with what the import would do, and changes nothing',
    }),
  ),
});
export type EntryImportQuery = Static<typeof EntryImportQuery>;

const count = (description: string) => Type.Integer({ minimum: 0, description });

/** What an import did, or with `dry_run` would do. */
export const EntryImport = Strict({
  created: count('Entries that the module did not have'),
  updated: count('Entries that it had with other values; they keep their ids and their last good prefixes'),
  unchanged: count('Entries that it had just so; with `mode=remove`, those that it did not have'),
  deleted: count(
    'Entries that the file does not name, or with `mode=remove` those that it names; with `mode=append` always 0',
  ),
  batch: RemovalBatch,
  dry_run: Type.Boolean({ description: 'Whether this was a dry run that changed nothing' }),
});
export type EntryImport = Static<typeof EntryImport>;
