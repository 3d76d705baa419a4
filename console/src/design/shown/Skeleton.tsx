import { text } from '../../strings/english.ts';
import './skeleton.css';

interface SkeletonProps {
  readonly lines?: number;
  /** What is waited for. */
  readonly what?: string;
}

/** Stands where something is being read, and says so; it shows after 200 ms, so that what comes at once does not flicker. */
export function Skeleton({ lines = 4, what = text.loading }: SkeletonProps) {
  return (
    <div className="skeleton" role="status">
      <p className="muted">{what}</p>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}
