/**
 * `npm run console:screens [DIRECTORY [NAME…]]`: a picture of every page of the console, or of those that are named, in both themes and at both
 * widths, for people to look at. They are made of the real service, in `.cache/console-screens` where nothing else is said.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { consolePages, openPage, signIn } from '../test/console/pages.ts';
import { startWorld } from '../test/console/world.ts';

const ROOT = join(import.meta.dirname, '..');
const THEMES = ['light', 'dark'] as const;
const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
] as const;

const [, , path = join(ROOT, '.cache/console-screens'), ...wanted] = process.argv;
const directory = resolve(path);
mkdirSync(directory, { recursive: true });
const world = await startWorld();
try {
  await world.poison();
  const { service } = world.casting;
  const base = `${service.url}/console/`;
  for (const colorScheme of THEMES)
    for (const viewport of SIZES) {
      const context = await world.browser.newContext({ colorScheme, viewport });
      const page = await context.newPage();
      const take = (name: string) =>
        page.screenshot({ path: join(directory, `${name}-${colorScheme}-${viewport.width}.png`) });
      await page.goto(base);
      await page.getByLabel('API key').waitFor();
      await take('sign-in');
      await signIn(page, service.key);
      for (const [name, path] of Object.entries(await consolePages(world))) {
        if (wanted.length > 0 && !wanted.includes(name)) continue;
        await openPage(page, base, path);
        await take(name);
      }
      await openPage(page, base, `modules/${world.moduleId}`);
      await page.getByRole('button', { name: 'Release' }).press('Enter');
      await page.getByRole('dialog').waitFor();
      await take('release');
      await openPage(page, base, '');
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Look up an address' }).fill('mod');
      await take('palette');
      await context.close();
    }
} finally {
  await world.close();
}
console.log(`The pictures are in ${directory}.`);
