import {
  ApplyStatus,
  ApplyStatusTaken,
  EnrollmentToken,
  EnrollmentTokenCreate,
  NodeEnroll,
  NodeEnrolled,
} from '../../../api/nodes/nodes.ts';
import { createEnrollmentToken, enrollNode } from '../../../control/nodes/enroll-node.ts';
import { ownSpeaker } from '../../../control/nodes/node-access.ts';
import { reportNode } from '../../../control/nodes/report-node.ts';
import { CREATED, tenantRoute } from '../../route.ts';

const tag = 'nodes';
const speaker = '/v1/speakers/{speaker_id}';
const params = { speaker_id: 'speaker' } as const;
/** A node with every peer that a tenant may have. */
const REPORT_BODY_LIMIT = 4 * 1024 * 1024;

export const nodeRoutes = [
  tenantRoute({
    method: 'POST',
    path: `${speaker}/enrollment-tokens`,
    operation: 'createEnrollmentToken',
    permission: 'bgp:keys:write',
    audit: 'enrollment_token.create',
    read: CREATED,
    tag,
    summary: 'Create a token that lets a node enroll',
    description:
      'For a speaker of mode `agent`. The token is shown only once, works once, and expires after an hour by default.',
    status: 201,
    problems: ['conflict'],
    params,
    body: EnrollmentTokenCreate,
    bodyOptional: true,
    example: { valid_seconds: 3600 },
    response: EnrollmentToken,
    handler: async ({ tx, context, params: { speaker_id: id }, body }) => ({
      body: await createEnrollmentToken(tx, context, id, body),
    }),
  }),
  tenantRoute({
    method: 'POST',
    path: '/v1/nodes/enroll',
    operation: 'enrollNode',
    permission: 'bgp:node:enroll',
    audit: 'node.enroll',
    read: { none: 'A node has no id before it is enrolled.' },
    tag,
    summary: 'Enroll a node with a token',
    description:
      "The answer holds the key that the node uses from now on, which is shown only once. Previous keys of the speaker's nodes stop working within a second.",
    status: 201,
    problems: ['conflict'],
    body: NodeEnroll,
    example: { hostname: 'edge-1.example.net', version: '1.0.0', daemon: 'builtin' },
    response: NodeEnrolled,
    handler: async ({ tx, context, principal, body }) => ({
      body: await enrollNode(tx, context, principal.key.id, body),
    }),
  }),
  tenantRoute({
    method: 'POST',
    path: `${speaker}/apply-status`,
    operation: 'reportApplyStatus',
    permission: 'bgp:node:report',
    audit: { none: 'A node reports its status every few seconds; nothing is changed by it.' },
    tag,
    summary: 'Report what a node runs',
    description:
      'A node sends it at every change and every few seconds: the outcome of the last bundle, the daemon, and its sessions. A node ' +
      'that is silent for 30 seconds is shown as not reachable.',
    status: 200,
    params,
    bodyLimit: REPORT_BODY_LIMIT,
    body: ApplyStatus,
    example: {
      ...{ sequence: null, revision_id: null, status: 'unchanged', announced: 0, withdrawn: 0, changed: 0 },
      error: null,
      daemon: {
        ...{ reachable: true, version: '1.0.0', router_id: '192.0.2.1', uptime_seconds: 60 },
        ...{ last_reconfigured_at: null, error: null, sessions: [] },
      },
      agent: {
        version: '1.0.0',
        hostname: 'edge-1.example.net',
        run_id: '0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77',
      },
    },
    response: ApplyStatusTaken,
    handler: async ({ tx, context, params: { speaker_id: id }, body }) => ({
      body: await reportNode(tx, ownSpeaker(context, id), body),
    }),
  }),
];
