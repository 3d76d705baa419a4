import { expect } from 'vitest';
import { MessageReader } from '../../../src/bgp/message-reader.ts';
import type { Negotiated } from '../../../src/bgp/negotiation.ts';
import { decodeUpdate } from '../../../src/bgp/update.ts';
import { formatAddress } from '../../../src/core/address.ts';
import type { Family } from '../../../src/core/address.ts';
import { formatPrefixAt } from '../../../src/core/prefix.ts';
import type { Feed } from '../../../src/speakers/builtin/feed.ts';

export const negotiated: Negotiated = {
  external: true,
  remoteAsn: 65_001,
  remoteIdentifier: 1,
  families: ['ipv4', 'ipv6'],
  holdTime: 90,
  fourOctetAs: true,
  routeRefresh: true,
  maxMessage: 4_096,
  gracefulRestart: null,
  gracefulNotification: false,
};

/** A peer that believes what it receives, and notes it. */
export class Listener {
  readonly routes = new Map<string, string>();
  announced: string[] = [];
  withdrawn: string[] = [];
  ended: Family[] = [];
  /** Most routes that it held at once. */
  most = 0;

  /** Takes all that the feed has, or `chunks` writes of it. */
  drain(feed: Feed, chunks = Infinity): this {
    for (let i = 0; i < chunks; i++) {
      const chunk = feed.next();
      if (chunk === null) break;
      this.read(chunk.octets);
    }
    return this;
  }

  read(octets: Uint8Array): void {
    const reader = new MessageReader();
    reader.push(octets);
    for (let message = reader.next(); message !== null; message = reader.next()) {
      const update = decodeUpdate(message.body, negotiated);
      expect(update.fault).toBeNull();
      if (update.endOfRib !== null) this.ended.push(update.endOfRib);
      for (const { nlri, nextHop } of update.announced) {
        const { communities, largeCommunities } = update.attributes;
        const from = formatAddress({ family: nlri.family, words: nextHop });
        for (let row = 0; row < nlri.size; row++) {
          const prefix = formatPrefixAt(nlri, row);
          this.announced.push(prefix);
          this.routes.set(prefix, `${from} ${[...communities, ...largeCommunities.map(String)].join(' ')}`);
          this.most = Math.max(this.most, this.routes.size);
        }
      }
      for (const nlri of update.withdrawn) {
        for (let row = 0; row < nlri.size; row++) {
          const prefix = formatPrefixAt(nlri, row);
          this.withdrawn.push(prefix);
          this.routes.delete(prefix);
        }
      }
    }
  }

  forget(): void {
    this.announced = [];
    this.withdrawn = [];
  }
}
