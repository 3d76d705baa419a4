import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useRouter } from '@tanstack/react-router';
import { useContext, useEffect, useRef, useState } from 'react';
import { focusContent } from '../design/behaviour/focus.ts';
import { useShortcut } from '../design/behaviour/shortcuts.tsx';
import { holdTyping } from '../design/behaviour/type-ahead.ts';
import { Button } from '../design/controls/Button.tsx';
import { LeaveDialog } from '../design/messages/LeaveDialog.tsx';
import { useToast } from '../design/messages/Toasts.tsx';
import { useMay } from '../service/permissions.ts';
import { signOut, type Session } from '../service/session.ts';
import { text } from '../strings/english.ts';
import { formText } from '../strings/forms.ts';
import { LeavingContext } from './leaving.ts';
import { mayGoTo, PLACE_GROUPS, PLACES } from './places.ts';
import { TenantChoice } from './TenantChoice.tsx';
import { DENSITIES, THEMES, useDensity, useTheme } from './appearance.ts';
import './navigation.css';

interface NavigationProps {
  readonly session: Session;
  readonly onSearch: () => void;
}

export function Navigation({ session, onSearch }: NavigationProps) {
  const [isOpen, setOpen] = useState(false);
  const menu = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLElement>(null);
  const router = useRouter();
  // Whoever goes where they are already may have scrolled the list by Tab.
  useEffect(
    () =>
      router.subscribe('onResolved', () =>
        showInList(list.current?.querySelector<HTMLAnchorElement>('a[aria-current=page]') ?? null),
      ),
    [router],
  );
  return (
    <header
      className="navigation"
      data-open={isOpen}
      onKeyDown={({ key }) => {
        if (key !== 'Escape' || !isOpen) return;
        setOpen(false);
        menu.current?.focus();
      }}
    >
      <div className="navigation-top">
        <Link to="/" className="brand">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <rect width="32" height="32" rx="7" />
            <path d="M9 16h14M15 16l8-7M15 16l8 7" />
          </svg>
          {text.product}
        </Link>
        <Button
          ref={menu}
          look="quiet"
          className="menu"
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setOpen(!isOpen)}
        >
          {text.navigation.menu}
        </Button>
      </div>
      <div className="navigation-body" id="navigation">
        <button type="button" className="search" onClick={onSearch}>
          <span>{text.palette.open}</span>
          <kbd>/</kbd>
        </button>
        <nav ref={list} aria-label={text.navigation.label} onClick={() => setOpen(false)}>
          {PLACE_GROUPS.map(({ title, places }) => (
            <Group key={title} title={title} places={places} />
          ))}
        </nav>
        <Account session={session} />
      </div>
    </header>
  );
}

interface GroupProps {
  readonly title: string | null;
  readonly places: readonly (typeof PLACES)[number][];
}

/** On a low screen the list scrolls, and where somebody is should be in sight. */
function showInList(link: HTMLAnchorElement | null): void {
  // Where all is laid out anyway: asked for now, it is done twice.
  if (link !== null) requestAnimationFrame(() => scrollTo(link));
}

/** `scrollIntoView` would have Tab begin at the link, and not at the way to the content. */
function scrollTo(link: HTMLAnchorElement): void {
  const list = link.closest('nav')!;
  const [inside, around] = [link.getBoundingClientRect(), list.getBoundingClientRect()];
  list.scrollTop += Math.min(0, inside.top - around.top) + Math.max(0, inside.bottom - around.bottom);
}

/** Pages that belong together; what the key of the session may not read is not offered. */
function Group({ title, places }: GroupProps) {
  const may = useMay();
  return (
    <>
      {title !== null && <h2 className="muted">{title}</h2>}
      <ul>
        {places
          .filter((place) => mayGoTo(place, may))
          .map(({ to, name }) => (
            <li key={to}>
              <Link
                to={to}
                activeOptions={{ exact: to === '/', includeSearch: false }}
                activeProps={{ ref: showInList }}
              >
                {name}
              </Link>
            </li>
          ))}
      </ul>
    </>
  );
}

function Account({ session }: { session: Session }) {
  const queries = useQueryClient();
  const toast = useToast();
  const [theme, setTheme] = useTheme();
  const [density, setDensity] = useDensity();
  const { isUnsaved, forget } = useContext(LeavingContext);
  const [isAsking, setAsking] = useState(false);
  const leaving = useMutation({
    mutationFn: () => {
      forget();
      return signOut();
    },
    onSuccess: () => {
      toast(text.session.signedOut);
      void queries.resetQueries();
    },
  });
  return (
    <div className="account">
      <TenantChoice session={session} />
      <p className="name muted">
        {session.key.name} · {session.role}
      </p>
      <div className="appearance">
        <Appearance words={text.navigation.theme} choices={THEMES} value={theme} onChoose={setTheme} />
        <Appearance
          words={text.navigation.density}
          choices={DENSITIES}
          value={density}
          onChoose={setDensity}
        />
      </div>
      <div className="account-actions">
        <a href="/docs" target="_blank" rel="noreferrer">
          {text.navigation.api}
        </a>
        <Button
          isBusy={leaving.isPending}
          onClick={() => {
            if (isUnsaved) setAsking(true);
            else leaving.mutate();
          }}
        >
          {text.session.signOut}
        </Button>
        <LeaveDialog
          isOpen={isAsking}
          what={formText.unsavedForm}
          onStay={() => setAsking(false)}
          onLeave={() => {
            setAsking(false);
            leaving.mutate();
          }}
        />
      </div>
    </div>
  );
}

interface AppearanceProps<T extends string> {
  readonly words: Readonly<Record<T | 'label', string>>;
  readonly choices: readonly T[];
  readonly value: T;
  readonly onChoose: (choice: T) => void;
}

/** Its choices say what they are of: beside each other they take one line of a low screen. */
function Appearance<T extends string>({ words, choices, value, onChoose }: AppearanceProps<T>) {
  return (
    <select
      className="input"
      aria-label={words.label}
      value={value}
      onChange={({ target }) => onChoose(target.value as T)}
    >
      {choices.map((one) => (
        <option key={one} value={one}>
          {words[one]}
        </option>
      ))}
    </select>
  );
}

/** After a page is there, until its field has the focus. */
const DRAWN_MILLISECONDS = 500;

/** `g` and a letter go to a page. */
export function PlaceShortcuts() {
  return PLACES.map((place) => <PlaceShortcut key={place.to} place={place} />);
}

function PlaceShortcut({ place }: { place: (typeof PLACES)[number] }) {
  const navigate = useNavigate();
  const may = useMay();
  const go = async (): Promise<void> => {
    const end = place.to === '/lookup' ? holdTyping() : null;
    await navigate({ to: place.to });
    // Whoever is there already begins at its heading again, as whoever comes.
    if (document.activeElement === document.body) focusContent();
    if (end !== null) setTimeout(end, DRAWN_MILLISECONDS);
  };
  useShortcut(
    `g ${place.key}`,
    text.help.goTo(place.name),
    mayGoTo(place, may) ? () => void go() : null,
    true,
  );
  return null;
}
