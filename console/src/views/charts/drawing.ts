/** What a chart draws. The library that draws it is loaded apart. */

export type Pattern = 'hatched' | 'crossed';

export interface Series {
  readonly label: string;
  /** Name of a token, such as `--good`. */
  readonly colour: string;
  /** Of bars: what distinguishes them where colours do not. */
  readonly pattern?: Pattern;
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
  /** Of lines: what a place is called below them. */
  readonly formatPlace?: (at: number) => string;
}

/** The lines of a tile of a pattern, 12 wide and high, as SVG writes a path. */
export const PATTERNS: Readonly<Record<Pattern, string>> = {
  hatched: 'M-3 9 9-3M0 12 12 0M3 15 15 3',
  crossed: 'M-3 9 9-3M0 12 12 0M3 15 15 3M-3 3 9 15M0 0 12 12M3-3 15 9',
};

const DASHES: readonly (readonly number[])[] = [[], [8, 4], [2, 3], [8, 3, 2, 3], [12, 4], [4, 4], [1, 4]];

/** Lines differ by more than their colour. */
export function dashOf(series: number): readonly number[] {
  return DASHES[series % DASHES.length]!;
}
