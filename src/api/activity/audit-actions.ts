/** What the audit log may say was done, so that nobody takes the empty list of a misspelt action for an answer. */
import { ENTRY_TYPES } from '../entries/entry-kinds.ts';
import { nearestOnes } from '../problems/nearest.ts';
import type { AuditAction } from './audit.ts';

const VERBS: Readonly<Record<string, readonly string[]>> = {
  api_key: ['create', 'change', 'rotate', 'revoke'],
  audit: ['prune'],
  browser_session: ['open', 'end'],
  community: ['create', 'change', 'delete'],
  doh_profile: ['create', 'change', 'delete'],
  enrollment_token: ['create'],
  feed: ['create', 'change', 'rotate', 'delete'],
  firewall_client: ['enroll', 'change', 'delete'],
  firewall_enrollment_token: ['create'],
  firewall_rule: ['create', 'change', 'delete'],
  job: ['cancel', 'fail', 'prune'],
  maintenance_policy: ['create', 'change', 'run', 'delete'],
  module: [
    ...['create', 'change', 'refresh', 'import', 'restore', 'restore_entries'],
    ...['hold', 'accept', 'release', 'delete'],
  ],
  node: ['enroll'],
  peer: ['create', 'change', 'delete'],
  postgres: ['maintain'],
  revision: ['create', 'build', 'change', 'apply', 'override', 'rollback', 'prune'],
  router: ['reload'],
  runtime_logs: ['truncate', 'delete', 'clean'],
  settings: ['change'],
  sign_in_link: ['create'],
  signing_key: ['rotate'],
  speaker: ['create', 'change', 'apply', 'delete'],
  tenant: ['create', 'change', 'stop', 'delete'],
  webhook: ['create', 'change', 'rotate', 'fail', 'delete'],
  ...Object.fromEntries(ENTRY_TYPES.map((type) => [type, ['create', 'change', 'delete', 'expire']])),
};

export const AUDIT_ACTIONS: readonly AuditAction[] = Object.entries(VERBS).flatMap(([noun, verbs]) =>
  verbs.map((verb): AuditAction => `${noun}.${verb}`),
);

/** Those that somebody may have meant by another one: of the noun, or of one that ends so (`key` for `api_key`), or what is spelled nearly so. */
export function actionsLike(given: string): readonly string[] {
  const [noun = '', verb] = given.toLowerCase().split('.');
  const isNoun = (known: string): boolean => known === noun || known.endsWith(`_${noun}`);
  const ofNoun = Object.entries(VERBS).flatMap(([known, verbs]) =>
    isNoun(known) ? verbs.map((one) => `${known}.${one}`) : [],
  );
  const same = ofNoun.filter((action) => action.endsWith(`.${verb}`));
  if (same.length > 0) return same;
  return ofNoun.length > 0 ? ofNoun : nearestOnes(given, AUDIT_ACTIONS);
}
