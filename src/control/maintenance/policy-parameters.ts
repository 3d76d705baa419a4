import { Check } from 'typebox/value';
import type { TSchema } from 'typebox';
import {
  MAINTENANCE_KINDS,
  type MaintenanceKind,
  type MaintenanceParameters,
} from '../../api/operation/maintenance.ts';
import type { FieldFault } from '../../api/problems/problem.ts';
import { refuseFaults } from '../body-faults.ts';

/** What a parameter is in a policy; null only where that is its default. */
type ParameterValue<Name, Parameter> =
  | NonNullable<MaintenanceParameters[Name & keyof MaintenanceParameters]>
  | (Parameter extends { readonly default: null } ? null : never);

/** Every parameter that a kind takes, with its default where nothing is said. */
export type PolicyParameters = {
  readonly [Kind in MaintenanceKind]: {
    readonly [Name in keyof (typeof MAINTENANCE_KINDS)[Kind]['parameters']]: ParameterValue<
      Name,
      (typeof MAINTENANCE_KINDS)[Kind]['parameters'][Name]
    >;
  };
};

/**
 * The parameters of a policy of the kind, complete.
 * @throws {Problem} `validation_failed` where one is not of the kind, or not within its limits
 */
export function completeParameters(
  kind: MaintenanceKind,
  given: Readonly<Record<string, unknown>>,
): MaintenanceParameters {
  const known: Readonly<Record<string, { schema: TSchema; default: unknown }>> =
    MAINTENANCE_KINDS[kind].parameters;
  const names = Object.keys(known);
  refuseFaults(
    Object.entries(given).flatMap(([name, value]): FieldFault[] => {
      const pointer = `/parameters/${name}`;
      const parameter = known[name];
      if (parameter === undefined)
        return [
          {
            pointer,
            detail: `is not a parameter of ${kind}, which takes ${names.join(', ')}. Leave it out.`,
          },
        ];
      if (Check(parameter.schema, value)) return [];
      return [
        {
          pointer,
          detail: `must be ${rangeOf(parameter.schema)} for ${kind}; it is ${JSON.stringify(value)}.`,
        },
      ];
    }),
  );
  return Object.fromEntries(names.map((name) => [name, given[name] ?? known[name]!.default]));
}

function rangeOf(schema: TSchema): string {
  const { minimum, maximum } = schema as { minimum?: number; maximum?: number };
  return minimum === undefined ? 'another value' : `from ${minimum} to ${maximum}`;
}
