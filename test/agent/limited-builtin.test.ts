/** An agent's installer over the builtin speaker, which ends with its process: what a peer over its limit holds is on disk. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ControlClock } from '../../src/agent/control-clock.ts';
import { NODE_REMEDY } from '../../src/agent/identity.ts';
import { DataDirectory } from '../../src/agent/data-directory.ts';
import { Installer } from '../../src/agent/installer.ts';
import { TrustStore } from '../../src/agent/trust.ts';
import type { BuiltinEngine } from '../../src/speakers/builtin/engine.ts';
import type { PeerModel } from '../../src/speakers/speaker.ts';
import { document, trusted } from '../bundle/sample.ts';
import { startBird, type Bird } from '../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../daemons/machine/ports.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { peerModel, SPEAKER_ASN, startEngine } from '../speakers/builtin/models.ts';
import { goodBundle, identity } from './played.ts';

const never = new AbortController().signal;

describe.skipIf(requireDaemon('bird') === null)('a peer that the node has too many routes for', () => {
  let path: string;
  let engine: BuiltinEngine;
  let installer: Installer;
  let wide: Bird;
  let narrow: Bird;

  const begin = async (): Promise<void> => {
    engine = await startEngine();
    const directory = new DataDirectory(path);
    const trust = new TrustStore(directory, { keys: [trusted()], highest_sequence: null }, NODE_REMEDY);
    const driver = engine.driver(document.speaker.speakerId);
    installer = new Installer({ directory, identity, trust, clock: new ControlClock(), driver });
  };
  const startPeer = async (): Promise<Bird> => {
    const address = loopbackAddress();
    return startBird({
      listen: { address, port: await freePort(address) },
      ...{ routerId: address, localAsn: 65_001 },
      neighbors: [{ address: '127.0.0.1', port: 1, asn: SPEAKER_ASN, passive: true }],
    });
  };
  const modelOf = (
    { address, port, localAsn }: Bird,
    name: string,
    more: Partial<PeerModel> = {},
  ): PeerModel =>
    peerModel({
      ...{ id: name, name, address, port, remoteAsn: localAsn, labels: null, gracefulRestart: false },
      ...more,
    });
  const install = async (sequence: number, routes: number): Promise<Record<string, string>> => {
    const peers = [modelOf(wide, 'wide'), modelOf(narrow, 'narrow', { maxPrefixesOut: 2 })];
    const speaker = { ...document, speaker: { ...document.speaker, localIpv4: '192.0.2.10', peers } };
    const { bytes } = goodBundle({ sequence }, routes, { speaker });
    const installed = await installer.install(bytes, never);
    return Object.fromEntries(installed!.peers.map(({ name, status }) => [name, status]));
  };
  const have = async (ofWide: number, ofNarrow: number): Promise<void> => {
    await wide.waitRoutes(ofWide);
    await narrow.waitRoutes(ofNarrow);
  };

  beforeAll(async () => {
    path = mkdtempSync(join(tmpdir(), 'prefixcast-limited-'));
    [wide, narrow] = [await startPeer(), await startPeer()];
    await begin();
  });
  afterAll(async () => {
    await engine?.close(false);
    await Promise.all([wide, narrow].map((bird) => bird?.stop()));
    rmSync(path, { recursive: true, force: true });
  });

  test('has what it had after a restart of the agent, and newer revisions', async () => {
    await install(7, 2);
    await have(2, 2);
    expect(await install(8, 5)).toMatchObject({ narrow: 'over_limit', wide: 'applied' });
    await have(5, 2);
    await engine.close(false);
    await have(0, 0);
    await begin();
    expect(await installer.restore(never)).toBe(true);
    await have(5, 2);
    expect(await install(9, 6)).toMatchObject({ narrow: 'over_limit' });
    await have(6, 2);
  });
});
