/** What is compared after each step: revisions, differences, lookups, previews and what BIRD has. */
import type { Feed } from '../../src/api/feeds/feeds.ts';
import type { RevisionDiff } from '../../src/api/revisions/diff.ts';
import type { History } from '../../src/api/lookup/history.ts';
import type { Lookup, Lookups } from '../../src/api/lookup/lookup.ts';
import type { RevisionPreview } from '../../src/api/revisions/preview.ts';
import { waitFor } from '../daemons/wait.ts';
import type { FeedModel, RevisionModel, Routes } from './model.ts';
import { brokenBy } from './guardrails.ts';
import {
  isFitted,
  isLimited,
  isServed,
  isUnderLimit,
  isWithin,
  receivedBy,
  routesAround,
  servedBy,
} from './received.ts';
import { changesBetween, differenceOf, linesOf } from './routes.ts';
import { SAMPLES } from './universe.ts';
import { TIMEOUT_MS } from './requests.ts';
import { Contradiction, type Walk } from './walk.ts';

/** Equal contents have one hash, different ones two, in whatever way they came about. */
export function checkHashes({ life }: Walk): void {
  const byHash = new Map<string, string>();
  const byRoutes = new Map<string, string>();
  for (const { number, contentHash, routes } of life.revisions) {
    const text = linesOf(routes).join('\n');
    const same = byHash.get(contentHash) ?? text;
    const hash = byRoutes.get(text) ?? contentHash;
    if (same !== text || hash !== contentHash)
      throw new Contradiction(`Revision ${number} has not the content hash of its routes`);
    byHash.set(contentHash, text);
    byRoutes.set(text, contentHash);
  }
}

/** The difference between the two newest revisions is that of their routes. */
export async function checkDiff(walk: Walk): Promise<void> {
  const [before, after] = walk.life.revisions.slice(-2);
  if (before === undefined || after === undefined) return;
  const path = `/v1/revisions/${before.id}/diff/${after.id}?limit=10000`;
  const { summary, items } = await walk.get<RevisionDiff>(path);
  const wanted = changesBetween(before.routes, after.routes);
  const found = JSON.stringify({
    announced: summary.announced,
    withdrawn: summary.withdrawn,
    changed: summary.changed,
  });
  if (found !== JSON.stringify(wanted))
    throw new Contradiction(
      `The diff of revisions ${before.number} and ${after.number} says ${found}, and is ${JSON.stringify(wanted)}`,
    );
  const patched = new Map(before.routes);
  for (const { prefix, change, communities_after: communities } of items) {
    if (change === 'withdrawn') patched.delete(prefix);
    else patched.set(prefix, (communities ?? []).map(({ community }) => community).sort());
  }
  const difference = differenceOf(patched, after.routes);
  if (difference !== null)
    throw new Contradiction(
      `Revision ${before.number} with its diff to ${after.number} is not revision ${after.number}: ${difference}`,
    );
}

/**
 * What lookups say is announced of some addresses: the routes that hold them, with their communities and speakers. Each third step asks for one
 * after the other, which is another way through the service than the one of many at once.
 */
export async function checkLookups(walk: Walk): Promise<void> {
  const { life } = walk;
  const turn = walk.story.length;
  const asked = [0, 5, 11].map((step) => SAMPLES[(turn + step) % SAMPLES.length]!);
  const answers =
    turn % 3 === 0
      ? await Promise.all(asked.map((address) => walk.get<Lookup>(`/v1/lookup?q=${address}`)))
      : (await walk.post<Lookups>('/v1/lookup', { queries: asked })).items;
  for (const [index, address] of asked.entries()) {
    const wanted = new Set<string>();
    for (const { id, enabled, applied } of life.speakers) {
      if (applied === null || !enabled) continue;
      for (const prefix of routesAround(applied.routes, address))
        wanted.add(`${prefix} ${applied.routes.get(prefix)!.join(' ')} at ${id}`);
    }
    const { announced } = answers[index]!;
    const found = announced.flatMap(({ prefix, communities, speaker_ids: ids }) => {
      const values = communities.map(({ community }) => community).sort();
      return ids.map((id) => `${prefix} ${values.join(' ')} at ${id}`);
    });
    const names = (lines: Iterable<string>): string => [...lines].sort().join('; ');
    if (names(found) !== names(wanted))
      throw new Contradiction(
        `Lookup of ${address} says "${names(found)}", and announced is "${names(wanted)}"`,
      );
  }
}

