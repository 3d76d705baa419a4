/**
 * Which states each page of the console can be in. The types ask for a row for each page, and `every-page.test.ts` brings each page into each of
 * its states; loading, 429, 503, a gap in the stream, the end of the session and much at once (tables near the window, `npm run bench -- console`) are
 * those of every page that asks the service.
 *
 * `names`: it shows what people typed. `still`: it asks the service for nothing of its own. `empty`: a tenant that has nothing sees what this
 * is, an action and a command. `create`: a form whose faults stand at its fields (422). `edit`: one that shows what somebody else saved meanwhile (412).
 * `gone`: the thing that it is about may not be there (404).
 */
import type { PageName } from './pages.ts';

export type PageState = 'names' | 'still' | 'empty' | 'create' | 'edit' | 'gone';

export const STATES: Readonly<Record<PageName, readonly PageState[]>> = {
  overview: ['empty'],
  'lookup-empty': ['still', 'empty'],
  lookup: [],
  'lookup-hostile': ['names'],
  'lookup-why-not': ['names'],
  'lookup-refused': [],
  modules: ['names', 'empty', 'create'],
  'modules-deleted': ['names', 'empty'],
  module: ['gone'],
  entries: ['names', 'gone'],
  'entries-text': ['names', 'gone'],
  'entries-deleted': ['names', 'gone'],
  'module-settings': ['names', 'gone'],
  revisions: ['empty'],
  revision: ['names', 'gone'],
  'revision-map': ['names', 'gone'],
  'lookup-many': ['names'],
  compare: ['names', 'gone'],
  'compare-map': ['gone'],
  applies: ['names', 'empty'],
  apply: ['gone'],
  sessions: ['create'],
  peers: ['names', 'empty', 'create', 'edit'],
  peer: ['gone', 'edit'],
  'peer-hostile': ['names', 'gone', 'edit'],
  sources: ['names', 'empty'],
  'sources-none': ['empty'],
  jobs: ['names', 'empty'],
  job: ['gone'],
  audit: ['names'],
  keys: ['names', 'create'],
  communities: ['names', 'empty', 'create', 'edit'],
  resolvers: ['names', 'empty', 'create', 'edit'],
  feeds: ['names', 'empty', 'create', 'edit'],
  webhooks: ['names', 'empty', 'create', 'edit'],
  webhook: ['names', 'gone', 'edit'],
  settings: ['names'],
  speakers: ['names', 'empty'],
  speaker: ['gone', 'edit'],
  'speaker-hostile': ['names', 'gone', 'edit'],
  'speaker-model': ['gone'],
  'new-node': [],
  firewall: ['names', 'empty', 'create', 'edit'],
  'firewall-hosts': ['names', 'empty'],
  'firewall-host': ['names', 'gone', 'edit'],
  maintenance: ['names', 'create', 'edit'],
  logs: [],
  database: [],
  tenants: ['names', 'create', 'edit'],
  welcome: ['names'],
  'no-such-page': ['still'],
};

export function pagesWith(state: PageState): readonly PageName[] {
  return (Object.keys(STATES) as PageName[]).filter((name) => STATES[name].includes(state));
}
