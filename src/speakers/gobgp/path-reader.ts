/** Reads the routes of the speaker from GoBGP, as a table whose labels are the communities on the wire. */
import { decodeAttributes } from '../../bgp/attribute-decoder.ts';
import { AttributeType } from '../../bgp/attributes.ts';
import { decodeNlri } from '../../bgp/nlri.ts';
import { UpdateSubcode } from '../../bgp/notification.ts';
import { concatOctets } from '../../bgp/octets.ts';
import { FAMILIES } from '../../core/address.ts';
import { formatCommunity, parseCommunity } from '../../core/community.ts';
import { PrefixTableBuilder, type PrefixTable } from '../../core/tables/prefix-table.ts';
import type { GobgpApi } from './api.ts';
import type { PathMessage } from './messages.ts';
import { familyMessage } from './path-encoder.ts';

/** GoBGP sorts everything before it answers, and takes half a minute for a million routes. */
const ANSWER_MILLISECONDS = 300_000;

/** The neighbour of routes that no peer sent. */
const FROM_API = '<nil>';

/** Reads every route of GoBGP, and keeps those that carry the mark. */
export async function readRoutes(api: GobgpApi, mark: string): Promise<PrefixTable> {
  const builder = new PrefixTableBuilder();
  const known = new Map<string, readonly string[] | null>();
  for (const family of FAMILIES) {
    const request = { family: familyMessage(family), enableOnlyBinary: true };
    const answers = api.list<{ destination: { paths: PathMessage[] } }>(
      'ListPath',
      request,
      ANSWER_MILLISECONDS,
    );
    for await (const { destination } of answers) {
      for (const { neighborIp, nlriBinary, pattrsBinary } of destination.paths) {
        if (neighborIp !== FROM_API) continue;
        // MP_REACH_NLRI repeats the prefix; without it equal routes have equal octets.
        const octets = concatOctets(pattrsBinary.filter(([, type]) => type !== AttributeType.mpReach));
        const key = Buffer.from(octets).toString('latin1');
        let labels = known.get(key);
        if (labels === undefined) known.set(key, (labels = labelsOf(octets, mark)));
        if (labels === null) continue;
        const { words, lengths } = decodeNlri(family, nlriBinary, UpdateSubcode.invalidNetwork);
        for (const label of labels.length === 0 ? [null] : labels)
          builder.add(family, words, lengths[0]!, label);
      }
    }
  }
  return builder.build();
}

/** The communities of a route of ours, without the mark; null for other routes. */
function labelsOf(octets: Uint8Array, mark: string): readonly string[] | null {
  const { attributes } = decodeAttributes(octets, { external: false, fourOctetAs: true });
  const large = attributes.largeCommunities.map((numbers) => numbers.join(':'));
  if (!large.includes(mark)) return null;
  const texts = [
    ...attributes.communities.map((value) => `${value >>> 16}:${value & 0xffff}`),
    ...large.filter((text) => text !== mark),
  ];
  return texts.flatMap((text) => {
    const parsed = parseCommunity(text);
    return parsed.ok ? [formatCommunity(parsed.value)] : [];
  });
}
