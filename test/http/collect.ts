import { parsePrefix } from '../../src/core/prefix.ts';
import { PrefixTableBuilder } from '../../src/core/tables/prefix-table.ts';
import { encodeTable } from '../../src/core/stored/table-codec.ts';
import { storeTable } from '../../src/store/contents/contents.ts';
import { saveSnapshot } from '../../src/store/modules/snapshots.ts';
import type { TestService } from './service.ts';

/**
 * Puts a snapshot in the place of the module's last one, as a refresh by another process does.
 * @param prefixes with the ids of the entries that each came from
 */
export async function collect(
  { database, tenant }: Pick<TestService, 'database' | 'tenant'>,
  moduleId: string,
  prefixes: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const builder = new PrefixTableBuilder();
  for (const [text, entryIds] of Object.entries(prefixes)) {
    const prefix = parsePrefix(text);
    if (!prefix.ok) throw new Error(prefix.reason);
    const { family, words, length } = prefix.value;
    for (const id of entryIds) builder.add(family, words, length, id);
  }
  const table = builder.build();
  const counts = { ipv4: table.ipv4.size, ipv6: table.ipv6.size };
  await database.db.inTenant(tenant.id, async (tx) =>
    saveSnapshot(tx, moduleId, await storeTable(tx, encodeTable(table), counts)),
  );
}
