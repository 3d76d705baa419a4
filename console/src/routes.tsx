/** Every page by its path; each is loaded when it is opened first. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { Toasts } from './design/messages/Toasts.tsx';
import { NotFound } from './shell/NotFound.tsx';
import { PagePending } from './shell/PagePending.tsx';
import { SignedIn } from './shell/SignedIn.tsx';

const root = createRootRoute({
  ...{ component: SignedIn, notFoundComponent: NotFound },
  /** What the table of a page is filtered by and sorted by. */
  validateSearch: ({ find, sort }): { find?: string; sort?: string } => ({
    ...textAs('find', find),
    ...textAs('sort', sort),
  }),
});
const getParentRoute = () => root;

const JOB_TYPES = [
  'module_refresh',
  'revision_build',
  'apply',
  'peer_reconcile',
  'revision_prune',
  'maintenance_policy_run',
  'postgres_maintenance',
  'router_reload',
] as const;
/** Of entries; `name` is what is unique in the module. */
const ENTRY_ORDERS = ['newest', 'name', '-name'] as const;
const MODULE_TABS = ['held', 'entries', 'text', 'removed', 'settings'] as const;

/** A parameter of the address that is a text, or is not there. */
function textAs<Name extends string>(name: Name, value: unknown): Partial<Record<Name, string>> {
  const isText = typeof value === 'string' || typeof value === 'number';
  return (isText ? { [name]: String(value) } : {}) as Partial<Record<Name, string>>;
}

/** One that is one of these, or is not there. */
function oneOf<Name extends string, const Value extends string>(
  name: Name,
  value: unknown,
  values: readonly Value[],
): Partial<Record<Name, Value>> {
  const found = values.find((one) => one === value);
  return (found === undefined ? {} : { [name]: found }) as Partial<Record<Name, Value>>;
}

const overview = createRoute({
  getParentRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/overview/Overview.tsx'), 'Overview'),
});
const lookup = createRoute({
  getParentRoute,
  path: '/lookup',
  validateSearch: ({ q }): { q?: string } => textAs('q', q),
  component: lazyRouteComponent(() => import('./pages/lookup/LookupPage.tsx'), 'LookupPage'),
});
const modules = createRoute({
  getParentRoute,
  path: '/modules',
  validateSearch: ({ tab }) => oneOf('tab', tab, ['deleted']),
  component: lazyRouteComponent(() => import('./pages/modules/Modules.tsx'), 'Modules'),
});
const module = createRoute({
  getParentRoute,
  path: '/modules/$moduleId',
  validateSearch: ({
    tab,
    q,
    order,
  }): { tab?: (typeof MODULE_TABS)[number]; q?: string; order?: (typeof ENTRY_ORDERS)[number] } => ({
    ...oneOf('tab', tab, MODULE_TABS),
    ...oneOf('order', order, ENTRY_ORDERS),
    ...textAs('q', q),
  }),
  component: lazyRouteComponent(() => import('./pages/modules/ModulePage.tsx'), 'ModulePage'),
});
const revisions = createRoute({
  getParentRoute,
  path: '/revisions',
  validateSearch: ({ since, until }) => ({ ...textAs('since', since), ...textAs('until', until) }),
  component: lazyRouteComponent(() => import('./pages/revisions/Revisions.tsx'), 'Revisions'),
});
const revision = createRoute({
  getParentRoute,
  path: '/revisions/$revision',
  validateSearch: ({ map, within }) => ({ ...oneOf('map', map, ['shown']), ...textAs('within', within) }),
  component: lazyRouteComponent(() => import('./pages/revisions/RevisionPage.tsx'), 'RevisionPage'),
});
const compare = createRoute({
  getParentRoute,
  path: '/compare/$pair',
  validateSearch: ({ map, within }) => ({ ...oneOf('map', map, ['shown']), ...textAs('within', within) }),
  component: lazyRouteComponent(() => import('./pages/compare/Compare.tsx'), 'Compare'),
});
const applies = createRoute({
  getParentRoute,
  path: '/applies',
  component: lazyRouteComponent(() => import('./pages/applies/Applies.tsx'), 'Applies'),
});
const apply = createRoute({
  getParentRoute,
  path: '/applies/$jobId',
  component: lazyRouteComponent(() => import('./pages/applies/ApplyPage.tsx'), 'ApplyPage'),
});
const sessions = createRoute({
  getParentRoute,
  path: '/sessions',
  component: lazyRouteComponent(() => import('./pages/sessions/Sessions.tsx'), 'Sessions'),
});

