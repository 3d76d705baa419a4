/** What a report of a node asks of the database: a thousand of them come every few seconds. */
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ApplyStatus } from '../../../src/api/nodes/nodes.ts';
import { reportNode } from '../../../src/control/nodes/report-node.ts';
import { startNodeService, type NodeService } from './node-service.ts';

let service: NodeService;
beforeAll(async () => {
  service = await startNodeService();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await service.close();
});

const runId = uuidv7();

function reportOf(sequence: number, revision: string, status: ApplyStatus['status']): ApplyStatus {
  return {
    ...{ sequence, revision_id: revision, status, announced: 0, withdrawn: 0, changed: 0, error: null },
    daemon: {
      ...{ reachable: true, version: '1', router_id: '192.0.2.1', uptime_seconds: 1 },
      ...{ last_reconfigured_at: null, error: null, sessions: [] },
    },
    agent: { version: '1.0.0', hostname: 'edge-1', run_id: runId },
  };
}

/** What the transaction of a report has sent, by what each statement begins with. */
async function statementsOf(report: ApplyStatus): Promise<string[]> {
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  await service.database.db.inTenant(service.tenant.id, (tx) => reportNode(tx, service.speakerId, report));
  const clients = spy.mock.contexts;
  const texts = spy.mock.calls.map(([query]) =>
    (typeof query === 'string' ? query : (query as { readonly text: string }).text).trim(),
  );
  spy.mockRestore();
  const client = clients[texts.findIndex((text) => text.includes('INSERT INTO speaker_lease'))];
  return texts
    .filter((text, at) => clients[at] === client && !/^(BEGIN|COMMIT|SET|SELECT set_config)/i.test(text))
    .map((text) => /^(\w+ )+/.exec(text.replaceAll('"', ''))![0].trim().toLowerCase());
}

test('what a node has said before costs nothing more, and a newer bundle than it was issued is looked at', async () => {
  const revision = await service.revisionOf(['10.20.0.0/16']);
  await service.apply(revision);
  const { sequence } = await service.assigned();
  const isRunning = reportOf(sequence, revision, 'applied');
  const first = await statementsOf(isRunning);
  const again = await statementsOf(isRunning);
  // Daemon and sessions are always written.
  expect(again).toEqual(['with held as', 'delete from speaker_session where tenant_id']);
  expect(first.length).toBeGreaterThan(again.length);
  expect(await statementsOf(reportOf(sequence - 1, revision, 'applied'))).toEqual(again);
  // As after a restore of the database.
  const newer = await statementsOf(reportOf(sequence + 1_000, revision, 'applied'));
  expect(newer).toEqual([...again, 'update speaker_bundle set fingerprint']);
});
