import { text } from '../../strings/english.ts';
import './skeleton.css';

/** Stands where something is being read; it shows after 200 ms, so that what comes at once does not flicker. */
export function Skeleton({ lines = 4 }: { lines?: number }) {
  return (
    <div className="skeleton" role="status" aria-label={text.loading}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}
