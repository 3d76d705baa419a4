/** Every page by its path; each is loaded when it is opened first. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { NotFound } from './shell/NotFound.tsx';
import { SignedIn } from './shell/SignedIn.tsx';

const root = createRootRoute({ component: SignedIn, notFoundComponent: NotFound });
const getParentRoute = () => root;

/** A parameter of the address that is a text, or is not there. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

const overview = createRoute({
  getParentRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/overview/Overview.tsx'), 'Overview'),
});
const lookup = createRoute({
  getParentRoute,
  path: '/lookup',
  validateSearch: ({ q }): { q?: string } => {
    const query = textOf(q);
    return query === undefined ? {} : { q: query };
  },
  component: lazyRouteComponent(() => import('./pages/lookup/LookupPage.tsx'), 'LookupPage'),
});
const modules = createRoute({
  getParentRoute,
  path: '/modules',
  component: lazyRouteComponent(() => import('./pages/modules/Modules.tsx'), 'Modules'),
});
const module = createRoute({
  getParentRoute,
  path: '/modules/$moduleId',
  component: lazyRouteComponent(() => import('./pages/modules/ModulePage.tsx'), 'ModulePage'),
});
const revisions = createRoute({
  getParentRoute,
  path: '/revisions',
  component: lazyRouteComponent(() => import('./pages/revisions/Revisions.tsx'), 'Revisions'),
});
const revision = createRoute({
  getParentRoute,
  path: '/revisions/$revision',
  component: lazyRouteComponent(() => import('./pages/revisions/RevisionPage.tsx'), 'RevisionPage'),
});
const compare = createRoute({
  getParentRoute,
  path: '/compare/$pair',
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

export const router = createRouter({
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
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
