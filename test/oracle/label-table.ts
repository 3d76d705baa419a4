import type { PrefixRows, PrefixTable } from '../../src/core/tables/prefix-table.ts';
import { BigPrefix } from './big-prefix.ts';

/** Prefixes with labels as a map from text to a set of strings. */
export class LabelTable {
  readonly #rows = new Map<string, { prefix: BigPrefix; labels: Set<string> }>();

  static of(table: PrefixTable): LabelTable {
    const model = new LabelTable();
    for (const rows of [table.ipv4, table.ipv6]) {
      BigPrefix.listOf(rows).forEach((prefix, i) => {
        const labels = table.labelSets[rows.labels[i]!]!;
        if (labels.length === 0) model.add(prefix, null);
        for (const label of labels) model.add(prefix, label);
      });
    }
    return model;
  }

  add(prefix: BigPrefix, label: string | null): void {
    const row = this.#rows.get(prefix.text) ?? { prefix, labels: new Set() };
    this.#rows.set(prefix.text, row);
    if (label !== null) row.labels.add(label);
  }

  /** `prefix labels`, sorted: two tables are equal when their lines are. */
  get lines(): string[] {
    return [...this.#rows]
      .map(([text, { labels }]) => `${text} ${JSON.stringify([...labels].sort())}`)
      .sort();
  }

  get prefixes(): BigPrefix[] {
    return [...this.#rows.values()].map((row) => row.prefix);
  }

  labelsOf(text: string): string | undefined {
    const row = this.#rows.get(text);
    return row === undefined ? undefined : JSON.stringify([...row.labels].sort());
  }

  /** Texts of the prefixes that came, went, or carry other labels in `after`. */
  diff(after: LabelTable): { announced: string[]; withdrawn: string[]; changed: string[] } {
    const before = [...this.#rows.keys()];
    return {
      announced: [...after.#rows.keys()].filter((text) => !this.#rows.has(text)).sort(),
      withdrawn: before.filter((text) => !after.#rows.has(text)).sort(),
      changed: before
        .filter((text) => after.#rows.has(text) && this.labelsOf(text) !== after.labelsOf(text))
        .sort(),
    };
  }
}

/** Texts of some rows of a table, by index. */
export function rowTexts(rows: PrefixRows, indices: Iterable<number>): string[] {
  const all = BigPrefix.listOf(rows);
  return Array.from(indices, (i) => all[i]!.text);
}
