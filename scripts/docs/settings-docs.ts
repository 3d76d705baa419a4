/** docs/reference/settings.md: every setting of a tenant, from the table that the service reads them by. */
import { SETTINGS } from '../../src/api/operation/settings.ts';
import { table, typeText, type Schema } from './schema-text.ts';

const INTRODUCTION = `# Settings

Made by \`npm run docs\` from the table of settings; do not edit.

A tenant has these settings. \`GET /v1/settings\` shows them, \`PATCH /v1/settings\` changes them, \`null\` restores the default unless it is a value of the setting.
[Guardrails](../deploying/guardrails.md) explains \`guard_*\`, [applies](../deploying/applies.md) explains \`deploy_*\`. The environment of a process
has [variables](variables.md) instead.`;

export function settingsDocs(): string {
  const rows = Object.entries(SETTINGS).map(([name, { schema, default: fallback, description }]) => [
    `\`${name}\``,
    typeText(JSON.parse(JSON.stringify(schema)) as Schema),
    `\`${JSON.stringify(fallback)}\``,
    description,
  ]);
  return [INTRODUCTION, table(['setting', 'type', 'default', 'meaning'], rows)].join('\n\n');
}
