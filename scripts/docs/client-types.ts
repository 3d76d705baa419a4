/** client/src/generated/api.ts: the types of the published client, from the description that the service itself gives. */
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { describeApi } from '../../src/http/description/openapi.ts';
import { ROUTES } from '../../src/http/server/route-table.ts';

const HEADER = '/** Made by `npm run docs` from the description of the API; do not edit. */\n';

interface Operation {
  parameters?: { readonly in?: string; readonly $ref?: string }[];
  responses: Record<string, { headers?: unknown }>;
}

export async function clientTypes(): Promise<string> {
  const version = {
    name: 'prefixcast',
    version: '',
    commit: null,
    built_at: null,
    node: '',
    api: 'v1',
  } as const;
  // As clients see it: through JSON.
  const description = JSON.parse(JSON.stringify(describeApi(ROUTES, version, null))) as OpenAPI3;
  for (const methods of Object.values(description.paths ?? {}))
    for (const operation of Object.values(methods as Record<string, Operation>)) keepTypedParts(operation);
  return HEADER + astToString(await openapiTypescript(description, { alphabetize: true }));
}

/** The client throws every problem as one class, and sets and reads headers by itself: said at each operation, they are nine tenths of the file. */
function keepTypedParts(operation: Operation): void {
  operation.parameters = (operation.parameters ?? []).filter(
    (parameter) => parameter.in === 'path' || parameter.in === 'query',
  );
  operation.responses = Object.fromEntries(
    Object.entries(operation.responses)
      .filter(([status]) => status.startsWith('2'))
      .map(([status, { headers: _, ...answer }]) => [status, answer]),
  );
}
