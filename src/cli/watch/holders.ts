/** Which ASes hold addresses, such as those that a cover for a peer would add. */
import { column, type Column, type Item } from '../nouns/noun.ts';
import { EXIT } from '../process/command-error.ts';
import { printList } from '../render/formats.ts';
import type { Session } from '../session/run-remote.ts';

const COLUMNS: readonly Column[] = [
  column('PREFIX', 'prefix'),
  column('AS', 'asn'),
  column('NAME', 'name'),
  column('WHERE', 'range'),
];

/** A row for each AS of each prefix; one without an AS where nobody is known. */
export async function holders({ client, format }: Session, prefixes: readonly string[]): Promise<number> {
  const { items } = await client.post('/v1/lookup/holders', { body: { prefixes: [...prefixes] } });
  const rows = items.flatMap(({ prefix, origins }): Item[] =>
    origins.length === 0
      ? [{ prefix, asn: null, name: null, range: null }]
      : origins.map((origin) => ({ prefix, ...origin })),
  );
  await printList({ items: rows, columns: COLUMNS, name: 'asn' }, format);
  return EXIT.ok;
}
