/** The client of the Prefixcast API. README.md shows how to use it. */
export { PrefixcastClient } from './client.ts';
export type { ClientOptions, ItemOf, ListPath, RequestOptions } from './client.ts';
export type { EventOptions } from './events.ts';
export type { components, operations, paths } from './generated/api.ts';
export { readEventStream } from './event-stream.ts';
export type { StreamedEvent, StreamPart } from './event-stream.ts';
export { Listing } from './pages.ts';
export type { Page } from './pages.ts';
export { ApiProblem, isRefusal } from './problem.ts';
export type { ProblemCode } from './problem.ts';
export { isSettled } from './retrying-fetch.ts';
export type { RetryPolicy } from './retrying-fetch.ts';
export type { ApiEvent, EventData, EventKind, Schemas } from './schemas.ts';
export { hasEnded, WaitTimeout } from './wait-for-job.ts';
export type { Job, JobChange, WaitOptions } from './wait-for-job.ts';