/** What the history of an address tells of routes: the revisions that had others around it than the one before, the newest first. */
export async function checkHistory(walk: Walk): Promise<void> {
  const { life } = walk;
  const address = SAMPLES[walk.story.length % SAMPLES.length]!;
  const around = ({ routes }: RevisionModel): string[] =>
    routesAround(routes, address)
      .map((prefix) => `${prefix} ${routes.get(prefix)!.join(' ')}`.trim())
      .sort();
  const ready = life.revisions.filter(({ state }) => state === 'ready');
  const wanted = ready.flatMap((revision, place) => {
    const before = place === 0 ? '' : around(ready[place - 1]!).join();
    const after = around(revision);
    return before === after.join() ? [] : [`${revision.number}: ${after.join(', ')}`];
  });
  const { items } = await walk.get<History>(`/v1/history?prefix=${address}&limit=500`);
  const found = items
    .filter(({ change }) => change !== 'contributed')
    .map(({ revision, routes }) => {
      const lines = routes.map(({ prefix, communities }) =>
        [prefix, ...communities.map(({ community }) => community).sort()].join(' '),
      );
      return `${revision}: ${lines.sort().join(', ')}`;
    });
  if (found.join('; ') !== wanted.reverse().join('; '))
    throw new Contradiction(
      `The history of ${address} says "${found.join('; ')}", and it is "${wanted.join('; ')}"`,
    );
}

/** Which modules are held. */
export async function checkHeld(walk: Walk): Promise<void> {
  const { items } = await walk.get<{ items: { id: string; held: object | null }[] }>('/v1/modules?limit=100');
  const { kept, modules, slips } = walk.life;
  for (const { id, name, enabled, heldFor } of modules) {
    const isHeld = (items.find((item) => item.id === id)?.held ?? null) !== null;
    const stays = kept.has(id) || slips.has(id);
    const isDue = (enabled && heldFor !== null) || stays;
    if ((enabled || stays) && isHeld !== isDue)
      throw new Contradiction(
        `Module ${name} is ${!isDue ? 'held without a cause' : 'to be held, and is not'}`,
      );
  }
}

/** How many routes the preview of the latest revision promises to each peer, and which guardrails it finds broken now. */
export async function checkPreview(walk: Walk): Promise<void> {
  const { life } = walk;
  const { latest } = life;
  if (latest === null) return;
  const preview = await walk.get<RevisionPreview>(`/v1/revisions/${latest.id}/preview`);
  const broken = [...new Set(preview.findings.map(({ code }) => code))].sort().join();
  if (broken !== brokenBy(life, latest).join())
    throw new Contradiction(
      `The preview of revision ${latest.number} finds "${broken}", and it breaks "${brokenBy(life, latest).join()}"`,
    );
  for (const told of preview.speakers) {
    const speaker = life.speakers.find(({ id }) => id === told.speaker_id);
    if (speaker === undefined)
      throw new Contradiction(`The preview tells of a speaker that is gone: ${told.name}`);
    const change = changesBetween(speaker.applied?.routes ?? new Map(), latest.routes);
    if (told.difference.announced !== change.announced || told.difference.withdrawn !== change.withdrawn)
      throw new Contradiction(
        `The preview says ${JSON.stringify(told.difference)} of ${speaker.name}, and it is ${JSON.stringify(change)}`,
      );
    if (!speaker.enabled) continue;
    const served = life.peers.filter((peer) => isServed(peer, speaker));
    for (const peer of served) {
      const found = told.peers.find(({ peer_id: id }) => id === peer.id)?.prefix_count;
      const sent = receivedBy(peer, { ...speaker, applied: latest }, life.communities);
      if (!isUnderLimit(peer, sent)) continue;
      const lines = [...sent.keys()];
      const ipv6 = lines.filter((prefix) => prefix.includes(':')).length;
      if (found?.ipv6 !== ipv6 || found.ipv4 !== lines.length - ipv6)
        throw new Contradiction(
          `The preview says ${JSON.stringify(found)} of ${peer.name} at ${speaker.name}, and it is ${lines.length - ipv6} and ${ipv6}`,
        );
    }
    if (told.peers.length !== served.length)
      throw new Contradiction(
        `The preview tells of ${told.peers.length} peers of ${speaker.name}, not ${served.length}`,
      );
  }
}

