import type { FieldFault } from '../api/problems/problem.ts';
import { formatPrefix, parsePrefix } from '../core/prefix.ts';

/** Networks that a body lists: each in its one form, once; and what is wrong with the others, by place. */
export function readNetworks(
  field: string,
  texts: readonly string[] = [],
): { readonly networks: string[]; readonly faults: FieldFault[] } {
  const faults: FieldFault[] = [];
  const networks = texts.flatMap((text, index) => {
    const parsed = parsePrefix(text.trim());
    if (parsed.ok) return [formatPrefix(parsed.value)];
    faults.push({ pointer: `/${field}/${index}`, detail: parsed.reason.replace(/[^.]$/, '$&.') });
    return [];
  });
  return { networks: [...new Set(networks)], faults };
}
