import type { ReactNode } from 'react';
import './badge.css';

export type Tone = 'good' | 'bad' | 'warning' | 'accent' | 'plain';

/** A state in a word; the colour only repeats it. */
export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>;
}
