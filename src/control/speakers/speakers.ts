import type { Speaker, SpeakerCreate, SpeakerPatch, SpeakerPolicies } from '../../api/speakers/speakers.ts';
import { fieldProblem } from '../../api/problems/problem.ts';
import { notify, type TenantTx, type Versioned } from '../../store/database/database.ts';
import { listAllPeers } from '../../store/speakers/peers.ts';
import { insertSpeaker, updateSpeaker, SPEAKERS_CHANNEL } from '../../store/speakers/speakers.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import { checkSpeakerPolicy } from '../policy/written.ts';
import { checkAsn, hostAddress, withHostAddresses } from '../models/bgp-values.ts';
import type { ControlContext } from '../context.ts';
import { checkDaemon } from './driven-daemons.ts';

export async function createSpeaker(
  tx: TenantTx,
  { drivenDaemons }: Pick<ControlContext, 'drivenDaemons'>,
  body: SpeakerCreate,
): Promise<Versioned<Speaker>> {
  // What a node can drive, it says itself when it enrolls.
  if (body.mode !== 'agent') checkDaemon(body.daemon ?? 'builtin', drivenDaemons);
  const made: SpeakerCreate = { router_id: await getSetting(tx, 'bgp_default_router_id'), ...body };
  await checkIdentity(tx, made);
  await checkSpeakerPolicy(tx, made);
  const created = await insertSpeaker(tx, withAddresses(made));
  checkWay(created.resource);
  await notify(tx, SPEAKERS_CHANNEL, tx.tenantId);
  return created;
}

/** The process that holds the speaker follows within a second; sessions whose identity changes are reset. */
export async function changeSpeaker(
  tx: TenantTx,
  id: string,
  patch: SpeakerPatch,
  version: number | null,
): Promise<Versioned<Speaker>> {
  await checkIdentity(tx, patch);
  await checkSpeakerPolicy(tx, patch);
  const changed = await updateSpeaker(tx, id, withAddresses(patch), version);
  checkWay(changed.resource);
  // What it was given before the policy was tightened.
  if (patch.enabled === true) await checkSpeakerPolicy(tx, changed.resource);
  await notify(tx, SPEAKERS_CHANNEL, tx.tenantId);
  return changed;
}

/** Runs after the write, since a patch does not say of what daemon the speaker is: a refusal takes the transaction back. */
function checkWay({ daemon, policies_json: { bird_routes: way } }: Speaker): void {
  if (way === undefined || daemon === 'bird') return;
  throw fieldProblem(
    '/policies_json/bird_routes',
    `Only speakers of the daemon bird have a choice of how their routes come; this one is of the daemon ${daemon}. Leave bird_routes out.`,
  );
}

function withAddresses<Body extends SpeakerPatch>(body: Body): Body {
  return withHostAddresses(body, ['local_ipv4', 'local_ipv6']);
}

/** What the schema cannot say: that a router can have these addresses and numbers, and that the peers named exist. */
async function checkIdentity(tx: TenantTx, body: SpeakerPatch): Promise<void> {
  const { router_id: routerId, local_asn: asn, policies_json: policies = {} } = body;
  if (routerId === '0.0.0.0')
    throw fieldProblem(
      '/router_id',
      '0.0.0.0 is not a BGP identifier (RFC 6286). Give another, or null: the service then chooses one.',
    );
  checkAsn('/local_asn', asn);
  checkOverrides('/policies_json', policies);
  const { peers = {} } = policies;
  if (Object.keys(peers).length === 0) return;
  const known = new Set((await listAllPeers(tx)).map(({ id }) => id));
  for (const [id, overrides] of Object.entries(peers)) {
    const pointer = `/policies_json/peers/${id}`;
    if (!known.has(id))
      throw fieldProblem(pointer, `No peer has the id ${id}. List /v1/peers to see which exist.`);
    checkOverrides(pointer, overrides);
  }
}

function checkOverrides(pointer: string, { local_ip: ip, local_asn: asn }: SpeakerPolicies): void {
  if (ip !== undefined) hostAddress(`${pointer}/local_ip`, ip);
  checkAsn(`${pointer}/local_asn`, asn);
}
