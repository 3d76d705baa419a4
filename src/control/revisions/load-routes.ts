import { Problem } from '../../api/problem.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import type { RoutesModel } from '../../speakers/speaker.ts';
import { listAllCommunities } from '../../store/communities.ts';
import { loadTable } from '../../store/contents/contents.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { getRevision } from '../../store/revisions.ts';
import { getSetting } from '../../store/settings.ts';
import { labelModels } from '../speakers/community-labels.ts';

/** The routes of a revision as speakers run them: its table, and what its labels mean on the wire now. */
export async function loadRoutes(
  tx: TenantTx,
  revisionId: string,
  read: (contentHash: string) => Promise<PrefixTable> = (hash) => loadTable(tx, hash),
): Promise<RoutesModel> {
  const { resource: revision } = await getRevision(tx, revisionId);
  if (revision.content_hash === null) {
    throw new Problem(
      'revision_not_ready',
      `Revision ${revision.number} is ${revision.state} and has no content yet.`,
    );
  }
  const table = await read(revision.content_hash);
  return {
    revisionId,
    table,
    labels: labelModels(labelsOf(table), revision.communities, await listAllCommunities(tx)),
    noExport: await getSetting(tx, 'guard_no_export'),
    confirmSeconds: await getSetting(tx, 'deploy_confirm_timeout_seconds'),
  };
}

function labelsOf(table: PrefixTable): Set<string> {
  return new Set(table.labelSets.flat());
}
