/**
 * The order of test files: the longest first, so that the run does not end with one file that everybody waits for. vitest knows how long files
 * took from the run before; a fresh clone has none, so the longest are named here. Parts of a run (`--shard`) get the same number of long ones.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** As the end of their paths; measured, see docs/decisions/suite-of-ten-minutes.md. */
export const LONGEST = [
  'life/life.test.ts',
  'networks/networks.long.test.ts',
  'docs/commands.test.ts',
  'agent/lifecycle.test.ts',
  'embedded/embedded-server.long.test.ts',
  'firewall/killed-client.long.test.ts',
  'firewall/client.long.test.ts',
  'console/console.test.ts',
  'tree/golden.long.test.ts',
  'backup/refusals.long.test.ts',
  'speakers/truth.long.test.ts',
  'routers/bird.test.ts',
  'description/contract.long.test.ts',
  'agent/withdrawal.long.test.ts',
  'watch/why.long.test.ts',
  'sets/compiled-modules.long.test.ts',
  'rollout/retry-apply.long.test.ts',
  'audit/audit-delivery.long.test.ts',
  'lists/rollout.long.test.ts',
  'sources/bad-sources.long.test.ts',
  'gobgp/faults.long.test.ts',
  'faults/clocks.long.test.ts',
  'sick-peers-of-daemons.long.test.ts',
  'speakers/interop.long.test.ts',
  'frr/faults.long.test.ts',
  'agent/identity.long.test.ts',
  'several-peers.long.test.ts',
  'routers/sick-peers.long.test.ts',
  'rollout-faults.long.test.ts',
  'every-kind.long.test.ts',
  'frr/driver.long.test.ts',
  'http/generated-requests.long.test.ts',
  'http/activity/events.long.test.ts',
  'audit-every-route.test.ts',
  'server/route-table.test.ts',
  'builtin/busy-sessions.test.ts',
  'revisions/pending-changes.test.ts',
  'collection/refresh.test.ts',
  'watch/status.long.test.ts',
  'tree/afternoon.test.ts',
  'rollout/apply.test.ts',
  'jobs/worker.long.test.ts',
  'agent/deletion.long.test.ts',
  'faults/faults.long.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }

  /** Deals the files out in turns, so that whoever names a part always gets the same ones. */
  override shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index, count } = this.ctx.config.shard!;
    const dealt = files.toSorted((a, b) => placeOf(a) - placeOf(b) || (a.moduleId < b.moduleId ? -1 : 1));
    return Promise.resolve(dealt.filter((_, place) => place % count === index - 1));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const index = LONGEST.findIndex((end) => moduleId.endsWith(`/${end}`));
  return index < 0 ? LONGEST.length : index;
}
