/** What `npm run check:lint` asks of the code. The native linter has rules that need types too, and a few of our own (scripts/lint-rules.ts). */
import { readFileSync } from 'node:fs';
import { defineConfig, type OxlintOverride } from 'oxlint';

/** Floors of each folder that has folders in it, from the ground up; see ARCHITECTURE.md, "The layer law". */
const floors = JSON.parse(readFileSync(`${import.meta.dirname}/layers.json`, 'utf8')) as Readonly<
  Record<string, readonly (readonly string[])[]>
>;

/** What files in `folder` write when they import what is beside its room in `within`, or above: they may not. */
function barred(folder: string, within: string, room: string): string[] {
  const way = '../'.repeat(folder.split('/').length - within.split('/').length) || './';
  const start = `^${way.replaceAll('.', '\\.')}`;
  const rooms = floors[within]!;
  const own = rooms.findIndex((floor) => floor.includes(room));
  const others = rooms
    .slice(own)
    .flat()
    .filter((other) => other !== room);
  return others.map((other) => start + (other === '.' ? '[^/]+$' : `${other}/`));
}

/** Rooms are compared in each folder that they are in, so each room has the bars of all of them. */
const law = Object.entries(floors).flatMap(([folder, rooms]) =>
  rooms.flat().flatMap((room): OxlintOverride[] => {
    const path = room === '.' ? folder : `${folder}/${room}`;
    if (room !== '.' && floors[path] !== undefined) return [];
    const parts = path.split('/');
    const regexes = parts
      .map((_, at) => parts.slice(0, at + 1).join('/'))
      .filter((within) => floors[within] !== undefined)
      .flatMap((within) => barred(path, within, parts[within.split('/').length] ?? '.'));
    const message = `${path} may import what layers.json has below it only.`;
    return [
      {
        files: [room === '.' ? `${path}/*.{ts,tsx}` : `${path}/**/*.{ts,tsx}`],
        rules: {
          'no-restricted-imports': ['error', { patterns: regexes.map((regex) => ({ regex, message })) }],
        },
      },
    ];
  }),
);

