import {
  ApiKey,
  ApiKeyCreate,
  ApiKeyCreated,
  ApiKeyPatch,
  ApiKeyQuery,
  ApiKeyRotate,
} from '../../../api/access/api-keys.ts';
import { PageOf } from '../../../api/shapes/page.ts';
import { changeApiKey, createApiKey, revokeApiKey, rotateApiKey } from '../../../control/access/api-keys.ts';
import { getApiKey, listApiKeys } from '../../../store/keys/api-keys.ts';
import { created, readResource } from '../../answer.ts';
import { CREATED, tenantRoute, type ReadRequest } from '../../route.ts';

const tag = 'API keys';
const path = '/v1/api-keys';
const item = `${path}/{id}` as const;
const params = { id: 'API key' } as const;
const read = ({ tx, params: { id } }: ReadRequest<'id'>) => getApiKey(tx, id);

export const apiKeyRoutes = [
  tenantRoute({
    method: 'GET',
    path,
    operation: 'listApiKeys',
    permission: 'bgp:keys:read',
    tag,
    summary: 'List API keys',
    status: 200,
    query: ApiKeyQuery,
    response: PageOf(ApiKey),
    handler: async ({ tx, query }) => ({ body: await listApiKeys(tx, query) }),
  }),
  tenantRoute({
    method: 'POST',
    path,
    operation: 'createApiKey',
    permission: 'bgp:keys:write',
    audit: 'api_key.create',
    read: CREATED,
    tag,
    summary: 'Create an API key',
    description: 'The answer holds the secret, which is shown only once. No key creates a stronger one.',
    status: 201,
    problems: ['role_escalation'],
    body: ApiKeyCreate,
    example: { name: 'looking glass', role: 'viewer', expires_at: '2030-01-01T00:00:00Z' },
    response: ApiKeyCreated,
    handler: async ({ tx, context, body }) => created(path, await createApiKey(tx, context, body)),
  }),
  tenantRoute({
    method: 'GET',
    path: item,
    operation: 'getApiKey',
    permission: 'bgp:keys:read',
    tag,
    summary: 'Read an API key',
    status: 200,
    params,
    response: ApiKey,
    handler: async (request) => readResource(await read(request)),
  }),
  tenantRoute({
    method: 'PATCH',
    path: item,
    operation: 'changeApiKey',
    permission: 'bgp:keys:write',
    audit: 'api_key.change',
    read,
    tag,
    summary: 'Rename an API key or set when it expires',
    status: 200,
    problems: ['role_escalation', 'last_super_admin'],
    params,
    body: ApiKeyPatch,
    example: { expires_at: null },
    response: ApiKey,
    handler: async ({ tx, context, params: { id }, body, ifMatch }) =>
      readResource(await changeApiKey(tx, context, id, body, ifMatch)),
  }),
  tenantRoute({
    method: 'DELETE',
    path: item,
    operation: 'revokeApiKey',
    permission: 'bgp:keys:write',
    audit: 'api_key.revoke',
    read,
    tag,
    summary: 'Revoke an API key',
    description: 'It stops working within a second and stays listed with its `revoked_at`.',
    status: 204,
    problems: ['role_escalation', 'last_super_admin'],
    params,
    handler: async ({ tx, context, params: { id }, ifMatch }) => {
      await revokeApiKey(tx, context, id, ifMatch);
      return {};
    },
  }),
  tenantRoute({
    method: 'POST',
    path: `${item}/rotate`,
    operation: 'rotateApiKey',
    permission: 'bgp:keys:write',
    audit: 'api_key.rotate',
    read,
    tag,
    summary: 'Rotate the secret of an API key',
    description:
      'The answer holds the new secret, which is shown only once. Without `grace_seconds` the old one stops working within a second.',
    status: 200,
    problems: ['role_escalation', 'conflict'],
    params,
    body: ApiKeyRotate,
    bodyOptional: true,
    example: { grace_seconds: 3600 },
    response: ApiKeyCreated,
    handler: async ({ tx, context, params: { id }, body }) =>
      readResource(await rotateApiKey(tx, context, id, body)),
  }),
];
