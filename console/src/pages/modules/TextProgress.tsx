import { useState } from 'react';
import { useNow } from '../../design/behaviour/now.tsx';
import { entriesText } from '../../strings/entries.ts';
import { formatDuration } from '../../strings/format.ts';
import '../../design/shown/skeleton.css';

const { text: words } = entriesText;

/** What is being done with a text. */
export interface TextStep {
  readonly what: 'previewed' | 'planned' | 'stored';
  /** Of the text, without its header. */
  readonly lines: number;
  /** Milliseconds since 1970. */
  readonly since: number;
}

export function stepOf(what: TextStep['what'], text: string): TextStep {
  const lines = text.split('\n').filter((line) => line.trim() !== '').length;
  return { what, lines: Math.max(0, lines - 1), since: Date.now() };
}

/** How far a text is: of a long one, each step takes a while. */
export function TextProgress({ step }: { step: TextStep }) {
  const now = useNow();
  const [begun] = useState(now);
  const seconds = Math.floor((now - Math.max(begun, step.since)) / 1_000);
  return (
    // What is done at once does not flicker.
    <div className="skeleton" role="status">
      <p className="muted">
        {words.steps[step.what](step.lines)} {/* Each second read aloud would be noise. */}
        {seconds > 0 && <span role="timer">{formatDuration(seconds)}</span>}
      </p>
    </div>
  );
}
