import { Type, type Static } from 'typebox';
import { Strict } from '../shapes/page.ts';

export const EntryImportQuery = Strict({
  mode: Type.Optional(
    Type.Enum(['append', 'replace'], {
      default: 'append',
      description:
        '`append` creates and updates what the file names; `replace` also deletes every entry that the file does not name',
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
  unchanged: count('Entries that it had just so'),
  deleted: count('Entries that the file does not name; with `mode=append` always 0'),
  dry_run: Type.Boolean({ description: 'Whether this was a dry run that changed nothing' }),
});
export type EntryImport = Static<typeof EntryImport>;