export default defineConfig({
  plugins: ['typescript'],
  jsPlugins: [{ name: 'own', specifier: `${import.meta.dirname}/scripts/lint-rules.ts` }],
  categories: { correctness: 'off' },
  options: { typeAware: true, reportUnusedDisableDirectives: 'error' },
  rules: {
    // Those that eslint recommends, but for what the compiler refuses itself.
    'for-direction': 'error',
    'no-async-promise-executor': 'error',
    'no-case-declarations': 'error',
    'no-compare-neg-zero': 'error',
    'no-cond-assign': 'error',
    'no-constant-binary-expression': 'error',
    'no-constant-condition': 'error',
    'no-control-regex': 'error',
    'no-debugger': 'error',
    'no-dupe-else-if': 'error',
    'no-duplicate-case': 'error',
    'no-empty': 'error',
    'no-empty-character-class': 'error',
    'no-empty-pattern': 'error',
    'no-empty-static-block': 'error',
    'no-ex-assign': 'error',
    'no-extra-boolean-cast': 'error',
    'no-fallthrough': 'error',
    'no-global-assign': 'error',
    'no-invalid-regexp': 'error',
    'no-irregular-whitespace': 'error',
    'no-loss-of-precision': 'error',
    'no-misleading-character-class': 'error',
    'no-prototype-builtins': 'error',
    'no-regex-spaces': 'error',
    'no-self-assign': 'error',
    'no-shadow-restricted-names': 'error',
    'no-sparse-arrays': 'error',
    'no-unassigned-vars': 'error',
    'no-unexpected-multiline': 'error',
    'no-unsafe-finally': 'error',
    'no-unsafe-optional-chaining': 'error',
    'no-unused-labels': 'error',
    'no-unused-private-class-members': 'error',
    'no-useless-assignment': 'error',
    'no-useless-backreference': 'error',
    'no-useless-catch': 'error',
    'no-useless-escape': 'error',
    'preserve-caught-error': 'error',
    'require-yield': 'error',
    'use-isnan': 'error',
    'valid-typeof': 'error',
    'no-var': 'error',
    'prefer-const': 'error',
    'prefer-rest-params': 'error',
    'prefer-spread': 'error',
    eqeqeq: 'error',
    'max-lines': ['error', { max: 400 }],
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    // Those that typescript-eslint recommends, of correctness and of style.
    'typescript/ban-ts-comment': 'error',
    'no-array-constructor': 'error',
    'typescript/no-duplicate-enum-values': 'error',
    'typescript/no-empty-object-type': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-extra-non-null-assertion': 'error',
    'typescript/no-misused-new': 'error',
    'typescript/no-namespace': 'error',
    'typescript/no-non-null-asserted-optional-chain': 'error',
    'typescript/no-require-imports': 'error',
    'typescript/no-this-alias': 'error',
    'typescript/no-unnecessary-type-constraint': 'error',
    'typescript/no-unsafe-declaration-merging': 'error',
    'typescript/no-unsafe-function-type': 'error',
    'no-unused-expressions': 'error',
    'typescript/no-wrapper-object-types': 'error',
    'typescript/prefer-as-const': 'error',
    'typescript/prefer-namespace-keyword': 'error',
    'typescript/triple-slash-reference': 'error',
    'typescript/adjacent-overload-signatures': 'error',
    'typescript/array-type': 'error',
    'typescript/ban-tslint-comment': 'error',
    'typescript/class-literal-property-style': 'error',
    'typescript/consistent-generic-constructors': 'error',
    'typescript/consistent-indexed-object-style': 'error',
    'typescript/consistent-type-assertions': 'error',
    'typescript/consistent-type-definitions': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-confusing-non-null-assertion': 'error',
    'no-empty-function': 'error',
    'typescript/no-inferrable-types': 'error',
    'typescript/prefer-for-of': 'error',
    'typescript/prefer-function-type': 'error',
    // Those that need types.
    'typescript/await-thenable': 'error',
    'typescript/dot-notation': 'error',
    'typescript/no-array-delete': 'error',
    'typescript/no-base-to-string': 'error',
    'typescript/no-duplicate-type-constituents': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-for-in-array': 'error',
    'typescript/no-implied-eval': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/no-redundant-type-constituents': 'error',
    'typescript/no-unnecessary-type-assertion': 'error',
    'typescript/no-unsafe-argument': 'error',
    'typescript/no-unsafe-assignment': 'error',
    'typescript/no-unsafe-call': 'error',
    'typescript/no-unsafe-enum-comparison': 'error',
    'typescript/no-unsafe-member-access': 'error',
    'typescript/no-unsafe-return': 'error',
    'typescript/no-unsafe-unary-minus': 'error',
    'typescript/non-nullable-type-assertion-style': 'error',
    'typescript/only-throw-error': 'error',
    'typescript/prefer-find': 'error',
    'typescript/prefer-includes': 'error',
    'typescript/prefer-optional-chain': 'error',
    'typescript/prefer-promise-reject-errors': 'error',
    'typescript/prefer-regexp-exec': 'error',
    'typescript/prefer-string-starts-ends-with': 'error',
    'typescript/require-await': 'error',
    'typescript/restrict-plus-operands': 'error',
    'typescript/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    'typescript/unbound-method': 'error',
    // Our own.
    'own/hash-names': 'error',
  },
  overrides: [
    ...law,
    { files: ['src/**/*.ts', 'console/src/**/*.{ts,tsx}'], rules: { 'own/no-setters': 'error' } },
    {
      files: ['src/{control,http,jobs,store}/**/*.ts'],
      rules: { 'own/no-kind-by-name': 'error' },
    },
    {
      files: ['console/src/**/*.{ts,tsx}'],
      excludeFiles: ['console/src/strings/**'],
      rules: { 'own/words-in-catalogue': 'error' },
    },
    { files: ['**/generated/**'], rules: { 'max-lines': 'off' } },
  ],
  // assembly/ is AssemblyScript, which only its own compiler understands. openapi-typescript writes the client's types in a style of its own.
  // redoc.js is somebody else's, compressed; scripts/vendor-redoc.ts fetches it.
  ignorePatterns: [
    'src/http/reference/assets/',
    'client/src/generated/',
    '**/dist/',
    'coverage/',
    '.cache/',
    'assembly/',
  ],
});
