/** Schedules as people write them: minute, hour, day of the month, month and weekday, in UTC. */
import { Cron } from 'croner';

/** The next moment of the schedule after `from`; null: there is none. The schedule must have been checked. */
export function nextRun(schedule: string, from: Date): Date | null {
  return parse(schedule).nextRun(from);
}

/** What is wrong with the schedule, for a person; null: nothing. */
export function scheduleFault(schedule: string): string | null {
  try {
    if (parse(schedule).nextRun() !== null) return null;
    return `${JSON.stringify(schedule)} never comes. Name a day that exists.`;
  } catch {
    return (
      `${JSON.stringify(schedule)} is not a schedule of five fields: minute, hour, day of the month, month and weekday, ` +
      'such as "0 3 * * *" for 03:00 UTC every day.'
    );
  }
}

function parse(schedule: string): Cron {
  // Words such as @daily would be taken as well.
  if (schedule.split(' ').length !== 5) throw new TypeError('not five fields');
  return new Cron(schedule, { mode: '5-part', timezone: 'UTC', paused: true });
}
