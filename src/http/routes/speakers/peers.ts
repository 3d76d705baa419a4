import { PageOf } from '../../../api/shapes/page.ts';
import { Peer, PeerCreate, PeerPatch, PeerQuery } from '../../../api/speakers/peers.ts';
import { changePeer, createPeer, removePeer } from '../../../control/speakers/peers.ts';
import { getPeer, listPeers } from '../../../store/speakers/peers.ts';
import { created, readResource } from '../../answer.ts';
import { CREATED, tenantRoute, type ReadRequest } from '../../route.ts';

const tag = 'peers';
const path = '/v1/peers';
const item = `${path}/{id}` as const;
const params = { id: 'peer' } as const;
const read = ({ tx, params: { id } }: ReadRequest<'id'>) => getPeer(tx, id);

export const peerRoutes = [
  tenantRoute({
    method: 'GET',
    path,
    operation: 'listPeers',
    permission: 'bgp:peers:read',
    tag,
    summary: 'List peers with their sessions',
    status: 200,
    query: PeerQuery,
    response: PageOf(Peer),
    handler: async ({ tx, query }) => ({ body: await listPeers(tx, query) }),
  }),
  tenantRoute({
    method: 'POST',
    path,
    operation: 'createPeer',
    permission: 'bgp:peers:write',
    audit: 'peer.create',
    read: CREATED,
    tag,
    summary: 'Create a peer',
    description: 'Queues a `peer_reconcile` job that opens its sessions.',
    status: 201,
    problems: ['conflict', 'tenant_policy', 'peer_refused_address'],
    body: PeerCreate,
    example: { name: 'core-router', address: '192.0.2.2', remote_asn: 64500, families: ['ipv4', 'ipv6'] },
    response: Peer,
    handler: async ({ tx, context, body }) => created(path, await createPeer(tx, context, body)),
  }),
  tenantRoute({
    method: 'GET',
    path: item,
    operation: 'getPeer',
    permission: 'bgp:peers:read',
    tag,
    summary: 'Read a peer with its sessions',
    status: 200,
    params,
    response: Peer,
    handler: async (request) => readResource(await read(request)),
  }),
  tenantRoute({
    method: 'PATCH',
    path: item,
    operation: 'changePeer',
    permission: 'bgp:peers:write',
    audit: 'peer.change',
    read,
    tag,
    summary: 'Change a peer',
    description: 'Queues a `peer_reconcile` job.',
    status: 200,
    problems: ['conflict', 'tenant_policy', 'peer_refused_address'],
    params,
    body: PeerPatch,
    example: { hold_time: 30 },
    response: Peer,
    handler: async ({ tx, context, params: { id }, body, ifMatch }) =>
      readResource(await changePeer(tx, context, id, body, ifMatch)),
  }),
  tenantRoute({
    method: 'DELETE',
    path: item,
    operation: 'deletePeer',
    permission: 'bgp:peers:write',
    audit: 'peer.delete',
    read,
    tag,
    summary: 'Delete a peer',
    description: 'Queues a `peer_reconcile` job that ends its sessions.',
    status: 204,
    params,
    handler: async ({ tx, context, params: { id }, ifMatch }) => {
      await removePeer(tx, context, id, ifMatch);
      return {};
    },
  }),
];
