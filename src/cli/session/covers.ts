/** Covers of peers whose routes are more than their limit: what they cost, and what takes the place of what. */
import { counted, total } from '../render/counted.ts';
import type { Schemas } from '#client';

type Peer = Schemas['PeerEffect'];

/** Prefixes that one cover adds, and peers whose routes are replaced, that are named. */
const NAMED = 3;

/** What a cover for the peer costs, or why it is sent none. */
export function coverText({
  fitted,
  unfitted,
  unfitted_cost: refused,
}: Pick<Peer, 'fitted' | 'unfitted' | 'unfitted_cost'>): string {
  if (unfitted !== null) return `, but it keeps what it has: ${unfitted}${holdersText(refused)}`;
  const costs = costsOf(fitted, true);
  return costs.length === 0 ? '' : `, with ${costs.join(' and ')} to fit its limit${holdersText(fitted)}`;
}

/** What it adds of each family. */
function costsOf(cover: Peer['fitted'], withPercent: boolean): string[] {
  return (['ipv4', 'ipv6'] as const).flatMap((family) => {
    const cost = cover?.[family] ?? null;
    const name = family === 'ipv4' ? 'IPv4' : 'IPv6';
    if (cost === null) return [];
    const percent = withPercent ? ` (${cost.added_percent} %)` : '';
    return [`${cost.added_addresses} foreign ${name} addresses${percent}`];
  });
}

/** What says who holds the largest of what is added, of each family. */
function holdersText(cost: Peer['fitted']): string {
  const added = [cost?.ipv4, cost?.ipv6].flatMap((one) => one?.added_prefixes?.slice(0, NAMED) ?? []);
  return added.length === 0 ? '' : `; who holds them: prefixcast holders ${added.join(' ')}`;
}

/** Peers that are sent other routes, and lose no address of a list by it, as finer routes in the place of a cover. Null: there are none. */
export function coversText({ speakers }: Pick<Schemas['Effect'], 'speakers'>): string | null {
  const texts = speakers.flatMap(({ name, peers }) =>
    peers
      .filter(({ lost, withdrawn }) => lost === 0 && withdrawn > 0)
      .map((peer) => {
        const { before, after, fitted_before: was, fitted: is } = peer;
        const [gone, added] = [costsOf(was, false), costsOf(is, false)];
        const costs = [
          ...(gone.length === 0 ? [] : [`without the ${gone.join(' and ')} of before`]),
          ...(added.length === 0 ? [] : [`with ${added.join(' and ')}`]),
        ].join(', ');
        const routes = `${counted(total(before), 'route')} become ${total(after)}`;
        return `${peer.name} at ${name}: ${routes}, covering the same addresses of lists${costs === '' ? '' : `, ${costs}`}`;
      }),
  );
  if (texts.length === 0) return null;
  const more = texts.length > NAMED ? `; and ${texts.length - NAMED} more` : '';
  return `${texts.slice(0, NAMED).join('; ')}${more}`;
}
