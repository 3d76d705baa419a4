import { readFileSync } from 'node:fs';
import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Room -> layer. A room may import rooms of lower layers only; see ARCHITECTURE.md, "The layer law". */
const layers = JSON.parse(readFileSync(`${import.meta.dirname}/layers.json`, 'utf8'));

/** For each room, the imports it may not have: rooms of its own layer or above, and what only wires. */
const law = Object.entries(layers).map(([room, layer]) => {
  const barred = Object.keys(layers).filter((other) => other !== room && layers[other] >= layer);
  return {
    files: [`src/${room}/**`],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: [
                ...barred.map((other) => `**/${other}/**`),
                '**/main.ts',
                '**/parts.ts',
                '**/agent-parts.ts',
                '**/router-drivers.ts',
                '**/prefixcast.ts',
              ],
              message: `${room} is layer ${layer} and may import lower layers only.`,
            },
          ],
        },
      ],
    },
  };
});

export default tseslint.config(
  // assembly/ is AssemblyScript, which only its own compiler understands.
  // redoc.js is somebody else's, compressed; scripts/vendor-redoc.ts fetches it.
  {
    ignores: [
      'src/http/reference/assets/redoc.js',
      'dist/',
      'node_modules/',
      'coverage/',
      '.cache/',
      'assembly/',
    ],
  },
  js.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/prefer-nullish-coalescing': 'off',
      'max-lines': ['error', { max: 400 }],
      eqeqeq: 'error',
    },
  },
  ...law,
  { files: ['**/generated/**'], rules: { 'max-lines': 'off' } },
  { files: ['**/*.js'], ...tseslint.configs.disableTypeChecked },
);
