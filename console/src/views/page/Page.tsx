import type { ReactNode } from 'react';
import { text } from '../../strings/english.ts';
import './page.css';

interface PageProps {
  /** Of the tab, too. */
  readonly title: string;
  /** In place of the title, where the heading has more than words. */
  readonly heading?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, heading, actions, children }: PageProps) {
  return (
    <>
      <title>{`${title} · ${text.product}`}</title>
      <header className="page-head">
        <h1 id="page-title">{heading ?? title}</h1>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

/** A part of a page under a heading of its own. */
export function Section({
  title,
  aside,
  children,
}: {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="section">
      <header className="section-head">
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
