/** Part 6 of the specification, "Events": each audit record goes to the portal; the titles quote it. What "when both" means is tried in variables.test.ts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPortal } from '../../src/control/audit/audit-portal.ts';
import { deliverAudit } from '../../src/control/audit/deliver-audit.ts';
import { startReceiver, type Receiver } from '../control/outbox/receiver.ts';
import { startService, type Body, type TestService } from '../http/service.ts';

const SECRET = 'ingest-secret-0123456789';

let service: TestService;
let portal: Receiver;
let delivery: ReturnType<typeof deliverAudit>;
beforeAll(async () => {
  service = await startService();
  portal = await startReceiver();
  delivery = deliverAudit({
    ...{ db: service.database.db, portal: openPortal({ url: portal.url, secret: SECRET }) },
    ...{ onFault: () => undefined, pollMs: 20 },
  });
});
afterAll(async () => {
  await delivery.close();
  await portal.close();
  await service.close();
});

test('"When both `AUTH_PORTAL_URL` and `AUTH_AUDIT_INGEST_SECRET` are configured, each audit record is also sent to `{auth_url}/api/v1/ingest/audit` with `source_app=bgp`."', async () => {
  const made = await service.make('/v1/communities', { community: '65000:100', title: 'Made' });
  const path = `/v1/communities/${made.id}`;
  await service.call('PATCH', path, { body: { title: 'Changed' } });
  await service.call('DELETE', path);
  const { body } = await service.call('GET', '/v1/audit?sort=at');
  const records = body.items as Body[];
  expect(records).toHaveLength(3);
  await expect.poll(() => portal.taken.length, { interval: 20 }).toBe(3);
  for (const [index, { url, headers, record }] of portal.taken.entries()) {
    expect(url).toBe('/api/v1/ingest/audit');
    expect(JSON.stringify(headers)).toContain(SECRET);
    expect(record).toMatchObject({ source_app: 'bgp', ...records[index] });
  }
});
