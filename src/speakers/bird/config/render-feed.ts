/** BIRD's side of the feed (feed-session.ts): the one session over which routes arrive. Pure. */
import { FAMILIES } from '../../../core/address.ts';
import { FEED_NEXT_HOP_IPV6, feedAddress, feedAsn } from '../../feed-session.ts';
import { feedName, speakerTag, tableName } from './names.ts';

export interface FeedEndpoint {
  /** An IPv4 address of this machine, which only this machine reaches. */
  readonly address: string;
  readonly port: number;
}

/** A separate port, so that it does not matter how BIRD listens for its peers. */
export const DEFAULT_FEED: FeedEndpoint = { address: '127.0.0.1', port: 1179 };

/** BIRD's AS number in the session. It differs from every speaker's, so that the session stays up when a speaker's changes. */
export const BIRD_FEED_ASN = 4_294_967_293;

/**
 * The routes lose their AS path and next hop, so that peers are sent the same as for static routes; and like those, they forward nowhere.
 */
export function renderFeed(speakerId: string, { address, port }: FeedEndpoint): string {
  const tag = speakerTag(speakerId);
  const from = feedAsn(BIRD_FEED_ASN);
  return [
    `protocol bgp ${feedName(tag)} {`,
    `  local ${address} port ${port} as ${BIRD_FEED_ASN};`,
    `  neighbor ${feedAddress(speakerId)} as ${from};`,
    '  multihop;',
    '  strict bind;',
    '  passive;',
    '  enable extended messages;',
    // Keeps the routes while the service is away, for as long as the service asked when it was connected.
    '  graceful restart on;',
    '  long lived graceful restart on;',
    ...FAMILIES.flatMap((family) => [
      `  ${family} {`,
      `    table ${tableName(tag, family)};`,
      '    import filter {',
      `      if bgp_path ~ [= ${from} =] then {`,
      '        bgp_path = +empty+;',
      '        unset(bgp_next_hop);',
      '        dest = RTD_BLACKHOLE;',
      '        accept;',
      '      }',
      '      reject;',
      '    };',
      '    export none;',
      // Nothing is sent, but BIRD opens no channel without an address of the family.
      ...(family === 'ipv6' ? [`    next hop address ${FEED_NEXT_HOP_IPV6};`] : []),
      '  };',
    ]),
    '}',
  ].join('\n');
}
