/** Why an address or a name is announced or not: the console's first question, as text. */
import type { Schemas } from '#client';
import { bitsOf } from '../../core/address.ts';
import { parsePrefix } from '../../core/prefix.ts';
import { EXIT, UsageError } from '../process/command-error.ts';
import { print } from '../render/formats.ts';
import { coloured } from '../render/terminal.ts';
import type { Session } from '../session/run-remote.ts';

/** Resolves to 1 where it is not announced everywhere. */
export async function why(session: Session, asked: string): Promise<number> {
  const q = queryOf(asked);
  const lookup = await session.client.get('/v1/lookup', { params: { query: { q } } });
  if (session.format !== 'table') await printAsData(session, lookup);
  else await explain(session, asked, lookup);
  return lookup.announced.length > 0 && lookup.not_announced.length === 0 ? EXIT.ok : EXIT.no;
}

/** @throws {UsageError} for a prefix of several addresses: each may have another answer */
function queryOf(asked: string): string {
  if (!asked.includes('/')) return asked;
  const prefix = parsePrefix(asked);
  if (!prefix.ok) throw new UsageError(`${asked} cannot be read: ${prefix.reason}`);
  const { family, length } = prefix.value;
  if (length === bitsOf(family)) return asked.slice(0, asked.indexOf('/'));
  throw new UsageError(
    `${asked} has many addresses, and each may have another answer: ask for one of them. Routes that contain all of it: prefixcast revision prefixes applied --contains ${asked}`,
  );
}

async function printAsData({ format }: Session, lookup: Schemas['Lookup']): Promise<void> {
  const { printObject } = await import('../render/formats.ts');
  await printObject(lookup, { columns: [{ title: 'QUERY', of: 'query' }], name: 'query' }, format);
}

async function explain(
  { names }: Session,
  asked: string,
  { matches, announced, not_announced: not }: Schemas['Lookup'],
): Promise<void> {
  const known = await names.byId(['speaker', 'peer']);
  const called = (ids: readonly string[]): string => ids.map((id) => known.get(id) ?? id).join(', ');
  const lines = [verdict(asked, announced.length > 0, not.length > 0, matches.length > 0)];
  for (const { prefix, communities, speaker_ids: speakers } of announced) {
    const values = communities.map(({ community, title }) => `${community} (${title})`).join(', ');
    lines.push(
      `  ${prefix} by ${called(speakers)}${values === '' ? ', without communities' : `, with ${values}`}`,
    );
  }
  if (matches.length > 0) lines.push('', 'Lists that have it:');
  const seen = new Set<string>();
  for (const { module, entry, prefix } of matches) {
    const text = `  ${module.name}: ${entry.value}${prefix === undefined || prefix === entry.value ? '' : `, which has ${prefix}`}`;
    if (!seen.has(text)) lines.push(text);
    seen.add(text);
  }
  if (not.length > 0) lines.push('', announced.length > 0 ? 'Not everywhere, because:' : 'Because:');
  for (const { detail, reason, speaker_ids: speakers, peer_ids: peers } of not) {
    const where = [
      ...(peers.length > 0 ? [`peers ${called(peers)}`] : []),
      ...(speakers.length > 0 ? [`at ${called(speakers)}`] : []),
    ].join(' ');
    lines.push(
      `  ${coloured(reason.replaceAll('_', ' '), 'yellow')}${where === '' ? '' : ` (${where})`}: ${detail}`,
    );
  }
  print(`${lines.join('\n')}\n`);
}

function verdict(asked: string, isAnnounced: boolean, isMissing: boolean, isListed: boolean): string {
  if (isAnnounced && !isMissing) return coloured(`${asked} is announced`, 'green');
  if (isAnnounced) return coloured(`${asked} is announced, but not everywhere`, 'yellow');
  return coloured(`${asked} is not announced${isListed ? '' : ': no list has it'}`, 'red');
}
