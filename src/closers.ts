/** How each thing that was started is stopped; the last one first. */
export type Closers = (() => Promise<void>)[];
