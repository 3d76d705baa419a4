/** The speakers that applies go to first, as they are deleted. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.close());

test('the last canary stays until the setting names another, or none', async () => {
  const make = async (name: string) =>
    String((await service.make('/v1/speakers', { name, local_asn: 64512 })).id);
  const [first, second] = [await make('first'), await make('second')];
  const setCanaries = (ids: string[]) =>
    service.call('PATCH', '/v1/settings', { body: { deploy_canary_speaker_ids: ids } });
  const remove = (id: string) => service.call('DELETE', `/v1/speakers/${id}`);
  await setCanaries([first, second.toUpperCase()]);
  expect(await remove(first)).toMatchObject({ status: 204 });
  expect(await remove(second)).toMatchObject({
    status: 409,
    body: {
      code: 'in_use',
      detail:
        'Applies go to second first (deploy_canary_speaker_ids), and would go to nobody without it. Choose other canaries, or set that to [] to do without; then delete it.',
    },
  });
  expect(await setCanaries([])).toMatchObject({ status: 200 });
  expect(await remove(second)).toMatchObject({ status: 204 });
});
