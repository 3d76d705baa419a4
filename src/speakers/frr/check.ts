/** Finds what FRR does not support before anything is sent. What passes is a number or an address. */
import { hostOf, reasonsAgainst, refuseIdentity, refuseSession, refuseTwin } from '../check.ts';
import type { PeerModel, SpeakerModel } from '../speaker.ts';

/** One word of FRR's command line: a blank would end it. */
const PASSWORD = {
  daemon: 'FRR',
  pattern: /^[\x21-\x7e]{1,80}$/,
  allowed: '80 printable ASCII characters without blanks',
};

/** Why FRR can't hold a session with the peer, or null. */
export function refusePeer(
  speaker: Pick<SpeakerModel, 'localAsn' | 'peers'>,
  peer: PeerModel,
): string | null {
  const refusal = refuseTwin(speaker, peer, 'FRR') ?? refuseSession(peer, PASSWORD);
  if (refusal !== null) return refusal;
  if (peer.passive)
    return 'FRR hands every call to its default BGP instance, and speakers live beside it: set passive to false, so that FRR calls';
  if (peer.localAsn !== speaker.localAsn && peer.localAsn === peer.remoteAsn)
    return `FRR takes no local_asn of a peer that is the peer's own AS number: give the speaker local_asn ${peer.localAsn}, or the peer another`;
  return null;
}

/** FRR fetches the routes from an address of ours, and can have only one neighbour there. */
export function refuseFeedAddress(peer: PeerModel, feed: string): string | null {
  return hostOf(peer) === feed
    ? `FRR fetches the routes from this service at ${feed}, so it can have no peer there: use another address`
    : null;
}

/** Every reason why `model` is rejected, each with the peer's name. */
export function checkModel(model: SpeakerModel): string[] {
  return reasonsAgainst(model, refuseIdentity, (peer) => refusePeer(model, peer));
}
