import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashOfSet, signRuleset } from '../../src/bundle/ruleset.ts';
import { generateSigningKey } from '../../src/bundle/signing-key.ts';
import { PrefixSetBuilder, emptySet } from '../../src/core/sets/prefix-set.ts';
import { requireSystemd, startSystemd, type Systemd } from '../daemons/machine/systemd.ts';
import { waitFor } from '../daemons/wait.ts';
import { requireNft } from './space.ts';

const nft = requireNft();
const lacks = nft === null || requireSystemd() === null;
const checkout = join(import.meta.dirname, '../..');
const unit = readFileSync(join(checkout, 'packaging/prefixcast-firewall.service'), 'utf8');
const SERVICE = 'prefixcast-firewall.service';
const STATE = '/var/lib/prefixcast-firewall';
const TENANT = '0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77';
const CLIENT = '0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c78';

/** What a client has kept whose host blocks one network. */
function state(): Record<string, readonly [string, string]> {
  const key = generateSigningKey();
  const builder = new PrefixSetBuilder('ipv4');
  builder.add([0xc6336400], 24);
  const set = builder.build();
  const trusted = { key_id: key.keyId, public_key: key.publicKey.toString('base64'), not_after: null };
  const sets = {
    ipv4: { hash: hashOfSet(set), size: 1 },
    ipv6: { hash: hashOfSet(emptySet('ipv6')), size: 0 },
  };
  const rule = {
    id: CLIENT,
    name: 'r',
    action: 'block',
    direction: 'in',
    protocol: 'any',
    ports: [],
    ...sets,
  } as const;
  const issued = new Date().toISOString();
  const signed = signRuleset(
    {
      ...{
        tenant_id: TENANT,
        client_id: CLIENT,
        sequence: 1,
        revision_id: null,
        policy: 'block',
        protected: [],
      },
      ...{ issued_at: issued, expires_at: issued, key_id: key.keyId },
      announced_keys: [{ ...trusted, not_before: issued }],
      rules: [{ ...rule, ports: [] }],
    },
    key,
  );
  const elements = [{ hash: sets.ipv4.hash, base: null, added: ['198.51.100.0/24'], removed: [] }];
  const identity = {
    ...{ control_url: 'http://127.0.0.1:9', tenant_id: TENANT, client_id: CLIENT, client_name: 'web' },
    api_key: { id: CLIENT, secret: 'none' },
  };
  const file = (name: string, value: unknown) =>
    [`${STATE}/${name}`, ['0600', JSON.stringify(value)]] as const;
  return Object.fromEntries([
    file('identity.json', identity),
    file('trust.json', { keys: [trusted], highest_sequence: 1 }),
    file('ruleset.json', { ...signed, sets: elements }),
  ]);
}

/** The unit as it is shipped, run by systemd in a network of its own, at a start of the machine without the service. */
describe.skipIf(lacks)('the unit of the firewall client', () => {
  let systemd: Systemd;
  beforeAll(async () => {
    systemd = await startSystemd({
      mnt: checkout,
      ownNetwork: true,
      units: {
        [SERVICE]: unit,
        // The targets of the machine that the test has none of.
        'network-pre.target': '[Unit]\nDefaultDependencies=no\n',
        'local-fs.target': '[Unit]\nDefaultDependencies=no\n',
      },
      files: {
        ...state(),
        '/etc/prefixcast/firewall.env': ['0600', `APP_FIREWALL_NFT=${nft}\n`],
        '/usr/local/bin/prefixcast': [
          '0755',
          '#!/bin/sh\nexec /mnt/node_modules/.bin/node /mnt/src/prefixcast.ts "$@"\n',
        ],
      },
    });
  });
  afterAll(async () => {
    await systemd?.stop();
  });

  const show = (...properties: string[]) => systemd.show(SERVICE, ...properties);

  test('has what was in force in the kernel, and runs', async () => {
    await waitFor(() => show('ActiveState').ActiveState === 'active', {
      what: 'the unit to run',
      details: () => systemd.log().slice(-4_000),
    });
    const held = systemd.run(nft!, 'list', 'table', 'inet', 'prefixcast');
    expect(held).toContain('198.51.100.0/24');
    expect(held).toMatch(/drop/);
  });

  test('has it back before any interface may come up', () => {
    const microseconds = (unit: string, property: string): number => {
      const value = Number(systemd.show(unit, property)[property]);
      expect(value, `${unit} ${property}`).toBeGreaterThan(0);
      return value;
    };
    const restored = microseconds(SERVICE, 'ExecMainStartTimestampMonotonic'); // after ExecStartPre has ended
    expect(microseconds('network-pre.target', 'ActiveEnterTimestampMonotonic')).toBeGreaterThanOrEqual(
      restored,
    );
    expect(show('Before').Before).toMatch(/(^| )network-pre\.target( |$)/);
  });

  test('systemd itself calls what it may do little: less than 2 of 10', () => {
    const path = 'packaging/prefixcast-firewall.service';
    const text = execFileSync('systemd-analyze', ['security', '--offline=yes', path], {
      ...{ cwd: checkout, encoding: 'utf8' },
    });
    expect(Number(/Overall exposure level for \S+: ([\d.]+)/.exec(text)?.[1])).toBeLessThan(2);
  });

  test('has no right but to administer the network, and writes its own directory only', () => {
    const status = systemd.run('cat', `/proc/${show('MainPID').MainPID}/status`);
    const of = (name: string): string => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)![1]!;
    const admin = (1n << 12n).toString(16).padStart(16, '0'); // CAP_NET_ADMIN
    expect([of('CapEff'), of('CapBnd'), of('NoNewPrivs'), of('Seccomp')]).toEqual([admin, admin, '1', '2']);
    // Of the users that systemd makes up.
    expect(Number(of('Uid'))).toBeGreaterThanOrEqual(61_184);
    expect(systemd.run('stat', '-L', '-c', '%a %u', STATE)).toBe(`700 ${of('Uid')}\n`);
    const inside = (...command: string[]): string =>
      systemd.run('nsenter', '--mount', '--target', show('MainPID').MainPID!, ...command);
    for (const path of ['/usr/local/bin/x', '/etc/x', '/var/lib/x', '/mnt/x'])
      expect(() => inside('touch', path)).toThrow(/Read-only file system/);
  });

  test('stopped, leaves in force what is', () => {
    systemd.run('systemctl', 'stop', SERVICE);
    expect(systemd.run(nft!, 'list', 'table', 'inet', 'prefixcast')).toContain('198.51.100.0/24');
  });
});