const sources = createRoute({
  getParentRoute,
  path: '/sources',
  validateSearch: ({ status }) => oneOf('status', status, ['pending', 'ok', 'stale', 'failed']),
  component: lazyRouteComponent(() => import('./pages/sources/Sources.tsx'), 'Sources'),
});
const jobs = createRoute({
  getParentRoute,
  path: '/jobs',
  validateSearch: ({ type, state, resource_id }) => ({
    ...oneOf('type', type, JOB_TYPES),
    ...oneOf('state', state, ['queued', 'running', 'succeeded', 'failed', 'cancelled']),
    ...textAs('resource_id', resource_id),
  }),
  component: lazyRouteComponent(() => import('./pages/jobs/Jobs.tsx'), 'Jobs'),
});
const job = createRoute({
  getParentRoute,
  path: '/jobs/$jobId',
  component: lazyRouteComponent(() => import('./pages/jobs/JobPage.tsx'), 'JobPage'),
});
const audit = createRoute({
  getParentRoute,
  path: '/audit',
  validateSearch: ({ severity, resource_id, q, actor, since, until, record }) => ({
    ...oneOf('severity', severity, ['info', 'notice', 'warning', 'critical']),
    ...textAs('resource_id', resource_id),
    ...textAs('q', q),
    ...textAs('actor', actor),
    ...textAs('since', since),
    ...textAs('until', until),
    ...textAs('record', record),
  }),
  component: lazyRouteComponent(() => import('./pages/audit/Audit.tsx'), 'Audit'),
});
const keys = createRoute({
  getParentRoute,
  path: '/keys',
  component: lazyRouteComponent(() => import('./pages/keys/Keys.tsx'), 'Keys'),
});
const communities = createRoute({
  getParentRoute,
  path: '/communities',
  component: lazyRouteComponent(() => import('./pages/communities/Communities.tsx'), 'Communities'),
});
const feeds = createRoute({
  getParentRoute,
  path: '/feeds',
  component: lazyRouteComponent(() => import('./pages/feeds/Feeds.tsx'), 'Feeds'),
});
const webhooks = createRoute({
  getParentRoute,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./pages/webhooks/Webhooks.tsx'), 'Webhooks'),
});
const webhook = createRoute({
  getParentRoute,
  path: '/webhooks/$webhookId',
  component: lazyRouteComponent(() => import('./pages/webhooks/WebhookPage.tsx'), 'WebhookPage'),
});
const settings = createRoute({
  getParentRoute,
  path: '/settings',
  validateSearch: ({ q }) => textAs('q', q),
  component: lazyRouteComponent(() => import('./pages/settings/Settings.tsx'), 'Settings'),
});
const speakers = createRoute({
  getParentRoute,
  path: '/speakers',
  component: lazyRouteComponent(() => import('./pages/speakers/Speakers.tsx'), 'Speakers'),
});
const speaker = createRoute({
  getParentRoute,
  path: '/speakers/$speakerId',
  validateSearch: ({ tab }) => oneOf('tab', tab, ['peers', 'configuration', 'model']),
  component: lazyRouteComponent(() => import('./pages/speakers/SpeakerPage.tsx'), 'SpeakerPage'),
});

const peers = createRoute({
  getParentRoute,
  path: '/peers',
  component: lazyRouteComponent(() => import('./pages/peers/Peers.tsx'), 'Peers'),
});
const peer = createRoute({
  getParentRoute,
  path: '/peers/$peerId',
  validateSearch: ({ edit }): { edit?: string } => textAs('edit', edit),
  component: lazyRouteComponent(() => import('./pages/peers/PeerPage.tsx'), 'PeerPage'),
});
const newNode = createRoute({
  getParentRoute,
  path: '/nodes/new',
  validateSearch: (search) => textAs('speaker', search.speaker),
  component: lazyRouteComponent(() => import('./pages/nodes/NewNode.tsx'), 'NewNode'),
});

const firewall = createRoute({
  getParentRoute,
  path: '/firewall',
  validateSearch: ({ tab }) => oneOf('tab', tab, ['rules', 'clients']),
  component: lazyRouteComponent(() => import('./pages/firewall/Firewall.tsx'), 'Firewall'),
});
const firewallHost = createRoute({
  getParentRoute,
  path: '/firewall/$hostId',
  component: lazyRouteComponent(() => import('./pages/firewall/HostPage.tsx'), 'HostPage'),
});
const resolvers = createRoute({
  getParentRoute,
  path: '/resolvers',
  component: lazyRouteComponent(() => import('./pages/resolvers/Resolvers.tsx'), 'Resolvers'),
});
const maintenance = createRoute({
  getParentRoute,
  path: '/maintenance',
  component: lazyRouteComponent(() => import('./pages/maintenance/Maintenance.tsx'), 'Maintenance'),
});
const logs = createRoute({
  getParentRoute,
  path: '/logs',
  validateSearch: ({ file, grep }) => ({ ...textAs('file', file), ...textAs('grep', grep) }),
  component: lazyRouteComponent(() => import('./pages/logs/Logs.tsx'), 'Logs'),
});
const database = createRoute({
  getParentRoute,
  path: '/database',
  component: lazyRouteComponent(() => import('./pages/database/Database.tsx'), 'Database'),
});
const tenants = createRoute({
  getParentRoute,
  path: '/tenants',
  component: lazyRouteComponent(() => import('./pages/tenants/Tenants.tsx'), 'Tenants'),
});
const welcome = createRoute({
  getParentRoute,
  path: '/welcome',
  component: lazyRouteComponent(() => import('./pages/welcome/Welcome.tsx'), 'Welcome'),
});

/** So long, the page before may stay: most scripts are there sooner. */
const PENDING_MILLISECONDS = 500;

export const router = createRouter({
  // In the router, since messages have links.
  InnerWrap: Toasts,
  routeTree: root.addChildren([
    overview,
    lookup,
    modules,
    module,
    revisions,
    revision,
    compare,
    applies,
    apply,
    sessions,
    sources,
    jobs,
    job,
    audit,
    keys,
    communities,
    feeds,
    webhooks,
    webhook,
    settings,
    speakers,
    speaker,
    peers,
    peer,
    newNode,
    firewall,
    firewallHost,
    resolvers,
    maintenance,
    logs,
    database,
    tenants,
    welcome,
  ]),
  basepath: '/console',
  defaultPendingComponent: PagePending,
  defaultPendingMs: PENDING_MILLISECONDS,
  defaultPendingMinMs: 0,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

/** Loads the script of the page that the address names. */
export function preloadPage(): void {
  const [matched] = router.getMatchedRoutes(router.latestLocation.pathname);
  for (const { options } of matched) void options.component?.preload?.();
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
