import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DataDirectory } from '../../src/agent/data-directory.ts';
import { Host } from '../../src/firewall/host.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'prefixcast-host-'));
  await mkdir(join(directory, 'sessions'));
  await writeFile(
    join(directory, 'resolv.conf'),
    '# none\nnameserver 192.0.2.53\nnameserver fe80::1%eth0\noptions rotate\n',
  );
});
afterEach(() => rm(directory, { recursive: true }));

const hostAt = (url: string): Host =>
  new Host({
    directory: new DataDirectory(directory),
    url,
    protect: ['198.51.100.0/24'],
    sessions: join(directory, 'sessions'),
    connections: directory,
    resolvers: [join(directory, 'resolv.conf'), join(directory, 'missing')],
  });

const session = (name: string, ...lines: string[]): Promise<void> =>
  writeFile(join(directory, 'sessions', name), `${lines.join('\n')}\n`);

test('finds the control plane and resolvers', async () => {
  expect(await hostAt('https://[2001:db8::5]/base').look()).toEqual({
    control: [{ address: '2001:db8::5', port: 443 }],
    sessions: ['198.51.100.0/24'],
    resolvers: ['192.0.2.53', 'fe80::1'],
    connections: [],
  });
  const { control } = await hostAt('http://localhost:8080').look();
  expect(control).toContainEqual({ address: '127.0.0.1', port: 8080 });
});

test('lets in from where somebody has logged in, and for an hour after that', async () => {
  const host = hostAt('https://192.0.2.1');
  await session('1', 'STATE=active', 'REMOTE=1', 'REMOTE_HOST=203.0.113.7');
  await session('2', 'STATE=closing', 'REMOTE=1', 'REMOTE_HOST=203.0.113.8');
  await session('3', 'STATE=active', 'REMOTE=0', 'TTY=tty1');
  await session('4', 'STATE=active', 'REMOTE=1', 'REMOTE_HOST=admin.example.net');
  const now = Date.now();
  expect((await host.look({ now })).sessions).toEqual(['198.51.100.0/24', '203.0.113.7']);
  await rm(join(directory, 'sessions/1'));
  await session('5', 'STATE=active', 'REMOTE_HOST=203.0.113.9');
  expect((await host.look({ now: now + 1_800_000 })).sessions).toContain('203.0.113.7');
  expect((await host.look({ now: now + 3_700_000 })).sessions).toEqual(['198.51.100.0/24', '203.0.113.9']);
  // As a server mostly is: nobody is logged in.
  await rm(join(directory, 'sessions/5'));
  expect((await host.look({ now: now + 7_400_000 })).sessions).toEqual(['198.51.100.0/24']);
});

test('remembers the control plane when its name cannot be resolved', async () => {
  const known = { address: '192.0.2.9', seen_at: '2026-01-01T00:00:00.000Z' };
  await writeFile(join(directory, 'local.json'), JSON.stringify({ control: [known], sessions: [] }));
  const { control } = await hostAt('https://does-not-exist.invalid').look();
  expect(control).toEqual([{ address: '192.0.2.9', port: 443 }]);
});

test('lets what is open when the table is made go on for as long as it lasts', async () => {
  const head = '  sl  local_address rem_address   st';
  const line = (remote: string, state: string): string =>
    `   0: 01004D0A:1B58 ${remote} ${state} 00000000:00000000`;
  const table = (...lines: string[]): Promise<void> =>
    writeFile(join(directory, 'tcp'), [head, ...lines, ''].join('\n'));
  await table(line('02004D0A:C350', '01'), line('03004D0A:C351', '01'), line('00000000:0000', '0A'));
  const mapped = '0000000000000000FFFF000002004D0A:C352';
  const plain = '000077FD000000000000000002000000:C353';
  await writeFile(join(directory, 'tcp6'), [head, line(mapped, '01'), line(plain, '01'), ''].join('\n'));
  const host = hostAt('https://192.0.2.1');
  const ports = (remotePort: number) => ({ localPort: 7000, remotePort });
  expect((await host.look()).connections).toEqual([]);
  expect((await host.look({ isRebuilt: true })).connections).toEqual([
    { family: 'ipv4', address: '10.77.0.2', ...ports(50_000) },
    { family: 'ipv4', address: '10.77.0.3', ...ports(50_001) },
    { family: 'ipv4', address: '10.77.0.2', ...ports(50_002) },
    { family: 'ipv6', address: 'fd77::2', ...ports(50_003) },
  ]);
  await table(line('03004D0A:C351', '01'), line('04004D0A:C354', '01'));
  await rm(join(directory, 'tcp6'));
  expect((await host.look()).connections).toEqual([
    { family: 'ipv4', address: '10.77.0.3', ...ports(50_001) },
  ]);
});
