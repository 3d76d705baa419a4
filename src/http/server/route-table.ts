/** The one table of routes. What is not in it is not served. */
import type { Route } from '../route.ts';
import { apiKeyRoutes } from '../routes/api-keys.ts';
import { applyRoutes } from '../routes/apply.ts';
import { asEntryRoutes } from '../routes/as-entries.ts';
import { auditRoutes } from '../routes/audit.ts';
import { bundleRoutes } from '../routes/bundles.ts';
import { catalogRoutes } from '../routes/catalog.ts';
import { cdnPreviewRoutes } from '../routes/cdn-preview.ts';
import { cdnSourceRoutes } from '../routes/cdn-sources.ts';
import { communityRoutes } from '../routes/communities.ts';
import { dohProfileRoutes } from '../routes/doh-profiles.ts';
import { domainEntryRoutes } from '../routes/domain-entries.ts';
import { entryCsvRoutes } from '../routes/entry-csv.ts';
import { geofeedEntryRoutes } from '../routes/geofeed-entries.ts';
import { ipRangeEntryRoutes } from '../routes/ip-range-entries.ts';
import { eventRoutes } from '../routes/events.ts';
import { jobRoutes } from '../routes/jobs.ts';
import { lookupRoutes } from '../routes/lookup.ts';
import { moduleRoutes } from '../routes/modules.ts';
import { nodeRoutes } from '../routes/nodes.ts';
import { peerRoutes } from '../routes/peers.ts';
import { revisionRoutes } from '../routes/revisions.ts';
import { serviceRoutes } from '../routes/service.ts';
import { routerRoutes } from '../routes/router.ts';
import { sessionRoutes } from '../routes/session.ts';
import { settingRoutes } from '../routes/settings.ts';
import { sourcePresetRoutes } from '../routes/source-presets.ts';
import { speakerRoutes } from '../routes/speakers.ts';
import { tenantRoutes } from '../routes/tenants.ts';

export const ROUTES: readonly Route[] = [
  ...serviceRoutes,
  ...sessionRoutes,
  ...apiKeyRoutes,
  ...tenantRoutes,
  ...moduleRoutes,
  ...cdnSourceRoutes,
  ...cdnPreviewRoutes,
  ...sourcePresetRoutes,
  ...asEntryRoutes,
  ...domainEntryRoutes,
  ...ipRangeEntryRoutes,
  ...geofeedEntryRoutes,
  ...entryCsvRoutes,
  ...catalogRoutes,
  ...lookupRoutes,
  ...dohProfileRoutes,
  ...communityRoutes,
  ...speakerRoutes,
  ...routerRoutes,
  ...nodeRoutes,
  ...bundleRoutes,
  ...peerRoutes,
  ...revisionRoutes,
  ...applyRoutes,
  ...jobRoutes,
  ...eventRoutes,
  ...settingRoutes,
  ...auditRoutes,
];
