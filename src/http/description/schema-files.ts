/** Which files of src/api name schemas of the API description: every schema that one of them exports has, in the description, the name that it has there. */
import type { TSchema } from 'typebox';
import * as apiKeys from '../../api/access/api-keys.ts';
import * as apply from '../../api/revisions/apply.ts';
import * as audit from '../../api/activity/audit.ts';
import * as bundles from '../../api/nodes/bundles.ts';
import * as catalog from '../../api/lists/catalog.ts';
import * as cdnPreview from '../../api/entries/cdn-preview.ts';
import * as collectedEntries from '../../api/entries/collected-entries.ts';
import * as communities from '../../api/lists/communities.ts';
import * as diff from '../../api/revisions/diff.ts';
import * as dohProfiles from '../../api/lists/doh-profiles.ts';
import * as entryCsv from '../../api/entries/entry-csv.ts';
import * as entryMembers from '../../api/entries/entry-members.ts';
import { KIND_SCHEMAS } from '../../api/entries/kind-schemas.ts';
import * as events from '../../api/activity/events.ts';
import * as feeds from '../../api/feeds/feeds.ts';
import * as firewallClients from '../../api/firewall/firewall-clients.ts';
import * as firewallRules from '../../api/firewall/firewall-rules.ts';
import * as firewallRulesets from '../../api/firewall/firewall-rulesets.ts';
import * as fitted from '../../api/speakers/fitted.ts';
import * as heldModules from '../../api/lists/held-modules.ts';
import * as history from '../../api/lookup/history.ts';
import * as jobResults from '../../api/activity/job-results.ts';
import * as jobs from '../../api/activity/jobs.ts';
import * as jobStates from '../../api/shapes/job-states.ts';
import * as holders from '../../api/lookup/holders.ts';
import * as lookup from '../../api/lookup/lookup.ts';
import * as maintenance from '../../api/operation/maintenance.ts';
import * as manyEntries from '../../api/entries/many-entries.ts';
import * as map from '../../api/revisions/map.ts';
import * as modules from '../../api/lists/modules.ts';
import * as nodes from '../../api/nodes/nodes.ts';
import * as page from '../../api/shapes/page.ts';
import * as peers from '../../api/speakers/peers.ts';
import * as plan from '../../api/revisions/plan.ts';
import * as postgres from '../../api/operation/postgres.ts';
import * as preview from '../../api/revisions/preview.ts';
import * as speakerModel from '../../api/revisions/speaker-model.ts';
import * as problemDocument from '../../api/problems/problem-document.ts';
import * as rejectedLines from '../../api/entries/rejected-lines.ts';
import * as removed from '../../api/lists/removed.ts';
import * as revisions from '../../api/revisions/revisions.ts';
import * as router from '../../api/speakers/router.ts';
import * as runtimeLogs from '../../api/operation/runtime-logs.ts';
import * as session from '../../api/access/session.ts';
import * as settings from '../../api/operation/settings.ts';
import * as sources from '../../api/entries/sources.ts';
import * as sourcePresets from '../../api/entries/source-presets.ts';
import * as speakers from '../../api/speakers/speakers.ts';
import * as tenantPolicy from '../../api/access/tenant-policy.ts';
import * as tenants from '../../api/access/tenants.ts';
import * as version from '../../api/operation/version.ts';
import * as webhooks from '../../api/activity/webhooks.ts';

const FILES: readonly object[] = [
  ...KIND_SCHEMAS,
  apiKeys,
  apply,
  audit,
  bundles,
  catalog,
  cdnPreview,
  collectedEntries,
  communities,
  diff,
  dohProfiles,
  entryCsv,
  entryMembers,
  events,
  feeds,
  firewallClients,
  firewallRules,
  firewallRulesets,
  fitted,
  heldModules,
  history,
  jobResults,
  jobs,
  jobStates,
  holders,
  lookup,
  maintenance,
  manyEntries,
  map,
  modules,
  nodes,
  page,
  peers,
  plan,
  postgres,
  preview,
  speakerModel,
  problemDocument,
  rejectedLines,
  removed,
  revisions,
  router,
  runtimeLogs,
  session,
  settings,
  sourcePresets,
  sources,
  speakers,
  tenantPolicy,
  tenants,
  version,
  webhooks,
];

/** The exported schemas with their names. Queries stand at their operations, member by member. */
export const EXPORTED_SCHEMAS: ReadonlyMap<object, string> = new Map(
  FILES.flatMap((file) =>
    Object.entries(file)
      .filter(([name, value]) => isSchema(value) && !name.endsWith('Query'))
      .map(([name, value]) => [value as object, name]),
  ),
);

export function isSchema(value: unknown): value is TSchema {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    ['type', 'anyOf', 'enum'].some((keyword) => keyword in value)
  );
}
