/** A builtin speaker with one peer that calls it, and whatever else a test of sessions starts: it ends with the test. */
import { afterEach } from 'vitest';
import type { BuiltinEngine } from '../../../src/speakers/builtin/engine.ts';
import type { PeerModel, SpeakerDriver } from '../../../src/speakers/speaker.ts';
import { loopbackAddress } from '../../daemons/machine/ports.ts';
import { never, peerModel, routesModel, speakerModel, startEngine, tableOf } from './models.ts';
import { RawPeer } from './raw-peer.ts';

interface Speaking {
  readonly engine: BuiltinEngine;
  readonly driver: SpeakerDriver;
  readonly address: string;
  readonly call: () => Promise<RawPeer>;
}

/** What a speaker begins with. */
export const small = routesModel(tableOf({ '10.0.0.0/8': ['65000:1'] }));

export function useSpeaking() {
  const stops: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });

  /** A speaker with one peer that calls it. */
  async function speaking(changes: Partial<PeerModel> = {}, timeout = 30_000): Promise<Speaking> {
    const engine = await startEngine({ timeout });
    stops.push(() => engine.close(false));
    const address = loopbackAddress();
    const driver = engine.driver('s');
    await driver.configure(speakerModel([peerModel({ address, passive: true, ...changes })]));
    await driver.apply(small, never);
    const call = async (): Promise<RawPeer> => {
      const peer = await RawPeer.call(engine.address!.port, address);
      stops.push(() => void peer.socket.destroy());
      return peer;
    };
    return { engine, driver, address, call };
  }

  return { stops, speaking };
}
