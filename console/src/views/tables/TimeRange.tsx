import { useNavigate } from '@tanstack/react-router';
import { useNow } from '../../design/behaviour/now.tsx';
import { rangeText } from '../../strings/range.ts';
import './time-range.css';

interface TimeRangeProps {
  /** Moments as the address has them; undefined: no such end. */
  readonly since: string | undefined;
  readonly until: string | undefined;
}

type Ends = Readonly<Partial<Record<'since' | 'until', string>>>;

/** From when to when: a part of the address, in which a day is a moment, so that a colleague elsewhere sees the same. */
export function TimeRange({ since, until }: TimeRangeProps) {
  const navigate = useNavigate();
  const now = useNow();
  const set = (ends: Ends): void =>
    void navigate({
      to: '.',
      search: ((before: Record<string, unknown>) => {
        const { since: _, until: __, ...rest } = before;
        return { ...rest, ...ends };
      }) as never,
      ...{ replace: true, resetScroll: false },
    });
  const ends = { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
  const field = (name: 'since' | 'until', label: string, value: string | undefined) => (
    <label className="time-range-end">
      <span className="muted">{label}</span>
      <input
        className="input"
        type="datetime-local"
        key={value}
        defaultValue={value === undefined ? '' : localOf(value)}
        onBlur={({ target }) => {
          const typed = momentOf(target.value);
          if (typed !== value) set(withEnd(ends, name, typed));
        }}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') set(withEnd(ends, name, momentOf(currentTarget.value)));
        }}
      />
    </label>
  );
  return (
    <div className="time-range" role="group" aria-label={rangeText.label}>
      <select
        className="input filter-select"
        aria-label={rangeText.label}
        value={rangeOf(ends, new Date(now))}
        onChange={({ target }) => set(RANGES[target.value as keyof typeof RANGES](new Date()))}
      >
        {rangeOf(ends, new Date(now)) === OTHER && (
          <option value={OTHER} disabled>
            {rangeText.chosen}
          </option>
        )}
        {Object.entries(rangeText.ranges).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      {field('since', rangeText.from, since)}
      {field('until', rangeText.to, until)}
    </div>
  );
}

const HOUR_MILLISECONDS = 3_600_000;
const LATE_MILLISECONDS = 600_000;

/** By the clock of whoever chooses them. */
const RANGES: Readonly<Record<keyof typeof rangeText.ranges, (now: Date) => Ends>> = {
  all: () => ({}),
  hour: (now) => ({ since: new Date(now.getTime() - HOUR_MILLISECONDS).toISOString() }),
  night: (now) => ({ since: hourOf(now, -1, 20), until: hourOf(now, 0, 8) }),
  today: (now) => ({ since: hourOf(now, 0, 0) }),
  yesterday: (now) => ({ since: hourOf(now, -1, 0), until: hourOf(now, 0, 0) }),
  week: (now) => ({ since: hourOf(now, -6, 0) }),
};

/** Of an address that somebody wrote, or that is older than its day. */
const OTHER = '';

/** Which of the ranges these times are today. */
function rangeOf(asked: Ends, now: Date): string {
  const found = Object.entries(RANGES).find(([, range]) => {
    const ends = range(now);
    return ends.since === asked.since && ends.until === asked.until;
  });
  return found?.[0] ?? (isLastHour(asked, now) ? 'hour' : OTHER);
}

/** The last hour is another one at each moment: it is called so for as long as somebody may take it for that, or arrow keys would begin at the first again. */
function isLastHour({ since, until }: Ends, now: Date): boolean {
  if (since === undefined || until !== undefined) return false;
  return Math.abs(now.getTime() - Date.parse(since) - HOUR_MILLISECONDS) < LATE_MILLISECONDS;
}

function hourOf(now: Date, days: number, hour: number): string {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour).toISOString();
}

function withEnd(ends: Ends, name: 'since' | 'until', moment: string | undefined): Ends {
  const { [name]: _, ...rest } = ends;
  return moment === undefined ? rest : { ...rest, [name]: moment };
}

/** What a field of a day and an hour has, as a moment. */
function momentOf(typed: string): string | undefined {
  const at = new Date(typed);
  return typed === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** As such a field wants it. */
function localOf(moment: string): string {
  const at = new Date(moment);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
