import { Autocomplete } from '@base-ui/react/autocomplete';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { Dialog } from '../design/messages/Dialog.tsx';
import { useShortcutList } from '../design/behaviour/shortcuts.tsx';
import { useMay } from '../service/permissions.ts';
import { settingsQuery } from '../service/queries.ts';
import { text } from '../strings/english.ts';
import { useNamedThings } from './named-things.ts';
import { mayGoTo, PLACES } from './places.ts';
import './palette.css';

interface Choice {
  readonly id: string;
  readonly label: string;
  /** What kind of thing it is. */
  readonly kind: string;
  readonly go: () => void;
  /** It does something on this page, once the palette is closed. */
  readonly isHere?: boolean;
}

/** Of a kind of things with names. */
const MOST_SHOWN = 8;
/** Something with a dot or a colon and no space is an address, a prefix or a name of the DNS. */
const LOOKED_UP = /^\S*[.:/]\S*$/;
/** Two or three numbers: no address has as few groups without another sign. */
const COMMUNITY = /^\d+:\d+(?::\d+)?$/;
/** Keys that walk, or lead into a field, are of no use by their names. */
const STEPS: ReadonlySet<string> = new Set(['j', 'k', 'f']);
const FREEZE = 'deploy_freeze';
/** Fewer letters are in most keys. */
const SHORTEST_OF_SETTING = 3;
const NUMBER = /^#?(\d{1,9})$/;

