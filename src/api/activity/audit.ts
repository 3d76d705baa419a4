/** The audit log: what a record looks like, and how much each kind of change weighs. */
import { Type, type Static } from 'typebox';
import { SearchText } from '../shapes/members.ts';
import { Id, Nullable, Strict, Timestamp, listQuery, oneOrSeveral, sortBy } from '../shapes/page.ts';

export const AUDIT_SEVERITIES = ['info', 'notice', 'warning', 'critical'] as const;
export type AuditSeverity = (typeof AUDIT_SEVERITIES)[number];
const Severity = Type.Enum(AUDIT_SEVERITIES, {
  description:
    '`info`: created or changed; `notice`: deleted or cleaned, settings, deployment, a new key; `warning`: a key taken back, revisions pruned, ' +
    'something failed, a module held; `critical`: a guardrail overridden, a module released, a tenant stopped',
});

/** What happened, as `<noun>.<verb>`: the noun is the type of the resource. */
export type AuditAction = `${string}.${string}`;

/** What the verb alone does not say. */
const SEVERITY_OF_ACTION: Readonly<Record<string, AuditSeverity>> = {
  'api_key.create': 'notice',
  'enrollment_token.create': 'notice',
  'node.enroll': 'notice',
  'browser_session.open': 'notice',
  'sign_in_link.create': 'notice',
  'firewall_enrollment_token.create': 'notice',
  'firewall_client.enroll': 'notice',
  'settings.change': 'notice',
  'tenant.create': 'notice',
  'tenant.change': 'notice',
};

const SEVERITY_OF_VERB: Readonly<Record<string, AuditSeverity>> = {
  delete: 'notice',
  expire: 'notice',
  truncate: 'notice',
  clean: 'notice',
  apply: 'notice',
  reload: 'notice',
  rollback: 'notice',
  revoke: 'warning',
  rotate: 'warning',
  prune: 'warning',
  fail: 'warning',
  hold: 'warning',
  override: 'critical',
  release: 'critical',
  stop: 'critical',
};

/** How much an action weighs where its caller says nothing else. */
export function severityOf(action: AuditAction): AuditSeverity {
  return SEVERITY_OF_ACTION[action] ?? SEVERITY_OF_VERB[verbOf(action)] ?? 'info';
}

export function nounOf(action: AuditAction): string {
  return action.slice(0, action.indexOf('.'));
}

function verbOf(action: AuditAction): string {
  return action.slice(action.indexOf('.') + 1);
}

const State = Nullable(
  Type.Record(Type.String(), Type.Unknown()),
  'Members by name; null: there was nothing. Secrets are `***`',
);

export const AuditRecord = Strict({
  id: Id,
  at: Timestamp,
  actor: Type.String({
    description: '`key:<name>`, `auto:scheduler`, `node:<speaker>`, `firewall:<client>` or `cli`',
  }),
  action: Type.String({ description: '`<noun>.<verb>`, such as `module.create`' }),
  severity: Severity,
  resource: Strict({
    type: Type.String({ description: 'The noun of the action' }),
    id: Nullable(Type.String(), 'null where there is only one, or many at once'),
    name: Nullable(
      Type.String(),
      'As it was called then; null: it has no name, or they are many, and `changes.after` names the first ones',
    ),
  }),
  changes: Strict({ before: State, after: State }),
  request_id: Nullable(Type.String(), '`X-Request-Id` of the request; null: none asked for it'),
  address: Nullable(Type.String(), 'Where the request came from'),
  policy_id: Nullable(Id, 'The maintenance policy that it was done for'),
});
export type AuditRecord = Static<typeof AuditRecord>;

/** The order of records where nothing is said. */
export const NEWEST_RECORD_FIRST = '-at';

export const AuditQuery = listQuery({
  id: Type.Optional(Id),
  action: Type.Optional(oneOrSeveral(Type.String({ minLength: 1, maxLength: 100 }))),
  severity: Type.Optional(oneOrSeveral(Severity)),
  actor: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  resource_type: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  resource_id: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  since: Type.Optional(Type.String({ format: 'date-time', description: 'Not before this moment' })),
  until: Type.Optional(Type.String({ format: 'date-time', description: 'Before this moment' })),
  policy_id: Type.Optional(Id),
  q: Type.Optional(SearchText),
  prefix: Type.Optional(
    Type.String({
      minLength: 2,
      maxLength: 64,
      description:
        'An address or a prefix: records of entries that equal it or contain it, as far as records name them',
    }),
  ),
  sort: sortBy(['at', '-at'], NEWEST_RECORD_FIRST),
});
export type AuditQuery = Static<typeof AuditQuery>;
