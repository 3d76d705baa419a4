import { waitFor } from '../daemons/wait.ts';
import type { BrowserContext, Locator, Page } from 'playwright-core';

/** Nothing that a mouse does reaches the page; what keys do to a button is a click of no mouse button. */
const NO_MOUSE = `for (const kind of ['pointerdown', 'mousedown', 'mouseup', 'click'])
  addEventListener(kind, (event) => {
    if (event.isTrusted && event.detail > 0) event.stopImmediatePropagation(), event.preventDefault();
  }, true);`;

/** Longer than the way around any page. */
const MOST_TABS = 150;

export async function withoutMouse(context: BrowserContext): Promise<void> {
  await context.addInitScript(NO_MOUSE);
}

/** Goes there by Tab alone. @param most presses of the key, where a table of many rows lies in between */
export async function tabTo(page: Page, target: Locator, most = MOST_TABS): Promise<void> {
  await target.waitFor();
  for (let at = 0; at < most; at++) {
    if (await isFocused(target)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${target.toString()}`);
}

/** Once it can be pressed: a button that waits for a plan does nothing before. */
export async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await target.waitFor();
  await waitFor(() => target.isEnabled(), { what: `${target.toString()} to work` });
  await tabTo(page, target);
  await page.keyboard.press(key);
}

export function isFocused(target: Locator): Promise<boolean> {
  return target.evaluate((element: { matches(selector: string): boolean }) => element.matches(':focus'));
}
