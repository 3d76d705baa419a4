/** What operators read of a new revision in logs and events. */
import { counted, type OperatorEvent } from '../../api/activity/operator-events.ts';
import type { Revision } from '../../api/revisions/revisions.ts';
import type { TenantTx } from '../database/database.ts';
import type { StoredRevision } from './stored-revisions.ts';

const ORIGINS: Readonly<Record<Revision['trigger']['kind'], string>> = {
  refresh: 'a refresh',
  rollback: 'a rollback',
  manual: 'a request',
  edit: 'edits',
  expiry: 'entries whose time was over',
  release: 'the release of a held module',
};

/** The modules that findings are about, by name. */
export async function modulesOf(
  tx: TenantTx,
  { findings }: StoredRevision,
): Promise<{ id: string; name: string }[]> {
  const ids = findings.flatMap(({ module_id: id }) => id ?? []);
  if (ids.length === 0) return [];
  return tx.sql
    .selectFrom('module')
    .select(['id', 'name'])
    .where('tenant_id', '=', tx.tenantId)
    .where('id', 'in', ids)
    .orderBy('name')
    .execute();
}

/** That the revision is there: ready, or held because of these modules. */
export function eventOf(
  { id, number, state, prefix_count: count, findings, trigger }: StoredRevision,
  modules: readonly { readonly id: string; readonly name: string }[],
): OperatorEvent {
  const routes = counted(count.ipv4 + count.ipv6, 'route');
  const origin = ORIGINS[trigger.kind];
  const fields = {
    revision_id: id,
    revision: number,
    routes: count.ipv4 + count.ipv6,
    trigger: trigger.kind,
  };
  if (state !== 'held')
    return {
      event: 'revision_ready',
      text: `Revision ${number} of ${routes} is ready, built by ${origin}`,
      fields,
    };
  const codes = [...new Set(findings.map(({ code }) => code))];
  const why = findings.length === 0 ? '' : ` ${findings[0]!.detail}`;
  const names = modules.map(({ name }) => name);
  const where =
    names.length === 0 ? '' : ` because of the module${names.length === 1 ? '' : 's'} ${names.join(', ')}`;
  return {
    event: 'revision_held',
    text: `Revision ${number} of ${routes} is held${where} (${codes.join(', ')}), and speakers keep what they run.${why}`,
    fields: { ...fields, findings: codes, modules: names, module_ids: modules.map((one) => one.id) },
  };
}