/** One field for all: an address, a prefix, a name, a module, a revision, a page, and what this page can do. */
export function Palette({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const hasChosen = useRef(false);
  const afterwards = useRef<() => void>(undefined);
  useEffect(() => {
    if (isOpen) hasChosen.current = false;
  }, [isOpen]);
  const placeAfter = (): HTMLElement | null => {
    // What opens a window finds the focus where it is to go back to.
    if (afterwards.current !== undefined) setTimeout(afterwards.current);
    afterwards.current = undefined;
    return hasChosen.current ? document.getElementById('content') : null;
  };
  return (
    <Dialog
      title={text.palette.label}
      isOpen={isOpen}
      onClose={onClose}
      initialFocus={input}
      // Whoever chose something goes on there, with the keys of that page, and in none of its fields.
      finalFocus={placeAfter}
      className="palette"
    >
      <Choices
        input={input}
        onChoose={({ go, isHere = false }) => {
          hasChosen.current = true;
          if (isHere) afterwards.current = go;
          onClose();
          if (!isHere) go();
        }}
      />
    </Dialog>
  );
}

function Choices({
  input,
  onChoose,
}: {
  input: React.RefObject<HTMLInputElement | null>;
  onChoose: (choice: Choice) => void;
}) {
  const [typed, setTyped] = useState('');
  const choices = useChoices(typed.trim());
  return (
    <Autocomplete.Root
      inline
      open
      items={choices}
      mode="none"
      value={typed}
      onValueChange={(value, { reason }) => {
        if (reason !== 'item-press') setTyped(value);
      }}
      itemToStringValue={(choice: Choice) => choice.label}
      autoHighlight="always"
      keepHighlight
    >
      <Autocomplete.Input
        ref={input}
        className="input palette-input"
        aria-label={text.palette.label}
        placeholder={text.palette.placeholder}
        spellCheck={false}
      />
      <Autocomplete.Empty className="palette-empty">
        {choices.length === 0 ? text.palette.nothing : ''}
      </Autocomplete.Empty>
      <Autocomplete.List className="palette-list">
        {(choice: Choice) => (
          <Autocomplete.Item
            key={choice.id}
            value={choice}
            className="palette-item"
            onClick={() => onChoose(choice)}
          >
            <span className="name">{choice.label}</span>
            <span className="muted">{choice.kind}</span>
          </Autocomplete.Item>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}

function useChoices(typed: string): Choice[] {
  const navigate = useNavigate();
  const things = useNamedThings();
  const may = useMay();
  const { data: settings } = useQuery({ ...settingsQuery, enabled: may('bgp:settings:read') });
  const shortcuts = useShortcutList();
  const wanted = typed.toLowerCase();
  const has = (label: string): boolean => label.toLowerCase().includes(wanted);
  const number = NUMBER.exec(typed)?.[1];
  const lookup: Choice = {
    ...{ id: 'lookup', label: text.palette.lookUp(typed), kind: text.navigation.lookup },
    go: () => void navigate({ to: '/lookup', search: { q: typed } }),
  };
  const settingChoice = (key: string, label: string, kind: string): Choice => ({
    ...{ id: `${kind} ${key}`, label, kind },
    go: () => void navigate({ to: '/settings', search: { q: key } }),
  });
  const here = shortcuts
    .filter(({ keys, does, isEverywhere }) => isEverywhere !== true && !STEPS.has(keys) && has(does))
    // What is done here, and then the other parts of the page.
    .toSorted((one, other) => Number(one.keys === '') - Number(other.keys === ''))
    .map(({ keys, does, run }): Choice => ({
      ...{ id: `here ${keys} ${does}`, label: does },
      kind: keys === '' ? text.palette.part : text.palette.here(keys),
      ...{ go: run, isHere: true },
    }));
  const found: readonly Choice[] = [
    // Who types means a place more often; who does not type yet sees what can be done here.
    ...(wanted === '' ? here : []),
    ...(LOOKED_UP.test(typed) && !COMMUNITY.test(typed) ? [lookup] : []),
    ...(number === undefined
      ? []
      : [
          {
            ...{ id: 'revision', label: text.palette.revision(number), kind: text.palette.revisions },
            go: () => void navigate({ to: '/revisions/$revision', params: { revision: number } }),
          },
        ]),
    ...PLACES.filter((place) => mayGoTo(place, may) && has(place.name)).map(({ to, name }): Choice => ({
      ...{ id: to, label: name, kind: text.palette.pages },
      go: () => void navigate({ to }),
    })),
    ...(wanted === '' ? [] : here),
    ...(wanted === ''
      ? []
      : things.flatMap(({ kind, of }) =>
          of
            .filter(
              ({ label, also = [] }) =>
                has(label) || also.some((one) => one.toLowerCase().startsWith(wanted)),
            )
            .slice(0, MOST_SHOWN)
            .map(({ id, label, to }): Choice => ({ id, label, kind, go: () => void navigate(to) })),
        )),
    // Whoever types "freeze" or "stop" is in a hurry.
    ...(wanted !== '' && settings !== undefined && may('bgp:settings:write') && has(text.palette.freeze)
      ? [settingChoice(FREEZE, text.palette.freeze, text.palette.actions)]
      : []),
    ...(wanted.length < SHORTEST_OF_SETTING ? [] : (settings?.known ?? []))
      .filter(({ key }) => key.includes(wanted.replaceAll(/[\s-]+/g, '_')))
      .slice(0, MOST_SHOWN)
      .map(({ key }) => settingChoice(key, key, text.palette.setting)),
    ...[
      { id: 'enroll', label: text.palette.enroll, kind: text.palette.actions, to: '/nodes/new' as const },
      { id: 'speakers', label: text.palette.speakers, kind: text.palette.pages, to: '/speakers' as const },
      { id: 'welcome', label: text.palette.welcome, kind: text.palette.pages, to: '/welcome' as const },
    ].flatMap(({ to, ...choice }): Choice[] =>
      wanted !== '' && has(choice.label) && (choice.id !== 'enroll' || may('bgp:keys:write'))
        ? [{ ...choice, go: () => void navigate({ to }) }]
        : [],
    ),
    ...(has(text.palette.compareLatest)
      ? [
          {
            ...{ id: 'compare', label: text.palette.compareLatest, kind: text.palette.actions },
            go: () => void navigate({ to: '/compare/$pair', params: { pair: 'applied...latest' } }),
          },
        ]
      : []),
  ];
  // Whoever types a whole name means it, and not a page that has the letters in the middle of its own.
  const isMeant = ({ label }: Choice): boolean => label.toLowerCase() === wanted;
  return [...found.filter(isMeant), ...found.filter((choice) => !isMeant(choice))];
}
