/** A node whose key was revoked takes nothing any more: no command waits for it, and each says what lets it in again. */
import { beforeAll, expect, test } from 'vitest';
import { useDesk } from '../desk/desk.ts';
import { addSilentNode } from '../desk/silent-node.ts';

const desk = useDesk();
const { type, mustType } = desk;

beforeAll(async () => {
  const { service } = desk.casting;
  await mustType('module create hosts --type IP_RANGES');
  await mustType('entry add hosts 6.0.0.1/32 6.0.0.3/32 --wait');
  await addSilentNode(service.url, service.key);
  await mustType('key', 'delete', 'node edge-1.example.net', '--yes');
});

test('the others have it, and what becomes of this one is said', async () => {
  const edit = await type('entry add hosts 6.0.0.5/32 --wait --timeout 30s');
  expect(edit.code, edit.err).toBe(0);
  expect(edit.err).toMatch(
    /^edge does not have it yet: The agent on edge-1\.example\.net, last seen at 2\S+Z, takes nothing more: no key of the node works\. Enroll it again with another token \(prefixcast node enroll SPEAKER\), or stop it on its machine\. It goes on announcing what it ran, if it runs\.$/m,
  );
});

test('where there is no other one, nobody has taken it', async () => {
  const alone = await type('revision apply latest --speaker edge --wait --timeout 30s');
  expect(alone.code, alone.err).toBe(1);
  expect(alone.err).toContain(
    'No speaker has taken the revision: no key of these nodes works, so they take nothing until they are enrolled again. edge',
  );
});
