import type { Peer, PeerCreate, PeerPatch } from '../../api/speakers/peers.ts';
import { Problem, fieldProblem } from '../../api/problems/problem.ts';
import type { Speaker } from '../../api/speakers/speakers.ts';
import type { Reach } from '../../core/reach.ts';
import { notify, type TenantTx, type Versioned } from '../../store/database/database.ts';
import { lockTenant } from '../../store/database/locks.ts';
import { deletePeer, getPeer, insertPeer, listAllPeers, updatePeer } from '../../store/speakers/peers.ts';
import { settleEndpoints } from '../../store/speakers/peer-endpoints.ts';
import { forgetPeer, listAllSpeakers, SPEAKER_EDITS_CHANNEL } from '../../store/speakers/speakers.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import { readOwnTenant } from '../../store/tenants/tenants.ts';
import { checkAsn, withHostAddresses } from '../models/bgp-values.ts';
import type { ControlContext } from '../context.ts';
import { refusePeerAddress } from '../policy/peer-address.ts';
import { checkPeerPolicy } from '../policy/written.ts';
import { requestPeerReconcile } from './reconcile-peers.ts';
import { isOn } from '../models/speaker-model.ts';

/** Creates the peer and queues the job that brings its sessions about. */
export async function createPeer(
  tx: TenantTx,
  context: ControlContext,
  body: PeerCreate,
): Promise<Versioned<Peer>> {
  const made = withAddresses({ hold_time: await getSetting(tx, 'bgp_default_hold_time'), ...body });
  await checkPeerPolicy(tx, made);
  const created = await insertPeer(tx, context.secrets, made);
  await checkPeer(tx, context, created.resource);
  if (created.resource.passive) await hintNeighbours(tx, created.resource);
  await requestPeerReconcile(tx, context, created.resource.id);
  return created;
}

export async function changePeer(
  tx: TenantTx,
  context: ControlContext,
  id: string,
  patch: PeerPatch,
  version: number | null,
): Promise<Versioned<Peer>> {
  const named = withAddresses(patch);
  await checkPeerPolicy(tx, named);
  const changed = await updatePeer(tx, context.secrets, id, named, version);
  // What it was given before the policy was tightened.
  if (patch.enabled === true) await checkPeerPolicy(tx, changed.resource);
  await checkPeer(tx, context, changed.resource);
  if (patch.passive !== undefined) await hintNeighbours(tx, changed.resource);
  await requestPeerReconcile(tx, context, id);
  return changed;
}

export async function removePeer(
  tx: TenantTx,
  context: ControlContext,
  id: string,
  version: number | null,
): Promise<void> {
  await getPeer(tx, id);
  await deletePeer(tx, id, version);
  await forgetPeer(tx, id);
  await lockTenant(tx, 'peers');
  await settleEndpoints(tx, id);
  await requestPeerReconcile(tx, context, id);
}

/** Whether a router calls decides who may call it, of any tenant. */
async function hintNeighbours(tx: TenantTx, { address }: Peer): Promise<void> {
  await notify(tx, SPEAKER_EDITS_CHANNEL, `address ${address}`);
}

function withAddresses<Body extends PeerPatch>(body: Body): Body {
  return withHostAddresses(body, ['address', 'next_hop_ipv4', 'next_hop_ipv6']);
}

/** What the schema cannot say. Runs after the write: a refusal takes the whole transaction back. */
async function checkPeer(
  tx: TenantTx,
  { peerReach }: Pick<ControlContext, 'peerReach'>,
  peer: Peer,
): Promise<void> {
  // Of two that are written at once the second sees the first.
  await lockTenant(tx, 'peers');
  checkAsn('/remote_asn', peer.remote_asn);
  if (peer.hold_time > 0 && peer.hold_time < 3) {
    throw fieldProblem(
      '/hold_time',
      `${peer.hold_time} s is not allowed by BGP (RFC 4271 section 4.2). Use 0 for no keepalives, or 3 and more.`,
    );
  }
  const speakers = (await listAllSpeakers(tx)).filter((speaker) => isOn(peer, speaker.id));
  await checkEndpoint(tx, peer, speakers, peerReach);
  const builtin = speakers.find((speaker) => speaker.daemon === 'builtin');
  if (builtin !== undefined && peer.has_password) {
    throw fieldProblem(
      '/password',
      `The builtin speaker ${builtin.name} cannot sign sessions: TCP MD5 (RFC 2385) is not available to it. Leave the password out, or list in speaker_ids only speakers of another daemon.`,
    );
  }
  if (builtin !== undefined && peer.bfd) {
    throw fieldProblem(
      '/bfd',
      `The builtin speaker ${builtin.name} has no BFD (RFC 5880). Set bfd to false; hold_time decides how soon a dead peer is noticed.`,
    );
  }
  const twin = (await listAllPeers(tx)).find((other) => other.id !== peer.id && isSameEndpoint(other, peer));
  if (twin !== undefined) {
    const detail = `The peer ${twin.name} has the address ${peer.address} port ${peer.port} on the same speaker. Change that one, or give each its own speaker_ids.`;
    throw new Problem('conflict', detail, { errors: [{ pointer: '/address', detail }] });
  }
}

/**
 * That the peer is where a peer of the tenant may be, and at the address and port of no other tenant's. Of other ports nothing is said: whoever
 * opens the connections looks at those. Not asked of peers that only nodes connect to: these are in the networks of the nodes.
 */
async function checkEndpoint(
  tx: TenantTx,
  peer: Peer,
  speakers: readonly Speaker[],
  peerReach: Reach,
): Promise<void> {
  const isOfNodes = peer.speaker_ids.length > 0 && speakers.every(({ mode }) => mode === 'agent');
  if (peer.enabled && !isOfNodes) refusePeerAddress((await readOwnTenant(tx)).slug, peer.address, peerReach);
  await settleEndpoints(tx, peer.id);
}

function isSameEndpoint(a: Peer, b: Peer): boolean {
  if (a.address !== b.address || a.port !== b.port) return false;
  const everywhere = a.speaker_ids.length === 0 || b.speaker_ids.length === 0;
  return everywhere || a.speaker_ids.some((id) => b.speaker_ids.includes(id));
}
