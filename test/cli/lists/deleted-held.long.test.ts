/** A module that is deleted, and that routers keep since a guardrail holds its deletion: no list has it, and every question names it. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { serve } from '../../e2e/casting.ts';
import { useDesk } from '../desk/desk.ts';

const ROUTES = 240;
const list = Array.from({ length: ROUTES }, (_, at) => `11.${at}.0.0/24\n`).join('');

describe.skipIf(requireDaemon('bird') === null)('a deletion that is held', () => {
  const desk = useDesk();
  const { type, mustType } = desk;
  let bird: Bird;

  beforeAll(async () => {
    bird = await desk.casting.addBird();
    desk.casting.sources.set('/list.txt', serve(list));
    await mustType('module create hyper --type CDN_SOURCES');
    await mustType('module create hosts --type IP_RANGES');
    await mustType('entry add hosts 6.0.0.1/32');
    await mustType(`entry add hyper list --url ${desk.casting.sourceUrl}/list.txt --wait`);
    await bird.waitRoutes(ROUTES + 1);
  });

  test('module list ends with it', async () => {
    expect((await type('module list')).err).toBe('');
    expect(await type('module delete hyper --wait')).toMatchObject({ code: 5 });
    const { out, err } = await type('module list');
    expect(out).not.toContain('hyper');
    expect(err).toBe('1 deleted module is still announced (held): hyper - prefixcast module held hyper\n');
    expect(await mustType('module held hyper')).toContain('The deleted module hyper is held');
    expect((await type('module list -o json')).err).toBe('');
  });

  test('why names it, what holds it, and what releases it', async () => {
    const { code, out } = await type('why 11.7.0.1');
    expect(code, out).toBe(0);
    expect(out).toContain('  hyper, a module that has been deleted, and is held\n');
    expect(out).toMatch(/The deleted module hyper is held.*\n {2}large_withdrawal: /);
    expect(out).toMatch(/prefixcast module release \S+ --override large_withdrawal --snapshot \w+ /);
    expect(out).not.toContain('doctor names what is held');
    expect((await type('why 6.0.0.1')).out).not.toContain('hyper');
  });

  test('to delete it again says so', async () => {
    const { code, out, err } = await type('module delete hyper');
    expect(code, out + err).toBe(7);
    expect(err).toMatch(
      /^prefixcast: The module hyper is deleted already\.\nThe deleted module hyper is held, its last accepted content stays:\n {2}large_withdrawal: /,
    );
    expect((await type('module delete hypo')).err).not.toContain('deleted already');
  });
});
