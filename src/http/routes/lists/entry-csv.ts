import { Type } from 'typebox';
import { namedEntries } from '../../../api/activity/audit-entries.ts';
import { EntryImport, EntryImportQuery } from '../../../api/entries/entry-csv.ts';
import { exportEntries } from '../../../control/entries/export-entries.ts';
import { importEntries, importPlaces } from '../../../control/entries/import-entries.ts';
import { KINDS } from '../../../control/entries/kinds.ts';
import { signRemovals } from '../../../store/database/actor.ts';
import { getModule } from '../../../store/modules/modules.ts';
import { tenantRoute } from '../../route.ts';

const tag = 'entries as CSV';
const path = '/v1/modules/{module_id}/entries.csv';
const params = { module_id: 'module' } as const;

const columnsOfTypes = Object.entries(KINDS)
  .map(([type, { csv }]) => `\`${csv.columns.map(({ name }) => name).join(',')}\` (${type})`)
  .join(', ');
const COLUMNS =
  `Columns by type of module: ${columnsOfTypes}. \`community\` is a value such as ` +
  '`65000:100`. Text that a spreadsheet would take for a formula stands behind an apostrophe.';

export const entryCsvRoutes = [
  tenantRoute({
    method: 'GET',
    path,
    operation: 'exportEntries',
    permission: 'bgp:lists:read',
    tag,
    summary: 'Export the entries of a module as CSV',
    description: `In the order of their keys, with a header; an import of it changes nothing. ${COLUMNS} Headers of requests are not included.`,
    status: 200,
    problems: ['not_acceptable'],
    params,
    response: Type.String(),
    streams: ['text/csv'],
    handler: ({ tx, params: { module_id: id }, services }) =>
      Promise.resolve({
        text: exportEntries(tx, (work) => services.db.inBulk(tx.tenantId, work), id),
        mediaType: 'text/csv; charset=utf-8; header=present',
      }),
  }),
  tenantRoute({
    method: 'POST',
    path,
    operation: 'importEntries',
    permission: 'bgp:lists:write',
    audit: 'module.import',
    read: ({ tx, params: { module_id: id } }) => getModule(tx, id),
    tag,
    summary: 'Import entries of a module from CSV',
    description:
      'All or nothing: each error is reported with its line, and nothing is written unless every line is valid. The file is UTF-8 with a ' +
      `header whose columns stand in any order. ${COLUMNS} A column that is missing leaves entries that exist as they are; an ` +
      'empty cell is the default: no note, enabled, no community of its own, format `auto`. An entry is identified by its ' +
      'first column. Those that stay keep their ids, their last good prefixes, and the headers of their requests.',
    status: 200,
    problems: ['rate_limited', 'conflict'],
    params,
    query: EntryImportQuery,
    consumes: 'text/csv',
    places: importPlaces,
    bodyLimit: 64 * 1024 * 1024,
    example: 'cidr,note,enabled,community\r\n8.8.8.0/24,"resolver, public",true,\r\n',
    response: EntryImport,
    handler: async ({ tx, context, params: { module_id: id }, query, bytes, isTrial, gone }) => {
      await signRemovals(tx, context.actor);
      const { mode = 'append', dry_run: dryRun = false } = query;
      // What is meant is carried out, whoever waits for its answer.
      const waited = isTrial || dryRun ? { gone } : {};
      const { answer, names } = await importEntries(tx, id, bytes, { mode, dryRun, ...waited });
      return { body: answer, recorded: namedEntries(names, answer) };
    },
  }),
];
