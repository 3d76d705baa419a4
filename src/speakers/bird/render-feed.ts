/** BIRD's side of the feed (feed-session.ts): the one session that routes come in by. Pure. */
import { FAMILIES } from '../../core/address.ts';
import { FEED_NEXT_HOP_IPV6, feedAddress, feedAsn } from '../feed-session.ts';
import { feedName, speakerTag, tableName } from './names.ts';

export interface FeedEndpoint {
  /** An IPv4 address of this machine, which only this machine reaches. */
  readonly address: string;
  readonly port: number;
}

/** A port of its own, so that it makes no difference how BIRD listens for its peers. */
export const DEFAULT_FEED: FeedEndpoint = { address: '127.0.0.1', port: 1179 };

/** BIRD's AS number in the session. That of no speaker, so that the session stays whatever becomes of the speaker's. */
export const BIRD_FEED_ASN = 4_294_967_293;

/**
 * The routes lose AS path and next hop, so that peers are sent what they would be sent of static routes; and they lead nowhere, as
 * those do.
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
    // Keeps the routes while the service is away, for as long as that asked for when it was there.
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
      // Nothing is sent, but without an address of the family BIRD opens no channel.
      ...(family === 'ipv6' ? [`    next hop address ${FEED_NEXT_HOP_IPV6};`] : []),
      '  };',
    ]),
    '}',
  ].join('\n');
}
