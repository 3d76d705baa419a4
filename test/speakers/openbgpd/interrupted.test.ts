// What a speaker in OpenBGPD was doing when it was interrupted, and what becomes of it.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenbgpdDaemon } from '../../../src/speakers/openbgpd/daemon.ts';
import { OpenbgpdDriver } from '../../../src/speakers/openbgpd/driver.ts';
import { ProvisionalDriver } from '../../../src/speakers/provisional.ts';
import { requireOpenbgpd } from '../../daemons/openbgpd/openbgpd.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { bigTable, never, routesModel, speakerModel, tableOf } from '../builtin/models.ts';
import { startWorld, type World } from './world.ts';

const missing = requireOpenbgpd() === null || requireDaemon('bird') === null;
const one = routesModel(tableOf({ '10.0.0.0/8': ['65000:1'] }));

describe.skipIf(missing)('a speaker in OpenBGPD that is interrupted', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld();
  });
  afterEach(() => world?.stop());

  /**
   * The driver of a process whose `bgpctl` is the real one behind these lines of shell: `$*` is what it is asked, `real` asks it,
   * and `$trouble` is a file that is there while there shall be trouble.
   */
  function troubled(lines: string): {
    daemon: OpenbgpdDaemon;
    begin: () => void;
    end: () => void;
  } {
    const [program, trouble] = [join(world.directory, 'bgpctl.sh'), join(world.directory, 'trouble')];
    const head = `#!/bin/sh\ntrouble=${trouble}\nreal() { ${world.options.controlProgram} "$@"; }\n`;
    writeFileSync(program, `${head}if [ -e $trouble ]; then\n${lines}\nfi\nreal "$@"\n`);
    chmodSync(program, 0o755);
    return {
      daemon: new OpenbgpdDaemon({ ...world.options, controlProgram: program }),
      begin: () => writeFileSync(trouble, ''),
      end: () => rmSync(trouble),
    };
  }

  it('by its death before OpenBGPD has read the file, has it read by the next process', async () => {
    const peer = await world.peer();
    const model = speakerModel([world.peerOf(peer)]);
    const dead = join(world.directory, 'dead');
    mkdirSync(dead);
    // What is on the disk in that moment.
    const { daemon, begin } = troubled(
      `case "$*" in *' reload') cp -p ${world.directory}/prefixcast.conf* ${dead}; exit 1;; esac`,
    );
    const driver = new OpenbgpdDriver(daemon, 'speaker');
    begin();
    await driver.configure(model);
    await expect(driver.apply(one, never)).rejects.toMatchObject({ code: 'speaker_unreachable' });
    for (const name of readdirSync(dead)) copyFileSync(join(dead, name), join(world.directory, name));

    const next = world.driver();
    await next.configure(model);
    await next.apply(one, never);
    await peer.waitRoutes(1);
  });

  it('by an answer that is lost, has OpenBGPD read the file of before again', async () => {
    const peer = await world.peer();
    const { daemon, begin, end } = troubled(`case "$*" in *' reload') real "$@"; exit 1;; esac`);
    const driver = new ProvisionalDriver(new OpenbgpdDriver(daemon, 'speaker'));
    const nextHop = async (): Promise<string> => (await peer.routes())[0]?.nextHop ?? '';
    await driver.configure(speakerModel([world.peerOf(peer)]));
    await driver.apply(one, never);
    await peer.waitRoutes(1);
    begin();
    const changed = speakerModel([world.peerOf(peer, { nextHopIpv4: '203.0.113.1' })]);
    await expect(driver.configure(changed)).rejects.toMatchObject({ code: 'speaker_unreachable' });
    await waitFor(async () => (await nextHop()) === '203.0.113.1', { what: 'what OpenBGPD was sent' });
    end();
    await driver.configure(speakerModel([world.peerOf(peer)]));
    await waitFor(async () => (await nextHop()) === world.openbgpd.address, {
      what: 'the next hop of before',
    });
    expect(existsSync(join(world.directory, 'prefixcast.conf.unread'))).toBe(false);
  });

  it('as it sends an OpenBGPD that was restarted its networks again, tries once more', async () => {
    const peer = await world.peer();
    const { daemon, begin, end } = troubled(
      `case "$*" in *'network bulk'*) touch ${world.directory}/tried; exit 1;; esac`,
    );
    const driver = new ProvisionalDriver(new OpenbgpdDriver(daemon, 'speaker'));
    await driver.configure(speakerModel([world.peerOf(peer)]));
    await driver.apply(one, never);
    await peer.waitRoutes(1);
    begin();
    await world.restart();
    const looked = async (): Promise<boolean> => (await driver.status()).reachable;
    await waitFor(async () => (await looked()) && existsSync(join(world.directory, 'tried')), {
      what: 'a try that fails',
    });
    end();
    await waitFor(
      async () =>
        (await looked()) &&
        (await world.openbgpd.command('show', 'rib', '10.0.0.0/8')).includes('10.0.0.0/8'),
      { what: 'the network to come back' },
    );
  });

  const many = 20_000;
  const [before, after] = [bigTable(many, ['65000:1']), bigTable(many, ['65000:2'], 1)];
  const failing = `case "$*" in *'network bulk delete'*) exit 1;; esac`;

  it('by a failure in the middle of an apply, goes back without taking a route from a peer', async () => {
    const peer = await world.peer();
    const { daemon, begin, end } = troubled(failing);
    const driver = new ProvisionalDriver(new OpenbgpdDriver(daemon, 'speaker'));
    await driver.configure(speakerModel([world.peerOf(peer)]));
    await driver.apply(routesModel(before), never);
    await peer.waitRoutes(many);
    const known = peer.updates().length;
    begin();
    await expect(driver.apply(routesModel(after), never)).rejects.toMatchObject({
      code: 'speaker_unreachable',
    });
    end();
    await driver.apply(routesModel(before), never);
    await peer.waitRoutes(many);
    // All that it received once and has no more is the one that only the new ones had.
    expect([...new Set(peer.withdrawnSince(known))].length).toBeLessThanOrEqual(1);
  });

  it('by its death in the middle of an apply, is continued without taking a route from a peer', async () => {
    const peer = await world.peer();
    const { daemon, begin, end } = troubled(failing);
    const first = new OpenbgpdDriver(daemon, 'speaker');
    const model = speakerModel([world.peerOf(peer)]);
    await first.configure(model);
    await first.apply(routesModel(before), never);
    await peer.waitRoutes(many);
    const known = peer.updates().length;
    begin();
    await expect(first.apply(routesModel(after), never)).rejects.toMatchObject({
      code: 'speaker_unreachable',
    });
    end();
    const next = world.driver();
    await next.configure(model);
    await next.apply(routesModel(before), never);
    await peer.waitRoutes(many);
    expect([...new Set(peer.withdrawnSince(known))].length).toBeLessThanOrEqual(1);
  });
});