/** What the feed serves; null: it never had a content. */
function textOf(walk: Walk, { path }: FeedModel): Promise<string | null> {
  return walk.text(path).catch(() => null);
}

/** What feeds serve of the revision that speakers run. */
export async function checkFeeds(walk: Walk): Promise<void> {
  const { feeds, speakers } = walk.life;
  const running = new Set(
    speakers.flatMap(({ enabled, applied }) => (enabled && applied !== null ? [applied] : [])),
  );
  const [applied] = running;
  // Of several, the one counts that was applied last, which the model does not know.
  if (applied === undefined || running.size > 1) return;
  for (const feed of feeds) {
    const rows = servedBy(feed, applied);
    const wanted = rows.join(' ');
    let found = '';
    await waitFor(
      async () => {
        const text = isWithin(feed, rows) ? await walk.text(feed.path) : await textOf(walk, feed);
        const lines = (text ?? '').split('\n').filter(Boolean);
        found = lines.sort().join(' ');
        if (text !== null && (isWithin(feed, rows) ? found === wanted : isFitted(feed, lines, rows)))
          return true;
        // Where there is no cover that takes nobody else's addresses, the last content stays.
        const { status } = await walk.get<Feed>(`/v1/feeds/${feed.id}`);
        return !isWithin(feed, rows) && (status === 'stale' || status === 'failed');
      },
      { what: `the feed ${feed.name}`, timeoutMs: TIMEOUT_MS, everyMs: 50 },
    ).catch(() => {
      throw new Contradiction(
        `The feed ${feed.name} serves "${found}", and revision ${applied.number} has "${wanted}"`,
      );
    });
  }
}

/** What BIRD has from each speaker at each address is what the model says; it is given the time that a session takes. */
export async function checkBird(walk: Walk): Promise<void> {
  const { life, place, world } = walk;
  for (const [peerPlace, address] of place.peers.entries())
    for (const [speakerPlace] of place.speakers.entries()) {
      const peer = life.peers.find((one) => one.place === peerPlace);
      const speaker = life.speakers.find((one) => one.place === speakerPlace);
      const isUp = peer !== undefined && speaker !== undefined && isServed(peer, speaker);
      const wanted: Routes = isUp ? receivedBy(peer, speaker, life.communities) : new Map<string, string[]>();
      const isOver = isUp && !isUnderLimit(peer, wanted);
      let difference: string | null = null;
      let state = '';
      let told = '';
      await waitFor(
        async () => {
          const session = await world.session(place, peerPlace, speakerPlace);
          state = session.state;
          told = session.text.split('\n').slice(0, 6).join('\n');
          if ((state === 'established') !== isUp) return false;
          if (isOver) {
            const found = await world.received(place, peerPlace, speakerPlace);
            difference = `${[...found.keys()].join(', ')} of ${[...wanted.keys()].join(', ')}, with the limit ${peer.most}`;
            return isLimited(peer, found, wanted);
          }
          const counted = (session.channels.ipv4?.imported ?? 0) + (session.channels.ipv6?.imported ?? 0);
          if (counted !== wanted.size) {
            difference = `${counted} routes instead of ${wanted.size}`;
            return false;
          }
          difference = differenceOf(await world.received(place, peerPlace, speakerPlace), wanted);
          return difference === null;
        },
        { what: 'BIRD', timeoutMs: TIMEOUT_MS, everyMs: 20 },
      ).catch(() => {
        const who = `BIRD at ${address} (${peer?.name ?? 'no peer'}, ${speaker?.name ?? 'no speaker'})`;
        throw new Contradiction(
          (state === 'established') === isUp
            ? `${who} has other routes than it is to have: ${difference}`
            : `${who}: the session is ${state}, and it is ${isUp ? 'to be established' : 'not to be'}\n${told}`,
        );
      });
    }
}
