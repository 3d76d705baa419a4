/** How the query and the body of a route are read. */
import { type TProperties, Type } from 'typebox';
import { Problem, fieldProblem } from '../../api/problems/problem.ts';
import { Strict } from '../../api/shapes/page.ts';
import { compileBody, compileQuery, type Check } from '../request/validation.ts';
import type { TenantRoute } from '../route.ts';
import { takesDryRun } from '../route-rules.ts';

/** The parameter of every write that can be taken back. */
const DryRunParameter = Type.Boolean({
  default: false,
  description:
    'Answers what would be answered, and what would be announced and withdrawn, and changes nothing',
});

/** The query that the route is asked with. */
export function querySchema(route: TenantRoute) {
  const members: TProperties = route.query?.properties ?? {};
  if (!takesDryRun(route)) return route.query ?? Strict({});
  const query = { ...members, dry_run: Type.Optional(DryRunParameter) };
  return Strict(query);
}

export function queryReader(route: TenantRoute): Check {
  return compileQuery(querySchema(route));
}

export function bodyReader(route: TenantRoute): Check {
  if (route.body === undefined)
    return (body) => {
      if (body === undefined || JSON.stringify(body) === '{}') return undefined;
      throw fieldProblem('', 'This operation takes no body; leave it out');
    };
  const check = compileBody(route.body, readOnlyNames(route));
  return (body) => {
    if (body !== undefined) return check(body);
    if (route.bodyOptional === true) return check({});
    throw new Problem(
      'malformed_request',
      'This operation needs a JSON body. Send one; /v1/openapi.json shows it.',
    );
  };
}

/** Fields that answers have and the body of the same operation has not. */
function readOnlyNames(route: TenantRoute): string[] {
  const response: { properties?: object } | undefined = route.response;
  return Object.keys(response?.properties ?? {});
}
