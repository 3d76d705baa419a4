/** An agent's installer over a real BIRD with one table for its two peers, one of which has a limit; the tests go on from one another. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ControlClock } from '../../src/agent/control-clock.ts';
import { NODE_REMEDY } from '../../src/agent/identity.ts';
import { DataDirectory } from '../../src/agent/data-directory.ts';
import { Installer } from '../../src/agent/installer.ts';
import { TrustStore } from '../../src/agent/trust.ts';
import type { SpeakerDocument } from '../../src/bundle/speaker-document.ts';
import { document, trusted } from '../bundle/sample.ts';
import type { Bird } from '../daemons/bird/bird.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { startWorld, type World } from '../speakers/bird/world.ts';
import { goodBundle, identity } from './played.ts';

const never = new AbortController().signal;

describe.skipIf(requireDaemon('bird') === null)(
  'a peer that the BIRD of a node has too many routes for',
  () => {
    let path: string;
    let world: World;
    let installer: Installer;
    let wide: Bird;
    let narrow: Bird;
    let sequence = 7;

    const begin = (): void => {
      const directory = new DataDirectory(path);
      const trust = new TrustStore(directory, { keys: [trusted()], highest_sequence: null }, NODE_REMEDY);
      const driver = world.driver(document.speaker.speakerId);
      installer = new Installer({ directory, identity, trust, clock: new ControlClock(), driver });
    };
    const speakerOf = (limit: number | null): SpeakerDocument => ({
      ...document,
      speaker: {
        ...document.speaker,
        localIpv4: world.address,
        peers: [
          { ...world.peerOf(wide), name: 'wide', labels: null },
          { ...world.peerOf(narrow), name: 'narrow', labels: null, maxPrefixesOut: limit },
        ],
      },
    });
    const install = async (routes: number, limit: number | null): Promise<Record<string, string>> => {
      const { bytes } = goodBundle({ sequence: sequence++ }, routes, { speaker: speakerOf(limit) });
      const installed = await installer.install(bytes, never);
      return Object.fromEntries(installed!.peers.map(({ name, status }) => [name, status]));
    };
    const have = async (ofWide: number, ofNarrow: number): Promise<void> => {
      await wide.waitRoutes(ofWide);
      await narrow.waitRoutes(ofNarrow);
    };

    beforeAll(async () => {
      path = mkdtempSync(join(tmpdir(), 'prefixcast-limited-'));
      world = await startWorld();
      wide = await world.peer();
      narrow = await world.peer();
      begin();
    });
    afterAll(async () => {
      await world?.stop();
      rmSync(path, { recursive: true, force: true });
    });

    test('keeps what it has, and the other gets the new routes', async () => {
      await install(2, 2);
      await have(2, 2);
      expect(await install(5, 2)).toMatchObject({ narrow: 'over_limit', wide: 'applied' });
      await have(5, 2);
    });

    test('keeps it over a restart of the agent, and the next revision', async () => {
      const updates = narrow.updates().length;
      begin();
      expect(await installer.restore(never)).toBe(true);
      await have(5, 2);
      expect(await install(6, 2)).toMatchObject({ narrow: 'over_limit' });
      await have(6, 2);
      expect(narrow.updates().slice(updates)).toEqual([]);
    });

    test('gets all with a higher limit, and nothing is kept for it any more', async () => {
      await install(6, 6);
      await have(6, 6);
      expect(await new DataDirectory(path).read('held-routes.json')).toBeNull();
    });

    test('is sent nothing where nobody knows any more what it holds, and keeps the routes from nobody else', async () => {
      await install(7, 6);
      await have(7, 6);
      writeFileSync(join(path, 'held-routes.json'), '{"peers":[{}]}');
      begin();
      expect(await installer.restore(never)).toBe(true);
      await have(7, 0);
      await install(7, null);
      await have(7, 7);
    });
  },
);
