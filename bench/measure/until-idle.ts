import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../../demo/service.ts';

const LOOK_MS = 100;

interface Pending {
  readonly pending_changes: { readonly count: number };
}

/** No job is open, and every edit is in a revision, or held. */
export async function untilIdle(service: Service): Promise<void> {
  while (!(await isIdle(service))) await sleep(LOOK_MS);
}

async function isIdle(service: Service): Promise<boolean> {
  for (const state of ['queued', 'running'])
    if ((await service.get<{ items: unknown[] }>(`/v1/jobs?state=${state}`)).items.length > 0) return false;
  const { items } = await service.get<{ items: Pending[] }>('/v1/modules');
  return items.every(({ pending_changes: { count } }) => count === 0);
}
