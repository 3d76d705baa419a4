import { Type, type Static } from 'typebox';
import { DiffSummary } from './diff.ts';
import { Id, Nullable, PrefixCount, Strict, Families } from '../shapes/page.ts';
import { Finding, RevisionState } from './revisions.ts';
import { SpeakerModel } from './speaker-model.ts';
import { NamedFittedByFamily } from '../speakers/fitted.ts';
import { Daemon } from '../speakers/speakers.ts';

const RouteCount = Type.Object(PrefixCount.properties, {
  additionalProperties: false,
  description: 'Routes, by family',
});

const MAXIMUM_NAMED = 10;

export const FittedRoutes = Strict({
  prefix_count: RouteCount,
  cost: NamedFittedByFamily,
  largest: Type.Array(
    Strict({
      prefix: Type.String(),
      added_addresses: Type.String({ description: 'How many of its addresses no list has, in decimal' }),
    }),
    { maxItems: MAXIMUM_NAMED, description: 'The prefixes that add most' },
  ),
});

export const PeerPreview = Strict({
  peer_id: Id,
  name: Type.String(),
  address: Type.String(),
  families: Families,
  communities: Nullable(Type.Array(Type.String()), 'Communities that it is sent; null: all'),
  prefix_count: RouteCount,
  without_next_hop: Type.Object(PrefixCount.properties, {
    additionalProperties: false,
    description: 'Routes that it does not receive because they have no next hop, by family',
  }),
  max_prefixes_out: Nullable(Type.Integer({ minimum: 1 })),
  max_prefixes_out_exceeded: Type.Boolean({
    description:
      'The routes for it exceed max_prefixes_out: it would keep those that it has, or be sent a cover',
  }),
  kept_prefix_count: Nullable(
    RouteCount,
    'It was reverted, and would be sent nothing new: the routes that it would go on with; null: it would be sent those of the revision',
  ),
  fitted: Nullable(
    FittedRoutes,
    'The cover that it would be sent in their place; null: none, since they are not too many or it is not to be fitted',
  ),
  unfitted: Nullable(
    Type.String(),
    'Why it would be sent no cover although it is to be; null: it would, or is not',
  ),
  unfitted_cost: Nullable(
    NamedFittedByFamily,
    'What the cover would add that `fit_max_added_percent` does not allow; null: it is allowed, or there is none',
  ),
});
export type PeerPreview = Static<typeof PeerPreview>;

export const SpeakerPreview = Strict({
  speaker_id: Id,
  name: Type.String(),
  daemon: Daemon,
  enabled: Type.Boolean({ description: 'An apply leaves out a disabled speaker, and it has no peers' }),
  applied_revision_id: Nullable(Id, 'What it runs, by the last apply that has ended'),
  prefix_count: RouteCount,
  communities: Type.Array(
    Strict({ community: Type.String(), title: Nullable(Type.String()), prefix_count: RouteCount }),
  ),
  difference: Type.Object(DiffSummary.properties, {
    additionalProperties: false,
    description:
      'Routes that would be announced, withdrawn and changed, relative to what its routers have now, or are being brought to by an apply that has begun there or is being taken back',
  }),
  refusals: Type.Array(Type.String(), { description: 'Why its daemon would refuse the configuration' }),
  peers: Type.Array(PeerPreview),
  configuration: Strict({
    model: SpeakerModel,
    files: Type.Array(Strict({ path: Type.String(), content: Type.String() }), {
      description: 'As its daemon reads it, without the files of routes; paths are relative, secrets `***`',
    }),
  }),
});
export type SpeakerPreview = Static<typeof SpeakerPreview>;

export const RevisionPreview = Strict({
  revision_id: Id,
  number: Type.Integer({ minimum: 1 }),
  state: RevisionState,
  findings: Type.Array(Finding, {
    description: 'The guardrails that it would break now, which may differ from those when it was built',
  }),
  frozen: Type.Boolean({ description: 'The setting deploy_freeze is on' }),
  speakers: Type.Array(SpeakerPreview),
});
export type RevisionPreview = Static<typeof RevisionPreview>;

export const RevisionPreviewQuery = Strict({ speaker_id: Type.Optional(Id) });
export type RevisionPreviewQuery = Static<typeof RevisionPreviewQuery>;
