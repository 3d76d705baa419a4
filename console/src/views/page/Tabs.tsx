import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useShortcut } from '../../design/behaviour/shortcuts.tsx';
import './tabs.css';

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly (readonly [Name, string])[];
  readonly current: Name;
  /** Has no name in the address; undefined: the first one. */
  readonly unnamed?: Name;
}

/** Parts of a page. Which one is shown is in its address, so these are links. */
export function Tabs<Name extends string>({ label, tabs, current, unnamed }: TabsProps<Name>) {
  const nav = useRef<HTMLElement>(null);
  // In a narrow window it may be beyond the edge. Only the row of tabs is scrolled: the page stays where it is.
  useEffect(() => {
    const shown = nav.current!.querySelector<HTMLElement>('.is-current');
    if (shown !== null)
      nav.current!.scrollLeft = shown.offsetLeft + shown.offsetWidth - nav.current!.clientWidth;
  }, [current]);
  return (
    <nav ref={nav} className="tabs" aria-label={label}>
      {tabs.map(([name, title]) => (
        <Tab
          key={name}
          title={title}
          tab={name === (unnamed ?? tabs[0]![0]) ? undefined : name}
          isCurrent={name === current}
        />
      ))}
    </nav>
  );
}

interface TabProps {
  readonly title: string;
  /** As the address calls it. */
  readonly tab: string | undefined;
  readonly isCurrent: boolean;
}

/** The palette leads there as well. */
function Tab({ title, tab, isCurrent }: TabProps) {
  const navigate = useNavigate();
  const search = tab === undefined ? {} : { tab: tab as never };
  useShortcut('', title, isCurrent ? null : () => void navigate({ to: '.', search }));
  return (
    <Link
      to="."
      search={search}
      aria-current={isCurrent ? 'page' : undefined}
      className={isCurrent ? 'is-current' : ''}
    >
      {title}
    </Link>
  );
}
