import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { mapText } from '../../strings/map.ts';
import { allPlaces, frameOf, partAt, partOf, partPrefix, pointOf, SIDE, wider } from './hilbert.ts';
import { Prefix } from '../../design/shown/Prefix.tsx';
import './address-map.css';

interface AddressMapProps {
  readonly within: string;
  /** 65,536 shares in base64: what is there, or what has come. */
  readonly there: string;
  /** What has gone. */
  readonly gone?: string;
  /** A prefix that is looked at elsewhere. */
  readonly marked: string | undefined;
  /** Shows that part alone. */
  readonly onOpen: (prefix: string) => void;
  /** Opened by a key, so that arrows walk in it at once. */
  readonly takesFocus?: boolean;
}

type Point = ReturnType<typeof pointOf>;

const MIDDLE: Point = { x: SIDE / 2, y: SIDE / 2 };
const FULL = 255;
/** How strong a single address of a large part is drawn: it is to be seen on a dark page as well. */
const FAINTEST = 0.6;
const STEP = 8;

/** Addresses as a picture: each point a part of the prefix. Arrows walk, Enter goes into a part, Backspace out of it. */
export function AddressMap({ within, there, gone, marked, onOpen, takesFocus = false }: AddressMapProps) {
  const field = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  /** Null: nobody has walked on this map yet. */
  const [walked, setAt] = useState<Point | null>(null);
  useEffect(() => {
    if (takesFocus) field.current!.focus();
  }, [takesFocus]);
  const [shares, lost] = useMemo(
    () => [bytesOf(there), gone === undefined ? null : bytesOf(gone)] as const,
    [there, gone],
  );
  useEffect(() => {
    const draw = (): void => paint(canvas.current!, shares, lost);
    draw();
    // Colours are those of the theme.
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const themes = new MutationObserver(draw);
    dark.addEventListener('change', draw);
    themes.observe(document.documentElement, { attributes: true });
    return () => {
      dark.removeEventListener('change', draw);
      themes.disconnect();
    };
  }, [shares, lost]);
  const markedPart = marked === undefined ? null : partOf(within, marked);
  const at = walked ?? (markedPart === null ? MIDDLE : pointOf(markedPart));
  const part = partAt(at.x, at.y);
  const prefix = partPrefix(within, part);
  const out = wider(within);
  /** Out of a part, one stands where it is. */
  const open = (target: string, isOut: boolean): void => {
    const own = isOut ? partOf(target, within) : null;
    setAt(own === null ? null : pointOf(own));
    onOpen(target);
  };
  const zoomOut = (): void => {
    if (out !== null) open(out, true);
  };
  const walk = (x: number, y: number): void => setAt({ x: clamped(at.x + x), y: clamped(at.y + y) });
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.shiftKey ? STEP : 1;
    const keys: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => walk(-step, 0),
      ArrowRight: () => walk(step, 0),
      ArrowUp: () => walk(0, -step),
      ArrowDown: () => walk(0, step),
      Home: () => markedPart !== null && setAt(pointOf(markedPart)),
      Enter: () => open(prefix, false),
      Backspace: zoomOut,
    };
    const run = keys[event.key];
    if (run === undefined) return;
    event.preventDefault();
    run();
  };
  const onPointer = ({ currentTarget, clientX, clientY }: PointerEvent): void => {
    const { left, top, width, height } = currentTarget.getBoundingClientRect();
    setAt({
      x: clamped(Math.floor(((clientX - left) / width) * SIDE)),
      y: clamped(Math.floor(((clientY - top) / height) * SIDE)),
    });
  };
  return (
    <div className="address-map">
      <div
        ref={field}
        className="address-map-field"
        role="application"
        aria-label={mapText.label(within)}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerMove={onPointer}
        onClick={() => open(prefix, false)}
      >
        <canvas ref={canvas} width={SIDE} height={SIDE} aria-hidden="true" />
        <Mark className="is-cursor" part={part} />
        {markedPart !== null && <Mark className="is-marked" part={markedPart} />}
      </div>
      <p role="status">
        <Prefix prefix={prefix} />{' '}
        <span className="number">
          {lost === null
            ? mapText.covered(shares[part]! / FULL)
            : mapText.changed(shares[part]! / FULL, lost[part]! / FULL)}
        </span>
      </p>
      {lost !== null && (
        <p className="address-map-legend">
          <span className="address-map-come">■ {mapText.come}</span>
          <span className="address-map-gone">▦ {mapText.gone}</span>
        </p>
      )}
      <p className="address-map-tools">
        <Button disabled={out === null} onClick={zoomOut}>
          {mapText.out}
        </Button>
        <span className="muted">{frameOf(prefix) === prefix ? mapText.keys : mapText.keysDeep}</span>
      </p>
    </div>
  );
}

function Mark({ part, className }: { part: number; className: string }) {
  const { x, y } = pointOf(part);
  const percent = (value: number): string => `${((value + 0.5) / SIDE) * 100}%`;
  return (
    <span
      className={`address-map-mark ${className}`}
      style={{ insetInlineStart: percent(x), insetBlockStart: percent(y) }}
    />
  );
}

function clamped(value: number): number {
  return Math.min(SIDE - 1, Math.max(0, value));
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

type Colour = readonly [number, number, number];

/** The colours of the two kinds and of what is empty are those that the style sheet gives the canvas. */
function paint(canvas: HTMLCanvasElement, there: Uint8Array, gone: Uint8Array | null): void {
  const style = getComputedStyle(canvas);
  const [full, lost, empty] = [style.color, style.borderTopColor, style.backgroundColor].map(colourOf);
  const context = canvas.getContext('2d')!;
  const image = context.createImageData(SIDE, SIDE);
  const places = allPlaces();
  for (let part = 0; part < there.length; part++) {
    const come = there[part]!;
    const went = gone === null ? 0 : gone[part]!;
    const colour = went > come ? lost! : full!;
    const share = Math.max(come, went);
    const place = places[part]! * 4;
    const strength =
      (share === 0 ? 0 : FAINTEST + (1 - FAINTEST) * (share / FULL)) *
      (went > come ? chequered(places[part]!) : 1);
    for (let channel = 0; channel < 3; channel++)
      image.data[place + channel] = empty![channel]! + (colour[channel]! - empty![channel]!) * strength;
    image.data[place + 3] = FULL;
  }
  context.putImageData(image, 0, 0);
}

/** What has gone is drawn weaker at every other point. @param place of a point, row by row */
function chequered(place: number): number {
  return (place + Math.floor(place / SIDE)) % 2 === 0 ? 1 : 0.6;
}

function colourOf(text: string): Colour {
  const [red = 0, green = 0, blue = 0] = (text.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue];
}
