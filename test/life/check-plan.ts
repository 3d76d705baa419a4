/** What the service says an edit would do, compared with what became of it. */
import type { RevisionDiff } from '../../src/api/revisions/diff.ts';
import type { Effect } from '../../src/api/revisions/plan.ts';
import type { Revision } from '../../src/api/revisions/revisions.ts';
import type { RevisionModel } from './model.ts';
import { isServed, isUnderLimit, receivedBy } from './received.ts';
import { Contradiction, type Happened, type Walk } from './walk.ts';

import type { Planned } from './plans.ts';

/** A plan says what the next revision is, how it differs, and what each peer is sent then. */
export async function checkPlan(walk: Walk, { revisions }: Happened): Promise<void> {
  const planned = walk.takePlan();
  const { life } = walk;
  if (planned === null || !life.autoRevision || planned.effect.uncollected_module_ids.length > 0) return;
  const { effect, before, isOnly, request } = planned;
  const made = revisions.at(-1);
  const fail = (what: string, said: unknown, found: unknown): never => {
    throw new Contradiction(
      `The plan of ${request} says ${what} is ${JSON.stringify(said)}, and it is ${JSON.stringify(found)}`,
    );
  };
  if (effect.revision === null) {
    if (isOnly && made !== undefined) fail('the next revision', null, made.number);
  } else if (made === undefined) {
    // An edit before it may have come to the same revision, before the plan was made.
    fail('the next revision', effect.revision, null);
  } else {
    const next = await walk.get<Revision>(`/v1/revisions/${made.id}`);
    const wordsOf = ({ state, prefix_count, findings, quarantined }: typeof effect.revision) => ({
      ...{ state, prefix_count, findings: findings.map(({ code }) => code) },
      quarantined: quarantined.map(({ module_id }) => module_id),
    });
    const [said, found] = [wordsOf(effect.revision), wordsOf(next)];
    if (JSON.stringify(said) !== JSON.stringify(found)) fail(`revision ${made.number}`, said, found);
    if (before !== null && revisions.length === 1) await checkDifference(walk, planned, before, made, fail);
  }
  // In a freeze it says what would come once all was applied, and that this does not follow.
  if (life.isFrozen && effect.applied_by_itself) fail('whether it is applied by itself', true, false);
  if (isOnly && life.autoApply && !life.isFrozen && made?.state !== 'held') checkPeers(walk, effect, fail);
}

type Fail = (what: string, said: unknown, found: unknown) => never;

async function checkDifference(
  walk: Walk,
  { effect }: Planned,
  before: RevisionModel,
  made: RevisionModel,
  fail: Fail,
): Promise<void> {
  const path = `/v1/revisions/${before.id}/diff/${made.id}?limit=${Math.max(1, effect.items.length)}`;
  const { summary, items } = await walk.get<RevisionDiff>(path);
  const { announced, withdrawn, changed } = summary;
  const found = { announced, withdrawn, changed };
  const said = {
    announced: effect.summary.announced,
    withdrawn: effect.summary.withdrawn,
    changed: effect.summary.changed,
  };
  const what = `the difference between ${before.number} and ${made.number}`;
  if (JSON.stringify(said) !== JSON.stringify(found)) fail(what, said, found);
  if (JSON.stringify(effect.items) !== JSON.stringify(items)) fail(what, effect.items, items);
}

/** Of peers that the plan names: who is sent what it was sent before is not among them. */
function checkPeers({ life }: Walk, { speakers }: Effect, fail: Fail): void {
  // By their names: what an edit would make has another id once it is made.
  for (const { name: speakerName, peers } of speakers) {
    const speaker = life.speakers.find(({ name }) => name === speakerName);
    for (const { name: peerName, after } of peers) {
      const peer = life.peers.find(({ name }) => name === peerName);
      const isUp = speaker !== undefined && peer !== undefined && isServed(peer, speaker);
      const sent = isUp ? receivedBy(peer, speaker, life.communities) : new Map<string, string[]>();
      if (peer !== undefined && !isUnderLimit(peer, sent)) continue;
      const lines = [...sent.keys()];
      const ipv6 = lines.filter((prefix) => prefix.includes(':')).length;
      const found = { ipv4: lines.length - ipv6, ipv6 };
      if (after.ipv4 !== found.ipv4 || after.ipv6 !== found.ipv6)
        fail(`what ${peerName} is sent by ${speakerName}`, after, found);
    }
  }
}
