import { readFileSync } from 'node:fs';
import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Floors of each folder that has folders in it, from the ground up; see ARCHITECTURE.md, "The layer law". */
const floors = JSON.parse(readFileSync(`${import.meta.dirname}/layers.json`, 'utf8'));

/** What files in `folder` write when they import what is beside its room in `within`, or above: they may not. */
function barred(folder, within, room) {
  const way = '../'.repeat(folder.split('/').length - within.split('/').length) || './';
  const start = `^${way.replaceAll('.', '\\.')}`;
  const own = floors[within].findIndex((rooms) => rooms.includes(room));
  const others = floors[within]
    .slice(own)
    .flat()
    .filter((other) => other !== room);
  return others.map((other) => start + (other === '.' ? '[^/]+$' : `${other}/`));
}

/** Rooms are compared in each folder that they are in, so each room has the bars of all of them. */
const law = Object.entries(floors).flatMap(([folder, rooms]) =>
  rooms.flat().flatMap((room) => {
    const path = room === '.' ? folder : `${folder}/${room}`;
    if (room !== '.' && floors[path] !== undefined) return [];
    const parts = path.split('/');
    const regexes = parts
      .map((_, at) => parts.slice(0, at + 1).join('/'))
      .filter((within) => floors[within] !== undefined)
      .flatMap((within) => barred(path, within, parts[within.split('/').length] ?? '.'));
    const message = `${path} may import what layers.json has below it only.`;
    return {
      files: [room === '.' ? `${path}/*.{ts,tsx}` : `${path}/**/*.{ts,tsx}`],
      rules: {
        'no-restricted-imports': ['error', { patterns: regexes.map((regex) => ({ regex, message })) }],
      },
    };
  }),
);

const NO_PRIVATE = {
  // A constructor is the one member that has no name to put # before.
  selector:
    ':matches(PropertyDefinition, AccessorProperty, TSAbstractPropertyDefinition, TSParameterProperty, MethodDefinition[kind!="constructor"], TSAbstractMethodDefinition)[accessibility="private"]',
  message: 'Write #name: `private` hides a member from the types only.',
};
/** A module may keep what it alone computes; what others tell it is a parameter or part of a context, so that two can be at once. */
const NO_SETTER = {
  // A function that assigns before it has declared anything assigns what is declared outside of it.
  selector:
    'Program > ExportNamedDeclaration > FunctionDeclaration > BlockStatement > ExpressionStatement:first-child > AssignmentExpression[operator="="][left.type="Identifier"]',
  message: 'Pass it as a parameter or in a context: a module keeps no state that others set.',
};
/** What differs between kinds of entries stands in their tables (ARCHITECTURE.md, "A kind of entries"): a new kind is a row there. */
const NO_KIND_BY_NAME = {
  selector:
    'BinaryExpression[operator=/^[!=]==$/] > Literal[value=/^(CDN_SOURCES|AS_PREFIXES|DOMAINS|IP_RANGES|GEOFEED)$/]',
  message: 'Ask the tables of kinds, such as ENTRY_KINDS or kinds.ts, not for the name of a type.',
};

export default tseslint.config(
  // assembly/ is AssemblyScript, which only its own compiler understands.
  // openapi-typescript writes the client's types in a style of its own.
  // redoc.js is somebody else's, compressed; scripts/vendor-redoc.ts fetches it.
  {
    ignores: [
      'src/http/reference/assets/redoc.js',
      'client/src/generated/',
      '**/dist/',
      'node_modules/',
      'coverage/',
      '.cache/',
      'assembly/',
    ],
  },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  ...tseslint.configs.stylistic,
  {
    // Rules that need types are in .oxlintrc.json: its native linter has them in a sixth of the time.
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-non-null-assertion': 'off',
      'max-lines': ['error', { max: 400 }],
      eqeqeq: 'error',
      'no-restricted-syntax': ['error', NO_PRIVATE],
    },
  },
  ...law,
  {
    // With what the rules for all files say, since a later entry replaces an earlier one.
    files: ['src/**/*.ts', 'console/src/**/*.{ts,tsx}'],
    rules: { 'no-restricted-syntax': ['error', NO_PRIVATE, NO_SETTER] },
  },
  {
    files: ['src/{control,http,jobs,store}/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', NO_PRIVATE, NO_SETTER, NO_KIND_BY_NAME] },
  },
  { files: ['**/generated/**'], rules: { 'max-lines': 'off' } },
);
