/** A router that sends a route to a speaker, as routers may and none is asked to. */
import type { Peer } from '../../../src/api/speakers/peers.ts';
import { startBird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { waitFor } from '../../daemons/wait.ts';
import { type Casting, PEER_ASN, SPEAKER_ASN } from '../casting.ts';

/** It comes, sends its route, has received `expected` routes of the speaker, and goes. */
export async function sendForeignRoute(
  { service }: Casting,
  speaker: { readonly id: string; readonly listen: { readonly address: string; readonly port: number } },
  prefix: string,
  expected: number,
): Promise<void> {
  const own = loopbackAddress();
  const sender = await startBird({
    ...{ listen: { address: own, port: await freePort(own) }, routerId: own, localAsn: PEER_ASN + 1 },
    neighbors: [{ ...speaker.listen, asn: SPEAKER_ASN, families: ['ipv4', 'ipv6'] }],
    announce: [{ prefix }],
  });
  try {
    const { id } = await service.post<Peer>('/v1/peers', {
      ...{ name: 'sender', address: own, port: sender.port, remote_asn: sender.localAsn, multihop: 2 },
      ...{ speaker_ids: [speaker.id], families: ['ipv4', 'ipv6'] },
    });
    const isSent = async (): Promise<boolean> => {
      const { ipv4, ipv6 } = (await sender.session()).channels;
      return ipv4?.exported === 1 && ipv4.imported + (ipv6?.imported ?? 0) === expected;
    };
    await waitFor(isSent, { what: 'a router to have sent its route and received ours' });
    await service.call('DELETE', `/v1/peers/${id}`);
  } finally {
    await sender.stop();
  }
}
