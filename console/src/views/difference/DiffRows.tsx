import { Link } from '@tanstack/react-router';
import { useEffect, useId, useState } from 'react';
import { useShortcut } from '../../design/behaviour/shortcuts.tsx';
import type { DiffSummary, RevisionChange } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { Community } from '../resources/Community.tsx';
import { useGridWindow } from '../../design/behaviour/grid-window.ts';
import { GridHead } from '../../design/shown/GridHead.tsx';
import { Prefix } from '../../design/shown/Prefix.tsx';
import './diff-rows.css';

interface DiffRowsProps {
  readonly label: string;
  readonly summary: DiffSummary;
  /** Those that were read so far. */
  readonly rows: readonly RevisionChange[];
  /** Reads the next ones. */
  readonly onEnd: () => void;
  /** Called with the route that is selected. */
  readonly onSelect?: ((prefix: string) => void) | undefined;
}

/** Routes that differ: a million of them are a hundred in the page. `j` and `k` walk, `x` shows the communities. */
export function DiffRows({ label, summary, rows, onEnd, onSelect }: DiffRowsProps) {
  const id = useId();
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const { scroll, active, setActive, virtual, items, goTo } = useGridWindow(
    rows.length,
    (index) => rows[index]!.prefix,
    onEnd,
  );

  const selected = rows[active]?.prefix;
  useEffect(() => {
    if (selected !== undefined) onSelect?.(selected);
  }, [selected, onSelect]);

  const toggle = (index: number): void => {
    const prefix = rows[index]?.prefix;
    if (prefix === undefined) return;
    const next = new Set(expanded);
    if (!next.delete(prefix)) next.add(prefix);
    setExpanded(next);
  };
  useShortcut('j', text.compare.next, () => goTo(active + 1));
  useShortcut('k', text.compare.previous, () => goTo(active - 1));
  useShortcut('x', text.compare.expand, () => toggle(active));

  const all = summary.announced + summary.withdrawn + summary.changed;
  if (all === 0) return <p className="muted">{text.compare.same}</p>;
  return (
    <div
      ref={scroll}
      className="diff"
      style={{ blockSize: virtual.getTotalSize() + 2 }}
      role="grid"
      aria-label={label}
      aria-rowcount={all + 1}
      aria-activedescendant={`${id}-${active}`}
      tabIndex={0}
    >
      <GridHead columns={text.compare.columns} />
      <div role="rowgroup" className="diff-rows" style={{ blockSize: virtual.getTotalSize() }}>
        {items.map(({ index, start, key }) => (
          <div
            key={key}
            id={`${id}-${index}`}
            ref={virtual.measureElement}
            data-index={index}
            role="row"
            aria-rowindex={index + 2}
            aria-selected={index === active}
            className="diff-row"
            style={{ transform: `translateY(${start}px)` }}
            onClick={() => {
              setActive(index);
              toggle(index);
            }}
          >
            <DiffRow change={rows[index]!} isExpanded={expanded.has(rows[index]!.prefix)} />
          </div>
        ))}
      </div>
    </div>
  );
}

function DiffRow({ change, isExpanded }: { change: RevisionChange; isExpanded: boolean }) {
  const { prefix, change: kind, communities_before: before, communities_after: after } = change;
  return (
    <>
      <span role="gridcell" className={`diff-sign change-${kind}`} aria-label={text.changes[kind]}>
        {text.changeSigns[kind]}
      </span>
      <span role="gridcell" className="diff-prefix">
        <Prefix prefix={prefix} />
      </span>
      <span role="gridcell" className="diff-communities">
        {isExpanded ? (
          <span className="diff-expanded">
            {before.map(({ community, title }) => (
              <span key={`-${community}`} className="change-withdrawn">
                {text.changeSigns.withdrawn} <Community community={community} title={title} />
              </span>
            ))}
            {after.map(({ community, title }) => (
              <span key={`+${community}`} className="change-announced">
                {text.changeSigns.announced} <Community community={community} title={title} />
              </span>
            ))}
            <Link to="/lookup" search={{ q: prefix }} onClick={(event) => event.stopPropagation()}>
              {text.compare.lookUp}
            </Link>
          </span>
        ) : (
          (after.length > 0 ? after : before).map(({ community }) => (
            <Community key={community} community={community} />
          ))
        )}
      </span>
    </>
  );
}
