/** A speaker with two routers whose sessions a test leads message by message, and a list that grows by itself. */
import { createPeer } from '../../../src/control/speakers/peers.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { loopbackAddress } from '../../daemons/machine/ports.ts';
import { listenRaw, type RawListener } from '../../speakers/builtin/raw-peer.ts';
import { startPlane, type Plane } from '../plane.ts';
import { GrowingModule } from './rollout.ts';

export interface RawRouters {
  readonly plane: Plane;
  readonly module: GrowingModule;
  readonly speakerId: string;
  /** In the order of their names. */
  readonly peerIds: readonly string[];
  readonly routers: readonly RawListener[];
  /** Another process takes the speaker over. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** @param calm how long all has to be well before an apply stays, in milliseconds */
export async function startRawRouters(names: readonly string[], calm: number): Promise<RawRouters> {
  const plane = await startPlane();
  await plane.run((tx) => changeSettings(tx, { auto_apply: false }));
  const module = await GrowingModule.create(plane);
  const speakerId = (await plane.addSpeaker('edge')).id;
  const routers: RawListener[] = [];
  const peerIds: string[] = [];
  for (const name of names) {
    const address = loopbackAddress();
    const router = await listenRaw(address);
    routers.push(router);
    const peer = { name, address, port: router.port, remote_asn: 65_001, speaker_ids: [speakerId] };
    peerIds.push((await plane.run((tx) => createPeer(tx, plane.context, peer))).resource.id);
  }
  let holding = await plane.hold(undefined, calm);
  const restart = async (): Promise<void> => {
    await holding.close();
    holding = await plane.hold(undefined, calm);
  };
  const close = async (): Promise<void> => {
    await plane.close();
    for (const router of routers) router.close();
  };
  return { ...{ plane, module, speakerId, peerIds, routers }, restart, close };
}
