/** What somebody on a node reads: peers by their names, since nothing there could look an id up. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DataDirectory } from '../../src/agent/data-directory.ts';
import { writeStatus, type AgentStatus } from '../../src/agent/status-file.ts';
import { testProgram } from '../program.ts';

const session = {
  ...{ peerId: 'b7000000-0000-4000-8000-000000000001', state: 'established', since: '2026-11-26T12:00:00Z' },
  ...{ routesExported: 3, routesReceived: 0, updatesSent: 1, isBehind: false, families: ['ipv4'] },
  ...{ lastError: null, endedBy: null, notification: null },
} as const;

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
    // As an agent of before wrote it.
    const { peers: _, ...former } = status;
    await writeStatus(directory, former);
    expect(shown()).toMatch(new RegExp(`^ {2}${session.peerId} {2}established`, 'm'));
  } finally {
    await rm(path, { recursive: true });
  }
});
