/** What a chart draws. The library that draws it is loaded apart. */

export interface Series {
  readonly label: string;
  /** Name of a token, such as `--good`. */
  readonly colour: string;
  /** One for each place; null: nothing there. */
  readonly values: readonly (number | null)[];
  /** What it has in each place, where that is not how high it is drawn. */
  readonly shown?: readonly number[];
}

export interface Drawing {
  /** `bars` are drawn one in front of the other, the last series foremost. */
  readonly kind: 'lines' | 'bars';
  /** What each place is called. Lines stand at their numbers, bars beside each other. */
  readonly places: readonly { readonly at: number; readonly label: string }[];
  readonly series: readonly Series[];
  /** Whether there is nothing between two neighbouring whole numbers. */
  readonly isWhole: boolean;
  readonly format: (value: number) => string;
}

const DASHES: readonly (readonly number[])[] = [[], [8, 4], [2, 3], [8, 3, 2, 3], [12, 4], [4, 4], [1, 4]];

/** Lines differ by more than their colour. */
export function dashOf(series: number): readonly number[] {
  return DASHES[series % DASHES.length]!;
}
