/** The client on a host: it follows what is assigned, refuses what was tampered with, and repairs what somebody else took away. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { waitFor } from '../daemons/wait.ts';
import { testProgram } from '../program.ts';
import { useGuardedHost } from './guarded-host.ts';
import { OTHER, THIRD, requireNft } from './space.ts';

const nft = requireNft();

describe.skipIf(nft === null)('the firewall client', () => {
  const host = useGuardedHost(nft!);
  const { change, start, kill, blocks, untilBlocked, reported } = host;

  test('follows changes within seconds, and is taken out by remove', async () => {
    const change1 = await change({ cidrs: [THIRD.ipv4] });
    expect(change1.status).toBe(200);
    await untilBlocked(THIRD, true);
    expect(await blocks(OTHER)).toBe(false);
    await reported({ status: 'applied', applied: true });
    await change({ enabled: false });
    await untilBlocked(THIRD, false);
    await start(['remove'], {}, 8); // one that runs would put them back
    await start(['run'], {}, 1); // as would a second one
    expect(host.log).toMatch(/put the rules back: stop it first.*or set APP_FIREWALL_DATA_DIR/s);
    expect(host.space.nft('list', 'tables')).toContain('prefixcast');
    await kill(host.clients[0]!);
    await start(['remove'], {}, true);
    expect(host.space.nft('list', 'tables')).toBe('');
    expect(readdirSync(join(host.directory, 'state'))).toEqual([]);
  });

  test('keeps connections that were there before it, also where nothing else may pass', async () => {
    expect(await host.space.outside.ask('say', { name: 'kept', wait: 5_000 })).toBe(true);
    await change({ action: 'accept', cidrs: ['192.0.2.0/24'] });
    const path = `/v1/firewall/clients/${host.clientId}`;
    await host.service.call('PATCH', path, { key: host.tenant.keys.operator, body: { policy: 'accept' } });
    await untilBlocked(THIRD, true);
    expect(await host.space.outside.ask('say', { name: 'kept', wait: 5_000 })).toBe(true);
    expect(await blocks(OTHER)).toBe(true);
    await reported({ status: 'applied', applied: true });
  });

  test('goes back when the control plane is lost, and tries again when it is there', async () => {
    host.line.mode = 'held';
    await change({ cidrs: [THIRD.ipv4] });
    await untilBlocked(THIRD, true);
    host.line.cut();
    // Not confirmed in time.
    await untilBlocked(THIRD, false);
    expect(await blocks(OTHER)).toBe(true);
    host.line.mode = 'open';
    await reported({ status: 'applied', applied: true });
    expect(host.log).toContain('not_confirmed');
    expect(await blocks(THIRD)).toBe(true);
  });

  test('reports how many packets each rule has matched', async () => {
    for (let n = 0; n < 3; n++) await blocks(OTHER);
    await waitFor(
      async () => {
        const { body } = await host.service.call('GET', `/v1/firewall/clients/${host.clientId}`, {
          key: host.tenant.keys.viewer,
        });
        const counters = body.counters as { rule_id: string; packets: number; bytes: number }[];
        return counters.some(
          ({ rule_id: id, packets, bytes }) => id === host.ruleId && packets >= 3 && bytes > 0,
        );
      },
      { what: 'the counters' },
    );
    await start(['status'], {}, true);
    expect(host.log).toMatch(/\n {2}bad {2}[1-9]\d* packets/);
  });

  test('refuses what was tampered with on its way, or on its disk', async () => {
    host.line.tamper = [`${THIRD.ipv4}/32`, '10.77.0.4/32'];
    await change({ cidrs: [THIRD.ipv4] });
    await reported({ status: 'failed', error: /bundle_corrupt/ });
    expect(await blocks(OTHER)).toBe(true);
    host.line.tamper = ['\\"block\\"', '\\"evils\\"'];
    await waitFor(() => host.log.includes('signature_invalid'), {
      what: 'the refusal',
      details: () => host.log,
    });
    expect(await blocks(OTHER)).toBe(true);
    await kill(host.clients[0]!);
    host.line.cut();
    const kept = join(host.directory, 'state/ruleset.json');
    writeFileSync(kept, readFileSync(kept, 'utf8').replaceAll(`${OTHER.ipv4}/32`, '10.77.0.4/32'));
    await start(['run']);
    await waitFor(() => host.log.includes('bundle_corrupt: The bundle is damaged'), {
      what: 'the refusal',
    });
    // The kernel keeps what it holds.
    expect(await blocks(OTHER)).toBe(true);
  });

  test('follows a service whose database was restored to what it was before', async () => {
    const { database } = host.service;
    const [before] = await database.admin<{ sequence: string; hash: Buffer }>(
      'SELECT ruleset_sequence AS sequence, ruleset_hash AS hash FROM firewall_client WHERE id = $1',
      [host.clientId],
    );
    await change({ cidrs: [THIRD.ipv4] });
    await untilBlocked(THIRD, true);
    await reported({ status: 'applied', applied: true });
    await database.admin(
      'UPDATE firewall_client SET ruleset_sequence = $2, ruleset_hash = $3 WHERE id = $1',
      [...[host.clientId, before!.sequence, before!.hash]],
    );
    await database.admin('UPDATE firewall_rule SET cidrs = $2 WHERE id = $1', [
      host.ruleId,
      [`${OTHER.ipv4}/32`, `${OTHER.ipv6}/128`],
    ]);
    await untilBlocked(OTHER, true);
    expect(await blocks(THIRD)).toBe(false);
    expect(host.log).toContain('bundle_replayed');
    await reported({ status: 'applied', applied: true });
  });

  test('repairs what somebody else took away, and reports its state to whoever asks on the host', async () => {
    const [ip, ...rest] = host.space.onHost;
    const words = [testProgram(), 'firewall', 'status', '--data-dir', join(host.directory, 'state')];
    const status = spawn(ip!, [...rest, process.execPath, ...words]);
    let text = '';
    status.stdout.on('data', (chunk) => (text += String(chunk)));
    const [code] = (await once(status, 'close')) as [number];
    expect({ code, text }).toEqual({
      code: 0,
      text: expect.stringContaining('in force   1 rule with 2 prefixes') as unknown,
    });
    host.space.nft('flush ruleset');
    expect(await blocks(OTHER)).toBe(false);
    await untilBlocked(OTHER, true);
  });
});
