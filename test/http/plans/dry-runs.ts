/** What a dry run says, and the revision of what was edited. */
import { expect } from 'vitest';
import type { Effect } from '../../../src/api/revisions/plan.ts';
import { measureEffect } from '../../../src/control/previews/effect.ts';
import type { TestService } from '../service.ts';

/** Builds the revision of what was edited, as the job does. */
export async function build({ tenant, database, dependencies }: TestService): Promise<void> {
  await database.db.inTenant(tenant.id, (tx) =>
    measureEffect(
      tx,
      { queue: dependencies.queue, secrets: dependencies.secrets, actor: 'key:the operator' },
      () => Promise.resolve(),
    ),
  );
}

/** What the write would bring about. */
export async function dry(
  service: TestService,
  method: string,
  path: string,
  body?: unknown,
): Promise<Effect> {
  const { body: answer, text, status } = await service.call(method, `${path}?dry_run=true`, { body });
  expect(status, text).toBe(200);
  return answer.effect as Effect;
}

/** A module of ranges with the community 65000:7. @returns the path of its entries */
export async function makeList(service: TestService, ...cidrs: readonly string[]): Promise<string> {
  const community = await service.make('/v1/communities', { community: '65000:7', title: 'Seven' });
  const module = await service.make('/v1/modules', {
    ...{ name: 'ranges', type: 'IP_RANGES', community_id: community.id },
  });
  const list = `/v1/modules/${module.id}/ip-range-entries`;
  for (const cidr of cidrs) await service.make(list, { cidr });
  return list;
}
