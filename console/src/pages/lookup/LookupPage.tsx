import { ApiProblem } from '@prefixcast/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { containingQuery, lookupQuery } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { chainText } from '../../strings/lookup.ts';
import { Community } from '../../views/resources/Community.tsx';
import { EmptyWithLink } from '../../views/page/EmptyWithLink.tsx';
import { Loaded } from '../../views/page/Loaded.tsx';
import { Page, Section } from '../../views/page/Page.tsx';
import { Prefix } from '../../design/shown/Prefix.tsx';
import { LookupAnswer } from './LookupAnswer.tsx';
import { ManyAnswers, severalIn } from './ManyAnswers.tsx';
import { readingsIn } from './readings.ts';
import { useKnown, verdictOf } from './verdict.ts';
import './lookup.css';

const route = getRouteApi('/lookup');

export function LookupPage() {
  const { q = '' } = route.useSearch();
  const several = severalIn(q);
  const title = q === '' ? text.lookup.title : `${q} · ${text.lookup.title}`;
  return (
    <Page title={title} heading={text.lookup.title}>
      <LookupForm key={q} q={q} />
      <SaidVerdict q={several === null ? q : ''} />
      {q === '' ? (
        <EmptyWithLink
          title={text.lookup.emptyTitle}
          what={text.lookup.emptyWhat}
          to="modules"
          command={text.lookup.emptyCommand}
        />
      ) : several === null ? (
        <Answer q={q} />
      ) : (
        <ManyAnswers queries={several} />
      )}
    </Page>
  );
}

/** The verdict for who cannot see it. It is always there, since what comes with its text is not read. */
function SaidVerdict({ q }: { q: string }) {
  const { data, isPlaceholderData } = useQuery({ ...lookupQuery(q), enabled: q !== '' });
  const knownOf = useKnown();
  const known = data === undefined || isPlaceholderData || q === '' ? null : knownOf(data);
  return (
    <p role="status" className="visually-hidden">
      {/* Not before it is known whom it reaches: the word may be another one then. */}
      {known?.reach !== undefined && `${data!.normalized}: ${verdictOf(data!, known).word}`}
    </p>
  );
}

function LookupForm({ q }: { q: string }) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState(q);
  return (
    <form
      className="lookup-form"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        void navigate({ to: '/lookup', search: { q: typed.trim() } });
      }}
    >
      <input
        className="input mono"
        aria-label={text.lookup.label}
        placeholder={text.lookup.placeholder}
        value={typed}
        autoFocus={q === ''}
        spellCheck={false}
        required
        onChange={({ target }) => setTyped(target.value)}
        onPaste={(event) => {
          // A field of one line would join the lines of a list.
          const pasted = event.clipboardData.getData('text');
          if (!pasted.includes('\n')) return;
          event.preventDefault();
          setTyped(`${typed} ${pasted}`.trim().replace(/\s+/g, ' '));
        }}
      />
      <Button type="submit" look="primary">
        {text.lookup.submit}
      </Button>
    </form>
  );
}

function Answer({ q }: { q: string }) {
  const lookup = useQuery(lookupQuery(q));
  return (
    <>
      {q.includes('/') && <Covering prefix={q} />}
      <Loaded query={lookup}>{(found) => <LookupAnswer lookup={found} />}</Loaded>
      {lookup.error !== null && <Readings error={lookup.error} />}
    </>
  );
}

/** Of a prefix with host bits, what may have been meant: the next key looks it up. */
function Readings({ error }: { readonly error: Error }) {
  const first = useRef<HTMLAnchorElement>(null);
  const readings = readingsIn(error.message);
  const [network] = readings;
  useEffect(() => first.current?.focus(), [network]);
  if (readings.length === 0) return null;
  return (
    <p className="lookup-readings">
      {readings.map((reading, at) => (
        <Link key={reading} {...(at === 0 ? { ref: first } : {})} to="/lookup" search={{ q: reading }}>
          {text.palette.lookUp(reading)}
        </Link>
      ))}
    </p>
  );
}

/** Of the latest revision, the prefixes that have all of this one. */
function Covering({ prefix }: { prefix: string }) {
  const covering = useQuery(containingQuery(prefix));
  // The answer says what is wrong with the question.
  if (covering.error instanceof ApiProblem && covering.error.code === 'validation_failed') return null;
  // There is nothing yet that could have it, which is no fault of the question.
  if (covering.error instanceof ApiProblem && covering.error.code === 'not_found')
    return (
      <p className="muted">
        {chainText.noRevision} <Link to="/welcome">{text.overview.start}</Link>
      </p>
    );
  return (
    <Loaded query={covering}>
      {(items) =>
        items.length > 0 && (
          <Section title={text.lookup.covering(prefix)}>
            <ul className="lookup-list">
              {items.map(({ prefix: found, communities }) => (
                <li key={found}>
                  <Prefix prefix={found} />
                  {communities.map(({ community, title }) => (
                    <Community key={community} community={community} title={title} />
                  ))}
                </li>
              ))}
            </ul>
          </Section>
        )
      }
    </Loaded>
  );
}
