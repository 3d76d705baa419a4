import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBundle } from '../../../src/bundle/open-bundle.ts';
import { startNodeService, type NodeService } from './node-service.ts';

let service: NodeService;
beforeAll(async () => {
  service = await startNodeService();
});
afterAll(() => service.close());

test('in the place of a stored bundle that cannot be opened any more its node gets another one', async () => {
  await service.apply(await service.revisionOf(['192.0.2.0/24']));
  const before = await service.assigned();
  await service.database.admin(
    'UPDATE speaker_bundle SET sealed = set_byte(sealed, 30, get_byte(sealed, 30) # 1) WHERE speaker_id = $1',
    [service.speakerId],
  );
  // As for one that was replaced meanwhile: the node asks for the latest.
  expect((await service.pull(before.bundle.url)).status).toBe(404);
  const after = await service.assigned();
  expect(after.sequence).toBeGreaterThan(before.sequence);
  const { status, bytes } = await service.pull(after.bundle.url);
  expect(status).toBe(200);
  expect(openBundle(bytes, await service.reader()).manifest).toMatchObject({ sequence: after.sequence });
});
