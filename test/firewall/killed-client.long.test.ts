/** The client that is killed at any moment, whose host reboots, or whose disk is damaged: one whole ruleset is in force, and what is assigned in the end. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { waitFor } from '../daemons/wait.ts';
import { times } from '../fuzz.ts';
import { useGuardedHost } from './guarded-host.ts';
import { slowNft } from './nft-on.ts';
import { OTHER, THIRD, requireNft } from './space.ts';

const nft = requireNft();

describe.skipIf(nft === null)('a firewall client', () => {
  const host = useGuardedHost(nft!);
  const { change, start, kill, blocks, untilBlocked, reported } = host;

  test('killed before it has confirmed, goes back at the next start, also without the control plane', async () => {
    host.line.mode = 'held';
    await change({ cidrs: [THIRD.ipv4] });
    await untilBlocked(THIRD, true);
    await kill(host.clients[0]!);
    expect(await blocks(THIRD)).toBe(true);
    host.line.cut();
    await start(['run']);
    await untilBlocked(THIRD, false);
    expect(await blocks(OTHER)).toBe(true);
    host.line.mode = 'open';
    await untilBlocked(THIRD, true);
  });

  // Checked, given, read back: the last when the kernel has it already.
  test.each(['-c', '-f', '-t'])(
    'killed while nft %s runs, ends with what was confirmed or what is assigned',
    async (phase) => {
      await kill(host.clients[0]!);
      const when = `[ "$1" = ${phase} ] && grep -q ${THIRD.ipv4} "${host.directory}/state/transaction.nft"`;
      const { slow, mark } = slowNft(host.directory, when);
      await change({ cidrs: [THIRD.ipv4] });
      const client = await start(['run'], { APP_FIREWALL_NFT: slow });
      await waitFor(() => existsSync(mark), {
        what: 'nft to begin',
        details: () => host.log.slice(-3_000),
      });
      await kill(client);
      // For what the killed one may have left running.
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      // Whole transactions only: one of the two is in force.
      expect([await blocks(OTHER), await blocks(THIRD)].filter(Boolean)).toHaveLength(1);
      host.line.cut();
      await start(['run']);
      await untilBlocked(OTHER, true);
      expect(await blocks(THIRD)).toBe(false);
    },
  );

  test('killed at any moment, again and again: one whole ruleset is in force, and what is assigned in the end', async () => {
    const moments = fc.sample(fc.integer({ min: 0, max: 1_500 }), { numRuns: times(8) });
    for (const [round, moment] of moments.entries()) {
      const wanted = round % 2 === 0 ? THIRD : OTHER;
      await change({ cidrs: [wanted.ipv4] });
      await new Promise((resolve) => setTimeout(resolve, moment)); // the moment of the kill
      await kill(host.clients.at(-1)!);
      // What nft had begun ends.
      await waitFor(() => !host.space.runsOnHost('nft'), { what: 'nft to end' });
      const blocked = [await blocks(OTHER), await blocks(THIRD)];
      expect(blocked.filter(Boolean), `killed after ${moment} ms: ${JSON.stringify(blocked)}`).toHaveLength(
        1,
      );
      await start(['run']);
      await untilBlocked(wanted, true);
      await untilBlocked(wanted === THIRD ? OTHER : THIRD, false);
    }
    await reported({ status: 'applied', applied: true });
  });

  test('killed while it brings back what was in force, and while it takes everything out, does so at the next try', async () => {
    await kill(host.clients[0]!);
    host.line.cut();
    const killedAt = async (command: string, when: string): Promise<void> => {
      const { slow, mark } = slowNft(host.directory, when);
      const client = await start([command], { APP_FIREWALL_NFT: slow });
      await waitFor(() => existsSync(mark), { what: 'nft to begin', details: () => host.log });
      await kill(client);
      await waitFor(() => !host.space.runsOnHost('nft'), { what: 'nft to end' });
    };
    host.space.nft('flush ruleset');
    await killedAt('restore', '[ "$1" = -c ]');
    expect(await blocks(OTHER)).toBe(false);
    await start(['restore'], {}, true);
    expect(await blocks(OTHER)).toBe(true);
    await killedAt('remove', 'echo "$1" | grep -q ^add');
    await start(['remove'], {}, true);
    expect(await blocks(OTHER)).toBe(false);
    expect(host.space.nft('list', 'tables')).toBe('');
    expect(readdirSync(join(host.directory, 'state'))).toEqual([]);
  });

  test('after a reboot brings back what was in force, without a network and before anything else', async () => {
    await kill(host.clients[0]!);
    host.line.cut();
    await host.reboot();
    expect(await blocks(OTHER)).toBe(false);
    await start(['restore'], {}, true);
    expect(await blocks(OTHER)).toBe(true);
    expect(await blocks(THIRD)).toBe(false);
  });

  test('whose disk is damaged keeps what its kernel holds, also when what comes next cannot be confirmed', async () => {
    await kill(host.clients[0]!);
    writeFileSync(join(host.directory, 'state/ruleset.json'), '{');
    await start(['restore'], {}, 1);
    host.line.mode = 'held';
    await change({ cidrs: [THIRD.ipv4] });
    await start(['run']);
    await untilBlocked(THIRD, true);
    await untilBlocked(THIRD, false);
    // It says so once it has taken the rules back.
    await waitFor(() => host.log.includes('not_confirmed'), {
      what: 'the refusal',
      details: () => host.log,
    });
    expect(await blocks(OTHER)).toBe(true);
    host.line.mode = 'open';
    await untilBlocked(THIRD, true);
    await reported({ status: 'applied', applied: true });
  });

  test('after a reboot with a full disk brings back what was in force nevertheless', async () => {
    await kill(host.clients[0]!);
    host.line.cut();
    await host.reboot();
    const script = join(host.directory, 'state/transaction.nft');
    rmSync(script);
    mkdirSync(script); // which cannot be written, even by root
    await start(['restore'], {}, true);
    expect(await blocks(OTHER)).toBe(true);
    expect(await blocks(THIRD)).toBe(false);
  });
});
