import { type ModuleDraft, type ShareDraft, keyOf } from '../../../src/control/drafts/draft-module.ts';
import { parsePrefix } from '../../../src/core/prefix.ts';
import { contentHashOf, storedAs } from '../../../src/core/stored/stored-table.ts';
import { encodeTable } from '../../../src/core/stored/table-codec.ts';
import { PrefixTableBuilder } from '../../../src/core/tables/prefix-table.ts';
import type { RevisionInput } from '../../../src/store/revisions/revision-history.ts';
import type { ModuleInput } from '../../../src/store/revisions/revision-inputs.ts';
import { inputOf } from './inputs.ts';

/** The one entry of each list. */
export const ENTRY = '00000000-0000-4000-8000-000000000001';

/** What a list of these prefixes contributes. */
export function shareOf(prefixes: readonly string[], other: Partial<RevisionInput> = {}): ShareDraft {
  const builder = new PrefixTableBuilder();
  for (const text of prefixes) {
    const parsed = parsePrefix(text);
    if (!parsed.ok) throw new Error(parsed.reason);
    builder.add(parsed.value.family, parsed.value.words, parsed.value.length, ENTRY);
  }
  const table = builder.build();
  const stored = storedAs(encodeTable(table), null);
  const input = inputOf({ content_hash: contentHashOf(stored), ...other });
  const { purpose, families } = input;
  const policy = { purpose, families, groups: [{ communities: ['65000:1'], entryIds: ENTRY }] };
  return {
    ...{ key: keyOf(policy, input.content_hash), rows: prefixes.length, policy, input },
    content: { stored, prefixCount: { ipv4: table.ipv4.size, ipv6: table.ipv6.size } },
    ...{ known: null, table: null, entries: null, groups: null },
  };
}

/** The list as a revision is to have it. @param accepted what was accepted of it */
export function draftOf(
  latest: ShareDraft,
  accepted: ShareDraft | null = null,
  other: Partial<ModuleDraft> = {},
): ModuleDraft {
  const { module_id: id, purpose } = latest.input;
  return {
    module: { id, name: id, purpose } as ModuleInput,
    latest,
    accepted: accepted && {
      ...{ contentHash: accepted.input.content_hash, rows: accepted.rows },
      share: () => Promise.resolve(accepted),
    },
    ...{ changes: [], takenBack: null, isCorrected: false, isAsGivenBack: false },
    ...other,
  };
}
