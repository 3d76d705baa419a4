import { afterEach, beforeEach, expect, test } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ControlClock } from '../../src/agent/control-clock.ts';
import { NODE_REMEDY } from '../../src/agent/identity.ts';
import { DataDirectory } from '../../src/agent/data-directory.ts';
import { Installer } from '../../src/agent/installer.ts';
import { TrustStore } from '../../src/agent/trust.ts';
import { BuiltinEngine } from '../../src/speakers/builtin/engine.ts';
import { SpeakerError, type SpeakerDriver } from '../../src/speakers/speaker.ts';
import { document, REVISION, SPEAKER, trusted } from '../bundle/sample.ts';
import { alone, goodBundle, identity, quiet } from './played.ts';

const never = new AbortController().signal;

let path: string;
let engine: BuiltinEngine;
let driver: SpeakerDriver;
/** Of the daemon, which refuses what the test says. */
let refuses: Partial<Record<'apply' | 'configure', (call: number) => boolean>> = {};
let installer: Installer;

beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), 'prefixcast-installer-'));
  engine = new BuiltinEngine({ listen: { host: '127.0.0.1', port: 0 }, log: quiet, version: 'test' });
  await engine.start();
  driver = engine.driver(SPEAKER);
  refuses = {};
  const directory = new DataDirectory(path);
  const trust = new TrustStore(directory, { keys: [trusted()], highest_sequence: null }, NODE_REMEDY);
  installer = new Installer({
    ...{ directory, identity, trust, clock: new ControlClock() },
    driver: refusing(driver),
  });
});
afterEach(async () => {
  await engine.close(false);
  rmSync(path, { recursive: true, force: true });
});

/** The driver, which can be made to fail instead. */
function refusing(real: SpeakerDriver): SpeakerDriver {
  const calls = { apply: 0, configure: 0 };
  const unless = async <T>(name: 'apply' | 'configure', work: () => Promise<T>): Promise<T> => {
    if (refuses[name]?.(++calls[name]) === true)
      throw new SpeakerError('speaker_unreachable', 'the daemon hangs');
    return work();
  };
  return {
    check: (model) => real.check(model),
    render: (model, routes) => real.render(model, routes),
    configure: (model) => unless('configure', () => real.configure(model)),
    apply: (routes, signal) => unless('apply', () => real.apply(routes, signal)),
    confirm: () => real.confirm(),
    undo: () => real.undo(),
    status: () => real.status(),
    close: (graceful) => real.close(graceful),
  };
}

const withPeer = {
  ...document,
  speaker: {
    ...document.speaker,
    peers: document.speaker.peers.map((peer) => ({
      ...peer,
      address: '127.0.0.9',
      passive: true,
      password: null,
    })),
  },
};
const install = (claims: object, routes: number, speaker = alone) =>
  installer.install(goodBundle(claims, routes, { speaker }).bytes, never);
const peers = async () => (await driver.status()).sessions.map(({ peerId }) => peerId);

test('a daemon that could not go back to its peers is given them by the next bundle, though they are those of before', async () => {
  await install({ sequence: 7 }, 1);
  // It takes the new peers, and then hangs: neither the routes nor the way back come through.
  refuses = { apply: () => true, configure: (call) => call > 1 };
  await expect(install({ sequence: 8 }, 2, withPeer)).rejects.toThrow('hangs');
  expect(await peers()).toEqual([REVISION]);
  refuses = {};
  await install({ sequence: 9 }, 2);
  expect(await peers()).toEqual([]);
});

test('another state under the number of the one that runs is applied, and not taken for it', async () => {
  await install({ sequence: 7 }, 1);
  expect(await install({ sequence: 7 }, 1)).toBeNull();
  expect(await install({ sequence: 7 }, 3)).toMatchObject({ announced: 2 });
});
