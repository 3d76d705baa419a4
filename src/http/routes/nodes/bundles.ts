import { Readable } from 'node:stream';
import { Type } from 'typebox';
import {
  BundleQuery,
  LatestBundle,
  LatestQuery,
  SigningKeyRotate,
  SigningKeys,
} from '../../../api/nodes/bundles.ts';
import { notFound, Problem } from '../../../api/problems/problem.ts';
import { bundleTag, describeBundle } from '../../../control/nodes/bundles.ts';
import { ownSpeaker } from '../../../control/nodes/node-access.ts';
import { findAskedBundle, piecesOf, tagOfAsked } from '../../../control/nodes/pull-bundle.ts';
import { readSigningKeys, rotateSigningKey } from '../../../control/nodes/signing-keys.ts';
import { matchesAny } from '../../etag.ts';
import { tenantRoute } from '../../route.ts';

const tag = 'bundles';
const speaker = '/v1/speakers/{speaker_id}';
const BUNDLE_TYPE = 'application/x-tar';

export const bundleRoutes = [
  tenantRoute({
    method: 'GET',
    path: `${speaker}/revisions/latest`,
    operation: 'getLatestBundle',
    permission: 'bgp:node:pull',
    tag,
    summary: 'Read what a speaker is to run',
    description:
      'For the node of the speaker. With `If-None-Match` and `wait` the answer comes as soon as the bundle differs from the one that ' +
      'the node has, within a second of an apply, or is 304 at the end of the wait. It is 409 `revision_not_ready` if nothing has ' +
      'been applied to the speaker yet.',
    status: 200,
    problems: ['revision_not_ready', 'conflict'],
    params: { speaker_id: 'speaker' },
    query: LatestQuery,
    response: LatestBundle,
    asksOutside: true,
    handler: ({ context, principal, params, query, ifNoneMatch, authenticateAgain, gone, services }) => {
      const speakerId = ownSpeaker(context, params.speaker_id);
      const poll = {
        tenantId: principal.tenant.id,
        keyId: principal.key.id,
        id: speakerId,
        waitSeconds: query.wait ?? 0,
        has: (given: string) => matchesAny(ifNoneMatch, given),
        authenticateAgain,
        gone,
      };
      return Promise.resolve({
        outside: async () => {
          const bundle = await services.bundles.wait(poll);
          if (bundle === null)
            throw new Problem(
              'revision_not_ready',
              'No revision was applied to this speaker yet. Ask again; an operator applies one with POST /v1/apply.',
            );
          return { body: describeBundle(speakerId, bundle), etag: bundleTag(bundle) };
        },
      });
    },
  }),
  tenantRoute({
    method: 'GET',
    path: `${speaker}/bundle/{revision_id}`,
    operation: 'pullBundle',
    permission: 'bgp:node:pull',
    tag,
    summary: 'Pull a bundle',
    description:
      'For the node of the speaker: a signed tar archive, described in docs/reference/bundle-format.md. The URL comes from ' +
      '`revisions/latest`. With `from`, the revision that the node runs, the answer holds only the changes since, if these are smaller.',
    status: 200,
    problems: ['not_acceptable'],
    params: { speaker_id: 'speaker', revision_id: 'revision' },
    query: BundleQuery,
    streams: [BUNDLE_TYPE],
    response: Type.String(),
    asksOutside: true,
    handler: async ({ tx, context, principal, params, query, services }) => {
      const speakerId = ownSpeaker(context, params.speaker_id);
      const asked = await findAskedBundle(tx, context.secrets, speakerId, params.revision_id, query);
      const isNamed = query.sequence !== undefined && query.issue !== undefined;
      return {
        outside: async () => {
          if (asked === null) throw notFound('bundle', params.revision_id);
          const pieces = await piecesOf(services.bundles.tools, principal.tenant.id, asked);
          const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
          const seconds = Math.max(0, Math.floor(asked.issued.expires_in));
          return {
            text: Readable.from(pieces, { objectMode: false }),
            mediaType: BUNDLE_TYPE,
            etag: tagOfAsked(asked),
            headers: {
              'content-length': String(length),
              // A bundle of this number and issue is never another one.
              'cache-control': isNamed ? `private, immutable, max-age=${seconds}` : 'private, no-cache',
            },
          };
        },
      };
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/v1/bundles/signing-key',
    operation: 'listSigningKeys',
    permission: 'bgp:session:read',
    tag,
    summary: 'Read the public keys that sign bundles',
    description:
      'Every past, current and future signing key of the tenant, oldest first, each endorsed by the previous one.',
    status: 200,
    response: SigningKeys,
    handler: async ({ tx, context }) => ({ body: await readSigningKeys(tx, context.secrets) }),
  }),
  tenantRoute({
    method: 'POST',
    path: '/v1/bundles/signing-key/rotate',
    operation: 'rotateSigningKey',
    permission: 'bgp:settings:write',
    audit: 'signing_key.rotate',
    read: { none: "It adds a key to the tenant's; the answer lists all of them." },
    tag,
    summary: 'Rotate the key that signs bundles',
    description:
      'The new key is announced to nodes at once, and signs after a day by default. Bundles that the old key signed stay valid until they expire.',
    status: 200,
    problems: ['conflict'],
    body: SigningKeyRotate,
    bodyOptional: true,
    example: { announce_seconds: 3600 },
    response: SigningKeys,
    handler: async ({ tx, context, body }) => ({ body: await rotateSigningKey(tx, context, body) }),
  }),
];
