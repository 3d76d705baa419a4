import { lightFetch } from './light-fetch.ts';
import { LightHeaders } from './light-headers.ts';
import { LightRequest } from './light-request.ts';
import { LightResponse } from './light-response.ts';

/** What asks whether a body is a form asks by this name, and that of Node.js loads undici. No command sends one. */
class NoForm {}

/**
 * Makes `fetch` and what belongs to it those of this folder, for this process: the client's library takes them from the global scope. Node.js
 * loads its own when one of the names is first read, or defined again; to assign them loads nothing.
 */
export function useLightFetch(): void {
  Object.assign(globalThis, {
    ...{ fetch: lightFetch, Headers: LightHeaders, Request: LightRequest, Response: LightResponse },
    FormData: NoForm,
  });
}
