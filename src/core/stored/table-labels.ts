/** Label sets of a table that is assembled from parts, each with its own numbers. */
import { MAX_LABEL_CHARACTERS, compareLabelSets } from '../tables/label-sets.ts';
import { MAX_LABEL_MEMBERS } from './table-cut.ts';
import { TableCodecError } from './table-manifest.ts';

export class LabelSetCollector {
  /** Sets of one label, by far the most frequent, by that label. */
  readonly #singles = new Map<string, number>();
  readonly #numbers = new Map<string, number>();
  readonly #labelSets: (readonly string[])[] = [];
  #members = 0;
  #characters = 0;

  /** The number of the set until {@link finish}. Throws TableCodecError if a table can't hold them all. */
  numberOf(labels: readonly string[]): number {
    const isSingle = labels.length === 1;
    const numbers = isSingle ? this.#singles : this.#numbers;
    const key = isSingle ? labels[0]! : JSON.stringify(labels);
    let number = numbers.get(key);
    if (number === undefined) {
      number = this.#add(labels);
      numbers.set(key, number);
    }
    return number;
  }

  #add(labels: readonly string[]): number {
    this.#members += labels.length;
    if (this.#members > MAX_LABEL_MEMBERS) {
      throw new TableCodecError(`The label sets hold more than ${MAX_LABEL_MEMBERS} labels`);
    }
    for (const label of labels) this.#characters += label.length;
    if (this.#characters > MAX_LABEL_CHARACTERS) {
      throw new TableCodecError(`The label sets hold more than ${MAX_LABEL_CHARACTERS} characters`);
    }
    return this.#labelSets.push(labels) - 1;
  }

  /** The sets that the columns use, ascending; the numbers in the columns are replaced by places among them. */
  finish(columns: readonly Uint32Array[]): (readonly string[])[] {
    // Most tables have one set, which every row has.
    if (this.#labelSets.length === 1 && columns.some(({ length }) => length > 0)) return this.#labelSets;
    const used = new Uint8Array(this.#labelSets.length);
    for (const column of columns) {
      // By index: `for … of` takes six times as long on typed arrays.
      for (let i = column.length; i-- > 0;) used[column[i]!] = 1;
    }
    const order = this.#labelSets.map((labels, number) => ({ labels, number }));
    const sorted = order.filter(({ number }) => used[number] === 1);
    sorted.sort((a, b) => compareLabelSets(a.labels, b.labels));
    const places = new Uint32Array(order.length);
    sorted.forEach(({ number }, place) => (places[number] = place));
    if (places.some((place, number) => place !== number)) {
      for (const column of columns) for (let i = 0; i < column.length; i++) column[i] = places[column[i]!]!;
    }
    return sorted.map(({ labels }) => labels);
  }
}
