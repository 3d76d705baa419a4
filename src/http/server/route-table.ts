/** The one table of routes. What is not in it is not served. */
import type { Route } from '../route.ts';
import { apiKeyRoutes } from '../routes/access/api-keys.ts';
import { applyRoutes } from '../routes/revisions/apply.ts';
import { asEntryRoutes } from '../routes/lists/as-entries.ts';
import { auditRoutes } from '../routes/activity/audit.ts';
import { bundleRoutes } from '../routes/nodes/bundles.ts';
import { catalogRoutes } from '../routes/lists/catalog.ts';
import { cdnPreviewRoutes } from '../routes/lists/cdn-preview.ts';
import { cdnSourceRoutes } from '../routes/lists/cdn-sources.ts';
import { communityRoutes } from '../routes/lists/communities.ts';
import { dohProfileRoutes } from '../routes/lists/doh-profiles.ts';
import { domainEntryRoutes } from '../routes/lists/domain-entries.ts';
import { entryCsvRoutes } from '../routes/lists/entry-csv.ts';
import { feedRoutes } from '../routes/lists/feeds.ts';
import { webhookRoutes } from '../routes/activity/webhooks.ts';
import { firewallClientRoutes } from '../routes/firewall/firewall-clients.ts';
import { firewallRuleRoutes } from '../routes/firewall/firewall-rules.ts';
import { geofeedEntryRoutes } from '../routes/lists/geofeed-entries.ts';
import { historyRoutes } from '../routes/lists/history.ts';
import { ipRangeEntryRoutes } from '../routes/lists/ip-range-entries.ts';
import { eventRoutes } from '../routes/activity/events.ts';
import { jobRoutes } from '../routes/activity/jobs.ts';
import { lookupRoutes } from '../routes/lists/lookup.ts';
import { maintenanceRoutes } from '../routes/operation/maintenance.ts';
import { moduleRoutes } from '../routes/lists/modules.ts';
import { nodeRoutes } from '../routes/nodes/nodes.ts';
import { peerRoutes } from '../routes/speakers/peers.ts';
import { planRoutes } from '../routes/revisions/plan.ts';
import { postgresRoutes } from '../routes/operation/postgres.ts';
import { removedRoutes } from '../routes/lists/removed.ts';
import { revisionRoutes } from '../routes/revisions/revisions.ts';
import { runtimeLogRoutes } from '../routes/operation/runtime-logs.ts';
import { serviceRoutes } from '../routes/operation/service.ts';
import { routerRoutes } from '../routes/speakers/router.ts';
import { sessionRoutes } from '../routes/access/session.ts';
import { settingRoutes } from '../routes/operation/settings.ts';
import { sourceRoutes } from '../routes/lists/sources.ts';
import { sourcePresetRoutes } from '../routes/lists/source-presets.ts';
import { speakerRoutes } from '../routes/speakers/speakers.ts';
import { tenantRoutes } from '../routes/access/tenants.ts';

export const ROUTES: readonly Route[] = [
  ...serviceRoutes,
  ...sessionRoutes,
  ...apiKeyRoutes,
  ...tenantRoutes,
  ...moduleRoutes,
  ...cdnSourceRoutes,
  ...cdnPreviewRoutes,
  ...sourcePresetRoutes,
  ...sourceRoutes,
  ...asEntryRoutes,
  ...domainEntryRoutes,
  ...ipRangeEntryRoutes,
  ...geofeedEntryRoutes,
  ...entryCsvRoutes,
  ...removedRoutes,
  ...catalogRoutes,
  ...lookupRoutes,
  ...historyRoutes,
  ...dohProfileRoutes,
  ...communityRoutes,
  ...speakerRoutes,
  ...routerRoutes,
  ...nodeRoutes,
  ...bundleRoutes,
  ...peerRoutes,
  ...feedRoutes,
  ...firewallClientRoutes,
  ...firewallRuleRoutes,
  ...revisionRoutes,
  ...planRoutes,
  ...applyRoutes,
  ...jobRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...settingRoutes,
  ...auditRoutes,
  ...runtimeLogRoutes,
  ...maintenanceRoutes,
  ...postgresRoutes,
];
