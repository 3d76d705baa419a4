/**
 * `prefixcast listen`: what a router would receive. receiver.ts holds the sessions, this file the routes they brought,
 * report.ts shows them, and ../commands/listen.ts is the command around them.
 */
import type { PathAttributes } from '../../bgp/attribute-decoder.ts';
import { SegmentType } from '../../bgp/attributes.ts';
import { formatAddress } from '../../core/address.ts';
import type { Family } from '../../core/address.ts';
import { formatCommunity, parseCommunity } from '../../core/community.ts';
import { formatPrefixAt } from '../../core/prefix.ts';
import type { Update } from '../../bgp/update.ts';

/** Attributes in the text that people read; routes that have them alike share one. */
export interface RouteText {
  readonly nextHop: string;
  /** ASes from the nearest to the origin, a set in braces; empty for iBGP. */
  readonly asPath: string;
  readonly communities: readonly string[];
}

export interface RouteChange {
  readonly prefix: string;
  /** null: withdrawn. */
  readonly route: RouteText | null;
}

export class ReceivedRoutes {
  readonly routes = new Map<string, RouteText>();
  readonly #texts = new Map<string, RouteText>();

  get size(): number {
    return this.routes.size;
  }

  /** Takes an UPDATE and returns what it changed, in its order. */
  take(update: Update): RouteChange[] {
    const changes: RouteChange[] = [];
    for (const nlri of update.withdrawn) {
      for (let row = 0; row < nlri.size; row++) {
        const prefix = formatPrefixAt(nlri, row);
        if (this.routes.delete(prefix)) changes.push({ prefix, route: null });
      }
    }
    for (const { nlri, nextHop } of update.announced) {
      const route = this.#text(update.attributes, formatAddress({ family: nlri.family, words: nextHop }));
      for (let row = 0; row < nlri.size; row++) {
        const prefix = formatPrefixAt(nlri, row);
        this.routes.set(prefix, route);
        changes.push({ prefix, route });
      }
    }
    return changes;
  }

  /** Routes per community, the most frequent first; `''` counts those without any. */
  byCommunity(): [community: string, routes: number][] {
    const counts = new Map<string, number>();
    for (const { communities } of this.routes.values()) {
      for (const community of communities.length === 0 ? [''] : communities) {
        counts.set(community, (counts.get(community) ?? 0) + 1);
      }
    }
    return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  }

  count(family: Family): number {
    let count = 0;
    for (const prefix of this.routes.keys()) if (prefix.includes(':') === (family === 'ipv6')) count++;
    return count;
  }

  #text(attributes: PathAttributes, nextHop: string): RouteText {
    const text = { nextHop, asPath: pathText(attributes), communities: communityTexts(attributes) };
    const key = JSON.stringify(text);
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    // A stranger's attributes may all differ; what is shared is only worth keeping while it is shared.
    if (this.#texts.size >= 10_000) this.#texts.clear();
    this.#texts.set(key, text);
    return text;
  }
}

function pathText({ asPath }: PathAttributes): string {
  return (asPath ?? [])
    .map(({ type, asns }) => (type === SegmentType.set ? `{${asns.join(',')}}` : asns.join(' ')))
    .join(' ');
}

function communityTexts({ communities, largeCommunities }: PathAttributes): string[] {
  const standard = communities.map((value) => `${value >>> 16}:${value & 0xffff}`);
  return [...standard, ...largeCommunities.map((numbers) => numbers.join(':'))].map((text) => {
    const parsed = parseCommunity(text);
    return parsed.ok ? formatCommunity(parsed.value) : text;
  });
}
