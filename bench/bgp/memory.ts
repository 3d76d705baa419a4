/**
 * Memory of the whole idle service with one tenant of so many routes, beside a BIRD that holds the same; both serve one peer, and both
 * ran before the routes came: by a refresh, and by a new static file and `birdc configure`. Of shared pages each process counts its part.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Service } from '../../demo/service.ts';
import { startBird } from '../../test/daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../test/daemons/machine/ports.ts';
import { programPath } from '../../test/daemons/programs.ts';
import { COMMAND, buildPublished } from '../measure/published.ts';
import { addList, serve } from './refresh.ts';
import { SPEAKER_ASN, startPeer } from './scene.ts';

const GOAL = 0.5;
/** Longer than any thread is kept without work. */
const IDLE_MS = 75_000;

export async function run(count: number): Promise<void> {
  const lines = Array.from({ length: count }, (_, i) => {
    const place = 0x100000 + i * 5; // never two that touch
    return `${place >> 16}.${(place >> 8) & 255}.${place & 255}.0/24`;
  });
  buildPublished();
  const ours = await serviceMemory(lines.join('\n') + '\n');
  const bird = await birdMemory(lines);
  const ratio = ours.all / bird;
  console.log(
    `${count} routes: app-all ${ours.service.toFixed(0)} MB and its PostgreSQL ${(ours.all - ours.service).toFixed(0)} MB, BIRD ${bird.toFixed(0)} MB`,
  );
  console.log(`ratio ${ratio.toPrecision(2)}  goal ${GOAL}: ${ratio <= GOAL ? 'met' : 'NOT met'}`);
}

/** Megabytes after a refresh and an apply to the builtin speaker, and a while in which nothing happens. */
async function serviceMemory(text: string): Promise<{ readonly service: number; readonly all: number }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'pc-bench-'));
  const server = await serve(text);
  const service = await Service.start({
    ...{ dataDir, port: await freePort(), bgpListen: `127.0.0.1:${await freePort()}`, command: COMMAND },
  });
  const peer = await startPeer('127.0.0.1', 1);
  try {
    await service.post('/v1/peers', {
      ...{ name: 'router', address: peer.address, port: peer.port, remote_asn: peer.localAsn },
    });
    await peer.waitEstablished();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/list`;
    const refreshed = await service.succeeded(
      await service.post(`/v1/modules/${await addList(service, url)}/refresh`),
    );
    await service.succeeded({ id: String(refreshed.apply_job_id) });
    await peer.waitRoutes(text.split('\n').length - 1);
    await sleep(IDLE_MS);
    const processes = [service.pid, ...postgresOf(dataDir)];
    const [own = 0, ...others] = processes.map(proportionalMemory);
    return { service: own, all: own + others.reduce((sum, one) => sum + one, 0) };
  } finally {
    await service.stop();
    await peer.stop();
    server.close();
    rmSync(dataDir, { recursive: true });
  }
}

async function birdMemory(lines: readonly string[]): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'pc-bench-'));
  const file = join(directory, 'routes.conf');
  writeFileSync(file, '');
  const listen = { address: loopbackAddress(), port: await freePort() };
  const peer = await startPeer(listen.address, listen.port);
  const bird = await startBird({
    ...{ listen, routerId: '192.0.2.2', localAsn: SPEAKER_ASN, recordUpdates: false },
    neighbors: [{ address: peer.address, port: peer.port, asn: peer.localAsn, extendedMessages: true }],
    extraConfig: `protocol static bench { ipv4 { import filter { bgp_community.add((65000,100)); accept; }; };\ninclude "${file}";\n}`,
  });
  try {
    await peer.waitEstablished();
    writeFileSync(file, lines.map((line) => `route ${line} blackhole;`).join('\n'));
    execFileSync(programPath('birdc'), ['-s', bird.socketPath, 'configure'], { stdio: 'ignore' });
    await peer.waitRoutes(lines.length);
    await sleep(IDLE_MS);
    return proportionalMemory(bird.pid);
  } finally {
    await bird.stop();
    await peer.stop();
    rmSync(directory, { recursive: true });
  }
}

/** The server of the directory, and the processes that it has started. */
function postgresOf(dataDir: string): number[] {
  const main = Number(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]);
  const children = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && parentOf(Number(name)) === main,
  );
  return [main, ...children.map(Number)];
}

function parentOf(pid: number): number | null {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return null; // it has just ended
  }
}

/** Megabytes. */
function proportionalMemory(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024;
}
