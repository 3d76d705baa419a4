import { FittedByFamily } from '../speakers/fitted.ts';
import { Type, type Static } from 'typebox';
import { Id, Nullable, Strict } from '../shapes/page.ts';
import { NotificationSummary } from '../speakers/speakers.ts';
import { GUARDRAIL_CODES } from './guardrail-codes.ts';
import { RevisionName } from './revisions.ts';

const overriding = {
  override: Type.Optional(
    Type.Array(Type.Enum(GUARDRAIL_CODES), {
      minItems: 1,
      maxItems: GUARDRAIL_CODES.length,
      uniqueItems: true,
      description: 'All guardrails that the revision breaks, to override them for this apply',
    }),
  ),
  reason: Type.Optional(
    Type.String({ minLength: 10, maxLength: 500, description: 'Why; required with `override`' }),
  ),
};

export const ApplyRequest = Strict({
  revision_id: Type.Optional(RevisionName),
  speaker_ids: Type.Optional(
    Type.Array(Id, {
      minItems: 1,
      maxItems: 5000,
      uniqueItems: true,
      description: 'Default: all enabled speakers',
    }),
  ),
  retry_of: Type.Optional({
    ...Id,
    description:
      'A job `apply` that has ended: applies the same revision again, only to the speakers that failed, were skipped or out of reach, or have a peer that refused it',
  }),
  ...overriding,
});
export type ApplyRequest = Static<typeof ApplyRequest>;

export const SpeakerApplyRequest = Strict({ revision_id: Type.Optional(RevisionName), ...overriding });
export type SpeakerApplyRequest = Static<typeof SpeakerApplyRequest>;

/** What became of one peer of a speaker that an apply went to. */
export const PeerApplyResult = Strict({
  peer_id: Id,
  name: Type.String(),
  address: Type.String(),
  status: Type.Enum(['applied', 'reverted', 'failed', 'incomplete', 'over_limit', 'down', 'undone'], {
    description:
      '`applied`: it holds all of its routes; `reverted`: it could not take the routes, and holds what it held before; `failed`: it ' +
      'could not take them, and its daemon cannot revert a single peer; `incomplete`: it has not received all routes; `over_limit`: ' +
      'they are more than its `max_prefixes_out`, and it keeps of what it has what the revision has too; `down`: it has no session, and receives them when it has ' +
      'one; `undone`: it was healthy, and went back with the speaker',
  }),
  was_up: Type.Boolean({
    description:
      'It was up before, and held all of its routes or was being sent them. Only peers that held all count for `deploy_max_failed_peers_percent`',
  }),
  was_behind: Type.Optional(
    Type.Boolean({
      description:
        'It lacked what its speaker ran before already, since it had been reverted, was over its limit, or reads slowly: this apply is not why',
    }),
  ),
  announced: Type.Integer({ description: 'Routes that it receives now, both families together' }),
  expected: Nullable(Type.Integer(), 'Routes that it is to be announced; null: nobody can say'),
  fitted: Type.Optional(
    Nullable(
      FittedByFamily,
      'What the cover adds that it is sent, since its routes are more than `max_prefixes_out`; null: it is sent the routes themselves',
    ),
  ),
  error: Nullable(Type.String()),
  notification: Nullable(
    NotificationSummary,
    'What ended its session; null: nothing did, or the daemon does not report it',
  ),
});
export type PeerApplyResult = Static<typeof PeerApplyResult>;

/** What an apply did at one speaker: an item of the job's `result.speakers`. */
export const SpeakerApplyResult = Strict({
  speaker_id: Id,
  wave: Type.Integer({ minimum: 0, description: '0: a canary; from 1 on: the waves of the others' }),
  status: Type.Enum(
    ['applied', 'partial', 'unchanged', 'failed', 'unfinished', 'unreachable', 'undone', 'skipped'],
    {
      description:
        '`partial`: it runs the revision, and not every peer has it: see `peers`; `unfinished`: its daemon has begun, and goes on with the ' +
        'revision although the job has ended; `unreachable`: its node was away before, was not waited for, and takes the revision when it ' +
        'is back; `undone`: it took the revision, and went back to ' +
        'what it ran before; `skipped`: it was not changed, because others failed before',
    },
  ),
  announced: Type.Integer({ minimum: 0, description: 'Routes that are new' }),
  withdrawn: Type.Integer({ minimum: 0, description: 'Routes that are gone' }),
  changed: Type.Integer({
    minimum: 0,
    description: 'Routes with other communities or next hops than before',
  }),
  code: Nullable(
    Type.String(),
    'Code of the error, if it has one, such as `verification_failed`, `confirm_timeout` or `speaker_unreachable`',
  ),
  error: Nullable(Type.String(), 'Why the speaker does not run the revision, or not every peer has it'),
  peers: Type.Array(PeerApplyResult, {
    description: 'Peers that need attention come first; empty if nothing reports them. A thousand at most',
  }),
});
export type SpeakerApplyResult = Static<typeof SpeakerApplyResult>;
