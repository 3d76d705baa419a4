import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet, useChildMatches, useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { later } from '../design/behaviour/later.tsx';
import { useShortcut } from '../design/behaviour/shortcuts.tsx';
import { focusContent, useKeptFocus } from '../design/behaviour/focus.ts';
import { useSearchKeys } from '../design/behaviour/search-keys.ts';
import { useStreamState } from '../service/live.tsx';
import { sessionQuery, tenantRefusal, type Session } from '../service/session.ts';
import { text } from '../strings/english.ts';
import { FreezeBanner } from './FreezeBanner.tsx';
import { KeyboardHelp } from './KeyboardHelp.tsx';
import { Navigation, PlaceShortcuts } from './Navigation.tsx';
import './frame.css';

const Palette = later(async () => (await import('./Palette.tsx')).Palette);

type Open = 'palette' | 'help' | null;

/** What is around every page. */
export function Frame({ session }: { session: Session }) {
  const [open, setOpen] = useState<Open>(null);
  const close = (): void => setOpen(null);
  useShortcut('/', text.help.palette, () => setOpen('palette'), true);
  useShortcut('?', text.help.help, () => setOpen('help'), true);
  useEffect(() => {
    // Typing does not keep it from opening, unlike keys without Ctrl.
    const onKey = (event: KeyboardEvent): void => {
      // With Shift it is the editor's, which deletes a line by it.
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
      event.preventDefault();
      setOpen('palette');
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const shownRoute = useChildMatches({ select: ([first]) => first?.routeId });
  usePageFocus(close);
  useKeptFocus();
  useSearchKeys();
  return (
    <div className="frame">
      <a className="skip" href="#content">
        {text.skipToContent}
      </a>
      <Navigation session={session} onSearch={() => setOpen('palette')} />
      <main id="content" tabIndex={-1} aria-labelledby="page-title">
        <StreamBanner />
        <FreezeBanner />
        {/* Another page is another one, or what the one before said would stay below what says that a page is waited for, unseen. */}
        <Outlet key={shownRoute} />
      </main>
      <PlaceShortcuts />
      <Palette isOpen={open === 'palette'} onClose={close} />
      <KeyboardHelp isOpen={open === 'help'} onClose={close} />
    </div>
  );
}

/** Whoever goes to another page, be it back, goes on there and not in a window above it, wherever the link was; before it is drawn, so that a field of it may take the focus. */
function usePageFocus(onLeave: () => void): void {
  const router = useRouter();
  const leave = useEffectEvent(onLeave);
  useEffect(
    () =>
      router.subscribe('onBeforeNavigate', ({ fromLocation, toLocation }) => {
        if (fromLocation === undefined || fromLocation.pathname === toLocation.pathname) return;
        leave();
        focusContent();
      }),
    [router],
  );
}

const LOOK_MILLISECONDS = 5_000;

/** Says that what is shown may be old; once the stream is back, all of it is read again. */
function StreamBanner() {
  const queries = useQueryClient();
  const state = useStreamState();
  const wasBroken = useRef(false);
  useEffect(() => {
    if (state === 'open' && wasBroken.current) void queries.invalidateQueries();
    wasBroken.current = state === 'broken';
  }, [state, queries]);
  // Without the stream, nothing else says that the tenant was stopped, or is active again.
  const { error } = useQuery({
    ...sessionQuery,
    refetchInterval: state === 'broken' ? LOOK_MILLISECONDS : false,
  });
  const refusal = tenantRefusal(error);
  if (state !== 'broken') return null;
  return (
    <p className="banner name" role="status">
      {refusal === null ? text.stream.broken : text.stream.refused(refusal.detail)}
    </p>
  );
}
