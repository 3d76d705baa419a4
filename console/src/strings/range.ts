/** Of filters by time. */
export const rangeText = {
  label: 'Time',
  all: 'All times',
  chosen: 'These times',
  from: 'from',
  to: 'to',
  /** In the title of a tab. */
  shown: (since: string | null, until: string | null): string[] => [
    ...(since === null ? [] : [`from ${since}`]),
    ...(until === null ? [] : [`until ${until}`]),
  ],
  ranges: {
    all: 'All times',
    hour: 'The last hour',
    today: 'Today',
    night: 'Last night (20:00 to 8:00)',
    yesterday: 'Yesterday',
    week: 'The last 7 days',
  },
} as const;
