import type { ReactNode } from 'react';
import { text } from '../../strings/english.ts';
import { formatNumber } from '../../strings/format.ts';

/** Things of a kind that a cell names one by one. */
export const NAMED = 3;

/** Some things by their names, and how many others there are. */
export function FirstOf({ ids, link }: { ids: readonly string[]; link: (id: string) => ReactNode }) {
  return (
    <>
      {ids.slice(0, NAMED).map((id) => (
        <span key={id}>{link(id)} </span>
      ))}
      {ids.length > NAMED && text.andMore(formatNumber(ids.length - NAMED))}
    </>
  );
}
