/** The JSON Schema of files: of the API's own schemas, so that editors and this program take the same. */
import { Type, type TObject, type TSchema } from 'typebox';
import { SETTINGS, SETTING_KEY_PATTERN, SettingsPatch } from '../../api/operation/settings.ts';
import { Strict } from '../../api/shapes/page.ts';
import {
  KIND_NAMES,
  KINDS,
  nameInFiles,
  ofNames,
  type Kind,
  type KindName,
  type Reference,
} from './kinds.ts';

const SET_NAME_PATTERN = '^[a-z0-9][a-z0-9-]{0,62}$';

/** Settings that hold ids, and what files call them. */
export const SETTING_REFERENCES: readonly Reference[] = [
  {
    ...{ member: 'default_community_id', name: 'default_community' },
    ...{ noun: 'community', form: 'one' },
  },
  {
    ...{ member: 'deploy_canary_speaker_ids', name: 'deploy_canary_speakers' },
    ...{ noun: 'speaker', form: 'list' },
  },
];

const SECRET_PATTERN = '^\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}$';

/** Where a secret comes from: no file has it itself. */
const SecretSource = Type.Union(
  [
    Type.String({
      pattern: SECRET_PATTERN,
      // Whoever writes the secret itself does not see it again.
      writeOnly: true,
      description: '`${NAME}`, the name of an environment variable; a secret itself stands in no file',
      examples: ['${EDGE1_PASSWORD}'],
    }),
    Strict({
      command: Type.String({ minLength: 1, description: 'Run by `/bin/sh`; prints the secret' }),
    }),
  ],
  { description: 'An environment variable or a command that has it; it is asked for when it is applied' },
);

/** The first document of a directory. */
export const SetFile = Strict({
  kind: Type.Literal('set', { description: 'What these files are as a whole' }),
  name: Type.String({
    pattern: SET_NAME_PATTERN,
    description:
      'Whose the objects are: nothing but what this set has applied is deleted by --prune. Small letters, digits and hyphens',
    examples: ['edge'],
  }),
  include: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      uniqueItems: true,
      description: 'Other directories or files that belong to it, from the place of this file',
      examples: [['../shared']],
    }),
  ),
});

/** The first document of a directory with a folder for each tenant. */
export const TenantsFile = Strict({
  kind: Type.Literal('tenants', { description: 'A directory with a folder for each of several tenants' }),
  tenants: Type.Array(
    Strict({
      tenant: Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Its slug; files reach no other tenant, whatever the key is',
        examples: ['acme'],
      }),
      directory: Type.Optional(
        Type.String({ minLength: 1, description: 'The folder of its files; that of its slug without it' }),
      ),
      context: Type.Optional(
        Type.String({
          minLength: 1,
          description:
            'The context with its service and key (`prefixcast context list`); that of its slug without it',
        }),
      ),
      key: Type.Optional(
        Type.String({
          pattern: SECRET_PATTERN,
          writeOnly: true,
          description:
            '`${NAME}`, the environment variable with its key, in place of a context: of the service that other commands ask',
          examples: ['${ACME_KEY}'],
        }),
      ),
    }),
    { minItems: 1, description: 'In this order' },
  ),
});

export const SettingsFile = settingsFile();

function settingsFile(): TObject {
  const members = Object.entries(SettingsPatch.properties).map(([member, schema]) => {
    const reference = SETTING_REFERENCES.find((one) => one.member === member);
    const { description } = SETTINGS[member as keyof typeof SETTINGS];
    return reference === undefined
      ? ([member, Type.Optional(schema)] as const)
      : ([reference.name, Type.Optional(ofNames({ ...schema, description }, reference))] as const);
  });
  const kind = Type.Literal('settings', { description: 'Settings of the tenant; others stay as they are' });
  return Type.Object(
    { kind, ...Object.fromEntries(members) },
    { additionalProperties: false, patternProperties: { [SETTING_KEY_PATTERN]: {} } },
  );
}

const fileSchemas = new Map<KindName, TObject>();

/** What a file of this kind may have. */
export function fileSchemaOf(kind: Kind): TObject {
  let schema = fileSchemas.get(kind.name);
  if (schema === undefined) fileSchemas.set(kind.name, (schema = makeFileSchema(kind)));
  return schema;
}

function makeFileSchema(kind: Kind): TObject {
  const { properties } = kind.schema;
  const required = kind.schema.required as readonly string[];
  const members = Object.entries<TSchema>(properties).flatMap(([member, schema]) => {
    if (kind.unnamed?.includes(member) === true) return [];
    const name = nameInFiles(kind, member);
    const written = writtenSchema(kind, member, schema);
    return [[name, required.includes(member) || member === kind.key ? written : Type.Optional(written)]];
  });
  return Strict({
    kind: Type.Literal(kind.name),
    ...(Object.fromEntries(members) as Record<string, TSchema>),
    renamed_from: Type.Optional(
      Type.String({
        ...{ minLength: 1, maxLength: 200 },
        description: 'What it was called before: it is renamed then, and not deleted and created',
      }),
    ),
    ...(kind.name === 'module' ? { entries: Type.Optional(EntriesFile) } : {}),
  });
}

const EntriesFile = Type.String({
  minLength: 1,
  description:
    'CSV file with all entries of the module, from the place of this file. Without it, entries are none of this set',
  examples: ['scanners.csv'],
});

function writtenSchema(kind: Kind, member: string, schema: TSchema): TSchema {
  const reference = kind.references.find((one) => one.member === member);
  if (reference !== undefined) return ofNames(schema, reference);
  const { description } = schema as { readonly description?: string };
  const about = description === undefined ? {} : { description };
  if (kind.secrets[member] === undefined) return schema;
  // Each header may be a secret.
  return member === 'headers'
    ? Type.Record(Type.String({ minLength: 1 }), SecretSource, about)
    : Type.Union([SecretSource, Type.Null()], about);
}

/** For editors: by its `kind` a document is one of these. */
export function jsonSchema(): object {
  const files = [SetFile, TenantsFile, SettingsFile, ...KIND_NAMES.map((name) => fileSchemaOf(KINDS[name]))];
  const named = files.map((schema) => [(schema.properties.kind as { const: string }).const, schema] as const);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Prefixcast: a directory of YAML, one object each',
    type: 'object',
    required: ['kind'],
    properties: { kind: { enum: named.map(([kind]) => kind) } },
    allOf: named.map(([kind]) => ({
      if: { properties: { kind: { const: kind } }, required: ['kind'] },
      then: { $ref: `#/definitions/${kind}` },
    })),
    definitions: Object.fromEntries(named),
  };
}
