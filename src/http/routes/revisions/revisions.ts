import { DiffMap, MapQuery, RevisionMap } from '../../../api/revisions/map.ts';
import { RevisionDiff, RevisionDiffQuery } from '../../../api/revisions/diff.ts';
import { Job } from '../../../api/activity/jobs.ts';
import { PageOf } from '../../../api/shapes/page.ts';
import { RevisionPreview, RevisionPreviewQuery } from '../../../api/revisions/preview.ts';
import {
  PruneEstimate,
  Revision,
  RevisionPatch,
  RevisionPrefix,
  RevisionPrefixQuery,
  RevisionQuery,
  RevisionRequest,
  RollbackRequest,
  RolledBack,
} from '../../../api/revisions/revisions.ts';
import { requestRevision } from '../../../control/collection/follow-edits.ts';
import { diffRevisions } from '../../../control/differences/diff-revisions.ts';
import { isMovingName, revisionOfQuery } from '../../../control/revisions/named-revision.ts';
import {
  listRevisionPrefixes,
  streamRevisionPrefixes,
} from '../../../control/differences/revision-prefixes.ts';
import { estimateRevisionPrune, requestRevisionPrune } from '../../../control/maintenance/prune-revisions.ts';
import { previewRevision } from '../../../control/previews/preview-revision.ts';
import { mapDifference, mapRevision } from '../../../control/differences/revision-map.ts';
import { rollbackRevision } from '../../../control/rollout/rollback-revision.ts';
import { getRevision, listRevisions, pinRevision } from '../../../store/revisions/revisions.ts';
import { accepted, created, readResource } from '../../answer.ts';
import { immutable } from '../../immutable.ts';
import { CREATED, tenantRoute, type ReadRequest } from '../../route.ts';

const tag = 'revisions';
const path = '/v1/revisions';
const item = `${path}/{revision_id}` as const;
const params = { revision_id: 'revision' } as const;
const read = ({ tx, params: { revision_id: id } }: ReadRequest<'revision_id'>) => getRevision(tx, id);

