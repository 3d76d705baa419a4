import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import './tabs.css';

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly (readonly [Name, string])[];
  /** The first one has no name in the address. */
  readonly current: Name;
}

/** Parts of a page. Which one is shown is in its address, so these are links. */
export function Tabs<Name extends string>({ label, tabs, current }: TabsProps<Name>) {
  const nav = useRef<HTMLElement>(null);
  // In a narrow window it may be beyond the edge. Only the row of tabs is scrolled: the page stays where it is.
  useEffect(() => {
    const shown = nav.current!.querySelector<HTMLElement>('.is-current');
    if (shown !== null)
      nav.current!.scrollLeft = shown.offsetLeft + shown.offsetWidth - nav.current!.clientWidth;
  }, [current]);
  return (
    <nav ref={nav} className="tabs" aria-label={label}>
      {tabs.map(([name, title], at) => (
        <Link
          key={name}
          to="."
          search={at === 0 ? {} : { tab: name as never }}
          aria-current={name === current ? 'page' : undefined}
          className={name === current ? 'is-current' : ''}
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}
