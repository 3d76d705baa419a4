import { SpeakerApplyRequest } from '../../../api/revisions/apply.ts';
import { GUARDRAIL_CODES } from '../../../api/revisions/guardrail-codes.ts';
import { Job } from '../../../api/activity/jobs.ts';
import { PageOf } from '../../../api/shapes/page.ts';
import {
  Speaker,
  SpeakerCreate,
  SpeakerDeleteQuery,
  SpeakerPatch,
  SpeakerQuery,
  SpeakerReadQuery,
} from '../../../api/speakers/speakers.ts';
import { adoptAppliedRevision } from '../../../control/rollout/adopt-revision.ts';
import { requestSpeakerApply } from '../../../control/rollout/apply-revision.ts';
import { removeSpeaker } from '../../../control/speakers/delete-speaker.ts';
import { changeSpeaker, createSpeaker } from '../../../control/speakers/speakers.ts';
import { findSpeaker, getSpeaker, listSpeakers } from '../../../store/speakers/speakers.ts';
import { accepted, created, readResource } from '../../answer.ts';
import { CREATED, tenantRoute, type ReadRequest } from '../../route.ts';

const tag = 'speakers';
const path = '/v1/speakers';
const item = `${path}/{speaker_id}` as const;
const params = { speaker_id: 'speaker' } as const;
const read = ({ tx, params: { speaker_id: id } }: ReadRequest<'speaker_id'>) => getSpeaker(tx, id, false);

export const speakerRoutes = [
  tenantRoute({
    method: 'GET',
    path,
    operation: 'listSpeakers',
    permission: 'bgp:speakers:read',
    tag,
    summary: 'List speakers',
    description: 'With `live=true` each speaker has its live status and BGP sessions.',
    status: 200,
    query: SpeakerQuery,
    response: PageOf(Speaker),
    handler: async ({ tx, query, services }) => ({
      body: await listSpeakers(tx, query, services.uptimeSeconds()),
    }),
  }),
  tenantRoute({
    method: 'POST',
    path,
    operation: 'createSpeaker',
    permission: 'bgp:speakers:write',
    audit: 'speaker.create',
    read: CREATED,
    tag,
    summary: 'Create a speaker',
    description:
      'If a revision was applied before, the speaker automatically receives the one that was applied last; a speaker of mode `agent` ' +
      'receives it when its node has enrolled. Guardrails and `deploy_freeze` apply.',
    status: 201,
    problems: ['conflict', 'tenant_policy'],
    body: SpeakerCreate,
    example: { name: 'edge-1', daemon: 'builtin', local_asn: 64512, local_ipv4: '192.0.2.1' },
    response: Speaker,
    handler: async ({ tx, context, body }) => {
      const speaker = await createSpeaker(tx, context, body);
      await adoptAppliedRevision(tx, context, speaker.resource);
      return created(path, speaker);
    },
  }),
  tenantRoute({
    method: 'GET',
    path: item,
    operation: 'getSpeaker',
    permission: 'bgp:speakers:read',
    tag,
    summary: 'Read a speaker',
    status: 200,
    params,
    query: SpeakerReadQuery,
    response: Speaker,
    handler: async ({ tx, params: { speaker_id: id }, query, services }) =>
      readResource(await getSpeaker(tx, id, query.live ?? false, services.uptimeSeconds())),
  }),
  tenantRoute({
    method: 'PATCH',
    path: item,
    operation: 'changeSpeaker',
    permission: 'bgp:speakers:write',
    audit: 'speaker.change',
    read,
    tag,
    summary: 'Change a speaker',
    description:
      'Sessions whose address, AS number or router id changes are reset. A speaker that is enabled again automatically receives the ' +
      'revision that was applied last.',
    status: 200,
    problems: ['conflict', 'tenant_policy'],
    params,
    body: SpeakerPatch,
    example: { local_asn: 64513 },
    response: Speaker,
    handler: async ({ tx, context, params: { speaker_id: id }, body, ifMatch }) => {
      const wasEnabled = body.enabled !== true || (await findSpeaker(tx, id))?.enabled === true;
      const speaker = await changeSpeaker(tx, id, body, ifMatch);
      if (!wasEnabled) await adoptAppliedRevision(tx, context, speaker.resource);
      return readResource(speaker);
    },
  }),
  tenantRoute({
    method: 'DELETE',
    path: item,
    operation: 'deleteSpeaker',
    permission: 'bgp:speakers:write',
    audit: 'speaker.delete',
    read,
    tag,
    summary: 'Delete a speaker',
    description:
      'Its sessions end and its routes are withdrawn. A speaker of mode `agent` must be disabled first, and its node must have ' +
      'reported that its sessions have ended: a node without an owner withdraws nothing. To delete the speaker without that, use ' +
      '`abandon_node=true`. The last canary of `deploy_canary_speaker_ids` stays until that setting names another, or none.',
    status: 204,
    problems: ['in_use'],
    params,
    query: SpeakerDeleteQuery,
    handler: async ({ tx, context, params: { speaker_id: id }, query, ifMatch }) => {
      await removeSpeaker(tx, context, id, query, ifMatch);
      return {};
    },
  }),
  tenantRoute({
    method: 'POST',
    path: '/v1/speakers/{id}/apply',
    operation: 'applyToSpeaker',
    permission: 'bgp:deploy:write',
    audit: 'speaker.apply',
    read: ({ tx, params: { id } }) => getSpeaker(tx, id, false),
    tag: 'deploy',
    summary: 'Apply a revision to one speaker',
    description: 'The revision is the latest ready one unless the body names another.',
    status: 202,
    problems: ['revision_not_ready', 'conflict', 'deploy_frozen', ...GUARDRAIL_CODES],
    params: { id: 'speaker' },
    body: SpeakerApplyRequest,
    bodyOptional: true,
    example: {},
    response: Job,
    handler: async ({ tx, context, params: { id }, body }) =>
      accepted(await requestSpeakerApply(tx, context, id, body)),
  }),
];
