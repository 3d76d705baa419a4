import './lines.css';

interface LinesProps {
  readonly text: string;
  readonly label: string;
}

/** Lines that machines write: they are scrolled, and never broken. */
export function Lines({ text, label }: LinesProps) {
  return (
    <pre className="lines" tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
  );
}
