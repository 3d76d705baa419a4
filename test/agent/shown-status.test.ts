/** What somebody on a node reads: peers by their names, since nothing there could look an id up. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DataDirectory } from '../../src/agent/data-directory.ts';
import { writeStatus, type AgentStatus } from '../../src/agent/status-file.ts';
import type { Daemon } from '../../src/api/speakers/speakers.ts';
import type { SessionStatus } from '../../src/speakers/speaker.ts';
import { testProgram } from '../program.ts';

const session: SessionStatus = {
  ...{ peerId: 'b7000000-0000-4000-8000-000000000001', state: 'established', since: '2026-11-26T12:00:00Z' },
  ...{ routesExported: 3, routesReceived: 0, updatesSent: 1, isBehind: false, families: ['ipv4'] },
  ...{ lastError: null, endedBy: null, notification: null },
};

const status = {
  ...{ pid: process.pid, version: '1', updated_at: '2026-11-26T12:00:00Z' },
  speaker: { id: 'b7000000-0000-4000-8000-000000000002', name: 'frankfurt' },
  control: { url: 'http://127.0.0.1:1', error: null, clock_skew_seconds: null, believed: true },
  running: null,
  last_apply: { status: 'none' },
  daemon: { reachable: true, version: '2.0', sessions: [session], error: null },
  peers: [{ id: session.peerId, name: 'edge1' }],
} as unknown as AgentStatus;

test('agent status names the speaker and its peers', async () => {
  const path = await mkdtemp(join(tmpdir(), 'prefixcast-agent-'));
  const shown = (): string =>
    execFileSync(process.execPath, [testProgram(), 'agent', 'status', '--data-dir', path], {
      encoding: 'utf8',
    });
  try {
    const directory = new DataDirectory(path);
    await writeStatus(directory, status);
    expect(shown()).toMatch(/^speaker {4}frankfurt$/m);
    expect(shown()).toMatch(/^ {2}edge1 {2}established, 3 routes$/m);
    // Why an earlier session ended is history, and no fault of one that is up.
    const past: SessionStatus = {
      ...session,
      lastError: 'the peer sent Cease, Administrative Shutdown',
      isPast: true,
    };
    await writeStatus(directory, { ...status, daemon: { ...status.daemon!, sessions: [past] } });
    expect(shown()).toMatch(/^ {2}edge1 {2}established, 3 routes$/m);
    const present = { ...session, lastError: 'it sends 5 routes, and may send 3' };
    await writeStatus(directory, { ...status, daemon: { ...status.daemon!, sessions: [present] } });
    expect(shown()).toMatch(/^ {2}edge1 {2}established, 3 routes: it sends 5 routes, and may send 3$/m);
    // As an agent of before wrote it.
    const { peers: _, ...former } = status;
    await writeStatus(directory, former);
    expect(shown()).toMatch(new RegExp(`^ {2}${session.peerId} {2}established`, 'm'));
  } finally {
    await rm(path, { recursive: true });
  }
});

describe('of an agent that does not run', () => {
  const running = {
    ...{ sequence: 3, revision_number: 7, content_hash: 'c', prefix_count: { ipv4: 4, ipv6: 1 } },
    expires_at: '2026-12-26T12:00:00Z',
  };
  // It has ended, and its number is not given to another process at once.
  const { pid } = spawnSync(process.execPath, ['-e', '0']);
  const shownOf = async (daemon: Daemon | undefined): Promise<string> => {
    const path = await mkdtemp(join(tmpdir(), 'prefixcast-agent-'));
    try {
      const speaker = { ...status.speaker, ...(daemon === undefined ? {} : { daemon }) };
      await writeStatus(new DataDirectory(path), { ...status, pid, speaker, running });
      const args = [testProgram(), 'agent', 'status', '--data-dir', path];
      const { stdout, status: code } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      expect(code).toBe(1);
      expect(stdout).toMatch(/^agent {6}does not run, /m);
      expect(stdout).toContain('not followed, since the agent does not run');
      expect(stdout).toMatch(/^ {2}edge1 {2}was established, 3 routes$/m);
      return stdout;
    } finally {
      await rm(path, { recursive: true });
    }
  };

  test('the builtin speaker has ended with it, and announces nothing', async () => {
    const shown = await shownOf('builtin');
    expect(shown).toMatch(
      /^announced {2}revision 7, 5 prefixes, signed until \S+; its sessions ended with it, and peers with graceful restart \(RFC 4724\) keep the routes for a while$/m,
    );
    expect(shown).not.toMatch(/^announces/m);
  });

  test('a routing daemon goes on', async () => {
    expect(await shownOf('bird')).toMatch(
      /^announces {2}revision 7, 5 prefixes, signed until \S+; BIRD goes on with that without the agent, if it runs$/m,
    );
  });

  test('an agent of before says nothing of the daemon', async () => {
    expect(await shownOf(undefined)).toMatch(/^announced {2}revision 7, 5 prefixes, signed until \S+$/m);
  });
});
