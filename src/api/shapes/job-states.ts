import { Type, type Static } from 'typebox';

export const JOB_STATES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export const JobState = Type.Enum(JOB_STATES);
export type JobState = Static<typeof JobState>;
