import type { ReactNode } from 'react';
import { Copy } from './Copy.tsx';
import './empty.css';

interface EmptyProps {
  readonly title: string;
  /** What this would be. */
  readonly what: string;
  /** What somebody would do next; false where the key may not do it. */
  readonly action: ReactNode;
  /** The same on the command line. */
  readonly command: string;
}

export function Empty({ title, what, action, command }: EmptyProps) {
  return (
    <section className="empty">
      <h2>{title}</h2>
      <p className="muted">{what}</p>
      {action}
      <p className="command">
        <code>{command}</code>
        <Copy value={command} />
      </p>
    </section>
  );
}
