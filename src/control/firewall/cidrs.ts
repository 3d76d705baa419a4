import type { FieldFault } from '../../api/problems/problem.ts';
import { formatPrefix, parsePrefix } from '../../core/prefix.ts';

/** What is wrong with a list of networks, by place. */
export function cidrFaults(field: string, cidrs: readonly string[] = []): FieldFault[] {
  return cidrs.flatMap((text, index) => {
    const parsed = parsePrefix(text);
    if (parsed.ok) return [];
    return [{ pointer: `/${field}/${index}`, detail: parsed.reason.replace(/[^.]$/, '$&.') }];
  });
}

/** Each network in its one form, once. */
export function canonicalCidrs(cidrs: readonly string[]): string[] {
  const texts = cidrs.map((text) => {
    const parsed = parsePrefix(text);
    return parsed.ok ? formatPrefix(parsed.value) : text;
  });
  return [...new Set(texts)];
}