export const revisionRoutes = [
  tenantRoute({
    method: 'GET',
    path,
    operation: 'listRevisions',
    permission: 'bgp:revisions:read',
    tag,
    summary: 'List revisions',
    status: 200,
    query: RevisionQuery,
    response: PageOf(Revision),
    handler: async ({ tx, query }) => ({ body: await listRevisions(tx, query) }),
  }),
  tenantRoute({
    method: 'POST',
    path,
    operation: 'buildRevision',
    permission: 'bgp:revisions:write',
    audit: 'revision.build',
    read: CREATED,
    tag,
    summary: 'Build a revision of the current modules and entries',
    description:
      'Edits lead to a revision automatically unless `auto_revision` is off; this builds one on request. New and edited entries that ' +
      'have not been collected yet are collected first; nothing else is. With `auto_apply` its apply is queued. If the newest ' +
      'revision holds all of it already, none is created: `result.revision_created` of the job is false, and `result.revision_id` is ' +
      'the newest revision.',
    status: 202,
    body: RevisionRequest,
    bodyOptional: true,
    example: {},
    response: Job,
    handler: async ({ tx, context }) => accepted(await requestRevision(tx, context)),
  }),
  tenantRoute({
    method: 'GET',
    path: item,
    operation: 'getRevision',
    permission: 'bgp:revisions:read',
    tag,
    summary: 'Read a revision',
    status: 200,
    params,
    response: Revision,
    handler: async (request) => readResource(await read(request)),
  }),
  tenantRoute({
    method: 'PATCH',
    path: item,
    operation: 'changeRevision',
    permission: 'bgp:revisions:write',
    audit: 'revision.change',
    read,
    locksRevision: () => true,
    tag,
    summary: 'Pin or unpin a revision',
    description: 'A pinned revision is never pruned. Nothing else about a revision can change.',
    status: 200,
    params,
    body: RevisionPatch,
    example: { pinned: true },
    response: Revision,
    handler: async ({ tx, params: { revision_id: id }, body, ifMatch }) =>
      readResource(await pinRevision(tx, id, body.pinned, ifMatch)),
  }),
  tenantRoute({
    method: 'GET',
    path: `${item}/prefixes`,
    operation: 'listRevisionPrefixes',
    permission: 'bgp:revisions:read',
    tag,
    summary: 'List the prefixes of a revision with their communities',
    description:
      'IPv4 before IPv6, by address. JSON comes in pages; with `Accept: text/plain` (one prefix per line) or `text/csv` the answer ' +
      'has all prefixes, and `cursor` and `limit` are ignored. Addressed by id or number the answer never changes, and may be kept for a ' +
      'year. With `since_revision` it has only what differs: `change` of items, `+` and `-` in front of lines of text, a column `change` ' +
      'in CSV.',
    status: 200,
    problems: ['revision_not_ready', 'not_acceptable'],
    params,
    query: RevisionPrefixQuery,
    response: PageOf(RevisionPrefix),
    streams: ['text/plain', 'text/csv'],
    isCompressed: true,
    handler: async ({ tx, params: { revision_id: id }, named, query: asked, mediaType, services }) => {
      const { since_revision: since } = asked;
      const isNamedForGood = ![named.revision_id, since].some(isMovingName);
      const query =
        since === undefined
          ? asked
          : { ...asked, since_revision: (await revisionOfQuery(tx, 'since_revision', since)).id };
      const facts = [services.version.version, id, query, mediaType];
      if (mediaType === 'application/json')
        return immutable({ body: await listRevisionPrefixes(tx, id, query) }, facts, isNamedForGood);
      const text = streamRevisionPrefixes(tx, id, query, mediaType === 'text/csv' ? 'csv' : 'text');
      return immutable({ text, mediaType: `${mediaType}; charset=utf-8` }, facts, isNamedForGood);
    },
  }),
  tenantRoute({
    method: 'GET',
    path: `${item}/preview`,
    operation: 'previewRevision',
    permission: 'bgp:revisions:read',
    tag,
    summary: 'Preview a revision',
    description:
      'Shows the effect on each speaker and peer if the revision were applied now: routes by community, the difference from what ' +
      'runs, the guardrails that it breaks, the routes of each peer, and the configuration. An apply runs the same code.',
    status: 200,
    problems: ['revision_not_ready'],
    params,
    query: RevisionPreviewQuery,
    response: RevisionPreview,
    handler: async ({ tx, context: { secrets }, params: { revision_id: id }, query }) => ({
      body: await previewRevision(tx, secrets, id, query),
    }),
  }),
  tenantRoute({
    method: 'GET',
    path: `${path}/{revision_a}/diff/{revision_b}`,
    operation: 'diffRevisions',
    permission: 'bgp:revisions:read',
    tag,
    summary: 'Compare two revisions',
    description:
      'The changes from revision a to revision b: prefixes announced, withdrawn, and those whose communities changed, IPv4 before ' +
      'IPv6, by address. The summary counts all of them, by family, community and module; the filters choose `items`, of which this is a page, and ' +
      '`matching` counts those. Filters of several kinds must all be met.',
    status: 200,
    problems: ['revision_not_ready'],
    params: { revision_a: 'revision', revision_b: 'revision' },
    query: RevisionDiffQuery,
    response: RevisionDiff,
    handler: async ({ tx, params: { revision_a: a, revision_b: b }, query }) => ({
      body: await diffRevisions(tx, a, b, query),
    }),
  }),
  tenantRoute({
    method: 'GET',
    path: `${item}/map`,
    operation: 'mapRevision',
    permission: 'bgp:revisions:read',
    tag,
    summary: 'Draw the addresses of a revision',
    description:
      'How much of each of 65,536 equal parts of `within` the revision announces, by any community: a picture, refined by drawing one of its parts. ' +
      'Addressed by id or number the answer never changes, and may be kept for a year.',
    status: 200,
    problems: ['revision_not_ready'],
    params,
    query: MapQuery,
    response: RevisionMap,
    isCompressed: true,
    handler: async ({ tx, params: { revision_id: id }, named, query, services }) => {
      const body = await mapRevision(tx, id, query);
      const facts = [services.version.version, 'map', id, query];
      return immutable({ body }, facts, !isMovingName(named.revision_id));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: `${path}/{revision_a}/diff/{revision_b}/map`,
    operation: 'mapDifference',
    permission: 'bgp:revisions:read',
    tag,
    summary: 'Draw the difference of two revisions',
    description:
      'How much of each of 65,536 equal parts of `within` only revision b announces, and how much only revision a does, whatever the communities. Kept as ' +
      'the map of a revision is.',
    status: 200,
    problems: ['revision_not_ready'],
    params: { revision_a: 'revision', revision_b: 'revision' },
    query: MapQuery,
    response: DiffMap,
    isCompressed: true,
    handler: async ({ tx, params: { revision_a: a, revision_b: b }, named, query, services }) => {
      const body = await mapDifference(tx, a, b, query);
      const isNamedForGood = ![named.revision_a, named.revision_b].some(isMovingName);
      return immutable({ body }, [services.version.version, 'map', a, b, query], isNamedForGood);
    },
  }),
  tenantRoute({
    method: 'POST',
    path: `${item}/rollback`,
    operation: 'rollbackRevision',
    permission: 'bgp:deploy:write',
    audit: 'revision.rollback',
    read,
    locksRevision: () => true,
    tag,
    summary: 'Roll back to a revision',
    description:
      'Creates a new revision with the content of this one, at once at any size, and with `auto_apply` queues its apply. The next ' +
      'refresh or edit builds from the modules again: disable the module that caused the problem before that. If the content breaks ' +
      'a current guardrail, the new revision is held.',
    status: 201,
    problems: ['revision_not_ready'],
    params,
    body: RollbackRequest,
    bodyOptional: true,
    example: { reason: 'Routers lost the office in the last refresh' },
    response: RolledBack,
    handler: async ({ tx, context, params: { revision_id: id }, body }) =>
      created(path, await rollbackRevision(tx, context, id, body)),
  }),
  tenantRoute({
    method: 'GET',
    path: `${path}/prune/estimate`,
    operation: 'estimateRevisionPrune',
    permission: 'bgp:revisions:read',
    tag,
    summary: 'Preview a prune',
    description:
      'Counts what a prune would remove by the setting `revision_retention_minutes`. Removes nothing.',
    status: 200,
    response: PruneEstimate,
    handler: async ({ tx }) => ({ body: await estimateRevisionPrune(tx) }),
  }),
  tenantRoute({
    method: 'POST',
    path: `${path}/prune`,
    operation: 'pruneRevisions',
    permission: 'bgp:revisions:write',
    audit: 'revision.prune',
    read: { none: 'It queues a job, which counts what it removes.' },
    tag,
    summary: 'Remove old revisions',
    description:
      'Removes revisions older than the setting `revision_retention_minutes`, but never the latest ready one, a pinned one, or one ' +
      'that a speaker runs or is about to run. Contents that no other revision uses are removed too. The result of the job counts both.',
    status: 202,
    response: Job,
    handler: async ({ tx, context: { queue, actor } }) =>
      accepted(await requestRevisionPrune(tx, queue, actor)),
  }),
];
