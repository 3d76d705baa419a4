import { ApiProblem } from '@prefixcast/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { Field } from '../../design/controls/Field.tsx';
import { Control } from '../../design/controls/Control.tsx';
import {
  makeList,
  presetsQuery,
  previewList,
  type FirstList,
  type SourceReading,
} from '../../service/first-run.ts';
import { communitiesQuery } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { count } from '../../strings/format.ts';
import { formText } from '../../strings/forms.ts';
import { inWordsOfThePages } from '../../strings/remedies.ts';
import { welcomeText } from '../../strings/welcome.ts';
import { Loaded } from '../../views/page/Loaded.tsx';
import { Problem } from '../../views/faults/Problem.tsx';
import { useFaultInSight } from '../../views/forms/fault-in-sight.ts';
import { isLeft, Unsaved } from '../../views/questions/Unsaved.tsx';
import { PresetChoice, type ChosenPreset } from './PresetChoice.tsx';

const KINDS = ['preset', 'own', 'ranges'] as const;
type Kind = (typeof KINDS)[number];
/** Of a community where nobody has said one. */
const FIRST_VALUE = 100;
const LARGEST_SHORT_ASN = 65_535;
const SHOWN_PREFIXES = 5;

interface Attempt {
  /** Taken although its source did not give a list. */
  readonly isUnread: boolean;
  /** As they stood in the field. */
  readonly ranges: string;
}

/** @param asn of the speaker @param allowed by the policy of the tenant; null: all */
function suggestedCommunity(asn: number | undefined, allowed: readonly string[] | null): string {
  const [first] = allowed ?? [];
  // The last place of a pattern may have any number.
  if (first !== undefined) return first.replace(/\*$/, String(FIRST_VALUE));
  const own = asn ?? 64_512;
  return own > LARGEST_SHORT_ASN ? `${own}:1:${FIRST_VALUE}` : `${own}:${FIRST_VALUE}`;
}

interface ListStepProps {
  readonly asn: number | undefined;
  /** Communities that the policy of the tenant allows; null: all. */
  readonly allowed: readonly string[] | null;
}

