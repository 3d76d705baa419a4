/** What every benchmark prints alike. */
import { cpus, totalmem } from 'node:os';

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The machine the figures are from, since they mean nothing without it. */
export function machine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} x ${cpu?.model ?? 'unknown processor'}, ${memory} GiB, Node ${process.version}, ${process.platform}`;
}

/** One line of a benchmark: both medians in milliseconds, their ratio, and whether the goal is met. */
export function compared(
  title: string,
  own: readonly number[],
  peer: readonly number[],
  goal: number,
): string {
  const ratio = median(own) / median(peer);
  const verdict = ratio <= goal ? 'met' : 'NOT met';
  return `${title.padEnd(44)} ${shownTime(own)} ${shownTime(peer)}   ratio ${ratio.toPrecision(2)}  goal ${goal}: ${verdict}`;
}

/** The same of the least of each: of processor times, what is left when other work disturbed least. */
export function comparedLeast(title: string, own: readonly number[], peer: readonly number[]): string {
  const [ownLeast, peerLeast] = [Math.min(...own), Math.min(...peer)];
  const ratio = ownLeast / peerLeast;
  return `${title.padEnd(44)} ${shownTime([ownLeast])} ${shownTime([peerLeast])}   ratio ${ratio.toPrecision(2)}`;
}

/** One line of a time that people wait for: the median, the 95th percentile, and whether that is within the goal, in milliseconds. */
export function within(title: string, times: readonly number[], goal: number): string {
  const sorted = [...times].sort((a, b) => a - b);
  const late = sorted[Math.ceil(sorted.length * 0.95) - 1]!;
  const verdict = late <= goal ? 'met' : 'NOT met';
  return `${title.padEnd(44)} ${shownTime(times)}   95 % ${shownTime([late]).trim()}  goal ${goal} ms: ${verdict}`;
}

function shownTime(times: readonly number[]): string {
  const value = median(times);
  const shown = value >= 100 ? value.toFixed(0) : value.toPrecision(3);
  return `${shown} ms`.padStart(11);
}
