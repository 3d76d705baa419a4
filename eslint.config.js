import { readFileSync } from 'node:fs';
import js from '@eslint/js';
import importX from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

/** Room -> layer. A room may import rooms of lower layers only; see ARCHITECTURE.md, "The layer law". */
const layers = JSON.parse(readFileSync(new URL('layers.json', import.meta.url), 'utf8'));

const zones = Object.entries(layers).map(([room, layer]) => ({
  target: `./src/${room}`,
  from: [
    ...Object.entries(layers)
      .filter(([other, otherLayer]) => other !== room && otherLayer >= layer)
      .map(([other]) => `./src/${other}`),
    './src/main.ts',
  ],
  message: `${room} (layer ${layer}) may import lower layers only.`,
}));

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'coverage/', '.cache/'] },
  js.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { 'import-x': importX },
    rules: {
      'import-x/no-restricted-paths': ['error', { zones }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/prefer-nullish-coalescing': 'off',
      'max-lines': ['error', { max: 400 }],
      eqeqeq: 'error',
    },
  },
  { files: ['**/*.js'], ...tseslint.configs.disableTypeChecked },
);