/** What is announced first: a published list, one at an address, or ranges. */
export function ListStep({ asn, allowed }: ListStepProps) {
  const [kind, setKind] = useState<Kind>('preset');
  const [chosen, setChosen] = useState<ChosenPreset | null>(null);
  const [url, setUrl] = useState('');
  const [ranges, setRanges] = useState('');
  const [name, setName] = useState<string | null>(null);
  const [community, setCommunity] = useState(() => suggestedCommunity(asn, allowed));
  const queries = useQueryClient();
  const communities = useQuery(communitiesQuery);
  const presets = useQuery(presetsQuery);
  const reading = readingOf(kind, chosen, url.trim());
  const ownName = name ?? nameOf(kind, chosen, url);
  const list: FirstList = {
    ...{ name: ownName, community: community.trim() },
    content: reading === null ? { ranges: rangesIn(ranges) } : { source: reading },
  };
  const isSaid = kind === 'ranges' ? rangesIn(ranges).length > 0 : reading !== null;
  /** That it was to be taken before it was said whole. */
  const [unsaid, setUnsaid] = useState<Error | null>(null);
  /** From the event that sends it on until there is another step: what is typed meanwhile would be in no list. */
  const [isSent, setSent] = useState(false);
  const making = useMutation({
    // One that cannot be read is not taken unknowingly: the step that reads it is two further on.
    mutationFn: async ({ isUnread }: Attempt) => {
      if (reading !== null && !isUnread) await previewList(reading);
      return makeList(list, communities.data ?? []);
    },
    onSuccess: () => void queries.invalidateQueries(),
    onError: () => setSent(false),
  });
  /** What was wrong with one list is no matter of another. */
  const choose = (one: Kind): void => {
    if (isSent) return;
    making.reset();
    setUnsaid(null);
    setKind(one);
  };
  const take = (isUnread: boolean): void => {
    setSent(true);
    making.mutate({ isUnread, ranges });
  };
  const rangeFaults =
    kind === 'ranges' ? faultsOfRanges(making.error, making.variables?.ranges ?? '', ranges) : null;
  const form = useRef<HTMLFormElement>(null);
  useFaultInSight(form, unsaid ?? making.error);
  return (
    <form
      ref={form}
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        setUnsaid(isSaid ? null : new Error(welcomeText.noUrl));
        if (isSaid) take(false);
      }}
    >
      <fieldset>
        <legend className="legend">{welcomeText.kind}</legend>
        {KINDS.map((one) => (
          <label key={one} className="check">
            <input type="radio" name="kind" checked={kind === one} onChange={() => choose(one)} />
            <span>
              {welcomeText.kinds[one]} <span className="muted">{welcomeText.kindHints[one]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {kind === 'preset' && (
        <Loaded query={presets}>
          {({ items }) => <PresetChoice {...{ presets: items, chosen, isSent }} onChoose={setChosen} />}
        </Loaded>
      )}
      {kind === 'own' && (
        <Field
          {...{ label: welcomeText.url, className: 'input mono', value: url, inputMode: 'url' }}
          {...{ spellCheck: false, autoComplete: 'off', readOnly: isSent }}
          error={isSaid ? undefined : unsaid?.message}
          placeholder={welcomeText.urlBegins}
          onChange={({ target }) => {
            making.reset();
            setUrl(target.value);
          }}
        />
      )}
      {kind === 'ranges' && (
        <Control
          label={welcomeText.ranges}
          hint={formText.linesHint}
          error={rangeFaults?.join('\n') || undefined}
        >
          {(tied) => (
            <textarea
              {...tied}
              {...{ className: 'input mono', rows: 5, required: true, spellCheck: false, value: ranges }}
              readOnly={isSent}
              placeholder={welcomeText.rangesLook}
              onChange={({ target }) => setRanges(target.value)}
            />
          )}
        </Control>
      )}
      {isSaid && (
        <div className="welcome-pair">
          <Field
            {...{ label: welcomeText.name, required: true, className: 'input', value: ownName }}
            readOnly={isSent}
            onChange={({ target }) => setName(target.value)}
          />
          <Field
            {...{ label: welcomeText.community, hint: welcomeText.communityHint, required: true }}
            {...{ className: 'input mono', value: community, readOnly: isSent }}
            onChange={({ target }) => setCommunity(target.value)}
          />
        </div>
      )}
      {reading !== null && <Preview key={JSON.stringify(reading)} reading={reading} />}
      {making.error !== null && rangeFaults === null && (
        <Problem error={making.error} onRetry={() => take(false)} />
      )}
      {isUnreadable(making.error) && (
        <p>
          <Button onClick={() => take(true)}>{welcomeText.takeUnread}</Button>
        </p>
      )}
      <Unsaved isDirty={(url !== '' || ranges !== '') && isLeft(making)} />
      <p>
        <Button type="submit" look="primary" disabled={!isSaid && kind !== 'own'} isBusy={isSent}>
          {welcomeText.take}
        </Button>
      </p>
    </form>
  );
}

/** The service has tried, and its source did not give a list. */
function isUnreadable(error: Error | null): boolean {
  return error instanceof ApiProblem && error.code.startsWith('source_');
}

/** A comment as text lists have it: behind a sign that no prefix has. */
const COMMENT = /(?:#|;|\/\/).*$/;

interface TypedRange {
  readonly range: string;
  /** From 0. */
  readonly line: number;
}

/** Each once, where it stands first. */
function typedRanges(typed: string): TypedRange[] {
  const found = new Map<string, number>();
  for (const [line, text] of typed.split('\n').entries())
    for (const range of text.replace(COMMENT, '').split(/[\s,]+/))
      if (range !== '' && !found.has(range)) found.set(range, line);
  return Array.from(found, ([range, line]) => ({ range, line }));
}

function rangesIn(typed: string): string[] {
  return typedRanges(typed).map(({ range }) => range);
}

function readingOf(kind: Kind, chosen: ChosenPreset | null, url: string): SourceReading | null {
  if (kind === 'own') return isWebAddress(url) ? { url, format: 'auto' } : null;
  return kind === 'preset' && chosen !== null && URL.canParse(chosen.reading.url) ? chosen.reading : null;
}

/** `localhost:8080/list` parses as well, as an address of the scheme `localhost`. */
function isWebAddress(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

const AT_RANGE = /\/items\/(\d+)(?:\/|$)/;
const IN_REQUEST = /at \/items\/(\d+)\/cidr/g;

/**
 * What is wrong with which range, where the service refuses one.
 * @param sent what it was asked about; what has been corrected since is at fault no more
 * @returns null: it refused something else
 */
function faultsOfRanges(error: Error | null, sent: string, typed: string): string[] | null {
  if (!(error instanceof ApiProblem)) return null;
  const asked = typedRanges(sent);
  const now = new Map(typedRanges(typed).map(({ range, line }) => [range, line]));
  // One range may be another, written in another way: the service says at which place of the request that stands.
  const inLines = (detail: string): string =>
    detail.replace(IN_REQUEST, (_, at) => welcomeText.inLine((asked[Number(at)]?.line ?? 0) + 1));
  const faults = error.errors.flatMap(({ pointer, detail }) => {
    const range = asked[Number(AT_RANGE.exec(pointer)?.[1])]?.range;
    return range === undefined ? [] : [{ range, said: inWordsOfThePages(inLines(detail)) }];
  });
  if (faults.length === 0) return null;
  return faults.flatMap(({ range, said }) => {
    const line = now.get(range);
    return line === undefined
      ? []
      : [welcomeText.faultAt(line + 1, said.startsWith(range) ? said : `${range}: ${said}`)];
  });
}

function nameOf(kind: Kind, chosen: ChosenPreset | null, url: string): string {
  if (kind === 'preset') return chosen?.name ?? '';
  if (kind === 'ranges') return 'ranges';
  return isWebAddress(url) ? new URL(url).hostname : '';
}

/** What a refresh would make of the list now. */
function Preview({ reading }: { reading: SourceReading }) {
  const looking = useMutation({ mutationFn: () => previewList(reading) });
  const found = looking.data;
  return (
    <div className="welcome-preview">
      <p>
        <Button isBusy={looking.isPending} onClick={() => looking.mutate()}>
          {welcomeText.preview}
        </Button>
      </p>
      {looking.error !== null && <Problem error={looking.error} onRetry={() => looking.mutate()} />}
      {found !== undefined && (
        <div role="status">
          <p>
            {welcomeText.previewed(
              text.prefixes(sumOf(found.collected)),
              text.routes(sumOf(found.aggregated)),
            )}{' '}
            <code>{found.prefixes.slice(0, SHOWN_PREFIXES).join(', ')}</code>
            {found.prefixes.length > SHOWN_PREFIXES && ' …'}
          </p>
          {found.rejected_count > 0 && (
            <p className="muted">{welcomeText.rejected(count(found.rejected_count, 'line'))}</p>
          )}
        </div>
      )}
    </div>
  );
}

function sumOf({ ipv4, ipv6 }: { readonly ipv4: number; readonly ipv6: number }): number {
  return ipv4 + ipv6;
}
