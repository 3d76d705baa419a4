/**
 * The order of test files: the longest first, so that the run does not end with one file that everybody waits for. vitest knows how long files
 * took from the run before; a fresh clone has none, so the longest are named here. Parts of a run (`--shard`) get the same number of long ones.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** As the end of their paths; measured, see docs/decisions/suite-of-ten-minutes.md. */
const LONGEST = [
  'life/life.test.ts',
  'networks/networks.test.ts',
  'docs/commands.test.ts',
  'embedded/embedded-server.test.ts',
  'firewall/client.test.ts',
  'console/console.test.ts',
  'remote/golden.test.ts',
  'backup/refusals.test.ts',
  'speakers/truth.test.ts',
  'routers/bird.test.ts',
  'agent/withdrawal.test.ts',
  'rollout/retry-apply.test.ts',
  'audit/audit-delivery.test.ts',
  'lists/rollout.test.ts',
  'sources/bad-sources.test.ts',
  'gobgp/faults.test.ts',
  'faults/clocks.test.ts',
  'sick-peers-of-daemons.test.ts',
  'speakers/interop.test.ts',
  'frr/faults.test.ts',
  'agent/identity.test.ts',
  'several-peers.test.ts',
  'routers/sick-peers.test.ts',
  'rollout-faults.test.ts',
  'every-kind.test.ts',
  'frr/driver.test.ts',
  'http/generated-requests.test.ts',
  'http/activity/events.test.ts',
  'audit-every-route.test.ts',
  'jobs/worker.test.ts',
  'agent/deletion.test.ts',
  'faults/faults.test.ts',
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
