/** A source whose URL was edited: what was built from the URL of before is named by that one. */
import { beforeAll, expect, test } from 'vitest';
import { serve } from '../../e2e/casting.ts';
import { useDesk } from '../desk/desk.ts';

const desk = useDesk();
const { mustType } = desk;
const urlOf = (path: string): string => desk.casting.sourceUrl + path;

beforeAll(async () => {
  desk.casting.sources.set('/old.txt', serve('18.2.0.0/16\n18.5.0.0/16\n'));
  desk.casting.sources.set('/new.txt', serve('18.5.0.0/16\n18.9.0.0/16\n'));
  await mustType('settings set auto_revision true');
  await mustType('module create clouds --type CDN_SOURCES');
  await mustType(`entry add clouds cdn --url ${urlOf('/old.txt')} --wait`);
});

test('a history names each revision by the URL that it was read from', async () => {
  await mustType('freeze');
  await mustType(`entry edit clouds cdn --url ${urlOf('/new.txt')} --wait=built`);
  // What is announced is of the old one, and still in the list.
  const why = await mustType('why 18.5.0.1');
  expect(why).toContain(`Lists that have it:\n  clouds: ${urlOf('/old.txt')}, which has 18.5.0.0/16\n`);
  expect(why).not.toContain('no longer in the list');
  expect(why).not.toContain(urlOf('/new.txt'));
  await mustType('unfreeze --wait');

  const kept = (await mustType('history 18.5.0.0/16')).split('\n').slice(1, -1);
  expect(kept.map((line) => line.includes(urlOf('/old.txt')))).toEqual([true]);
  const [gone, came] = (await mustType('history 18.2.0.0/16')).split('\n').slice(1, -1);
  for (const line of [gone, came]) expect(line).toContain(`clouds: ${urlOf('/old.txt')}`);
  expect(await mustType('history 18.9.0.0/16')).toContain(`+clouds: ${urlOf('/new.txt')}`);
  expect(await mustType('why 18.9.0.1')).toContain(`clouds: ${urlOf('/new.txt')}, which has 18.9.0.0/16`);
});
