import type { ReactNode } from 'react';
import { Badge, type Tone } from '../../design/shown/Badge.tsx';
import { Time } from '../../design/shown/Time.tsx';

interface LineProps {
  readonly tone: Tone;
  readonly word: string;
  readonly since?: string | undefined;
  readonly children: ReactNode;
}

/** One thing that needs somebody: a word, what it is, and since when. */
export function Line({ tone, word, since, children }: LineProps) {
  return (
    <>
      <Badge tone={tone}>{word}</Badge>
      <span className="attention-what">{children}</span>
      <span className="muted">{since !== undefined && <Time at={since} />}</span>
    </>
  );
}
