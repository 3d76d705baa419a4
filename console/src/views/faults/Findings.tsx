import type { Finding } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { findingNumber, findingTitle } from '../../strings/findings.ts';
import { Prefix } from '../../design/shown/Prefix.tsx';
import { Remedy } from './Remedy.tsx';
import './findings.css';

/** Guardrails that are broken: what was measured beside what would be good. */
export function Findings({ findings }: { findings: readonly Finding[] }) {
  return (
    <ul className="findings">
      {findings.map((finding) => (
        <li key={finding.code + finding.detail}>
          <div className="finding-head">
            <span>
              <strong>{findingTitle(finding.code)}</strong> <code className="muted">{finding.code}</code>
            </span>
            {finding.measured !== null && (
              <span className="number">
                {text.guardrails.measured}{' '}
                <strong>{findingNumber(finding.code, finding.measured, finding.detail)}</strong>
                {finding.limit !== null && (
                  <>
                    {', '}
                    {text.guardrails.limit}{' '}
                    <strong>{findingNumber(finding.code, finding.limit, finding.detail)}</strong>
                  </>
                )}
              </span>
            )}
          </div>
          <p className="name">
            <Remedy text={finding.detail} />
          </p>
          {finding.examples.length > 0 && (
            <p className="finding-examples muted">
              {text.guardrails.examples}{' '}
              {finding.examples.map((example) => (
                <span key={example}>
                  <Sign change={changeOf(finding, example)} />
                  <Prefix prefix={example} />
                </span>
              ))}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

type Change = 'announced' | 'withdrawn';

/** What would happen to it; null: the finding is about no change. */
function changeOf({ lost }: Finding, example: string): Change | null {
  if (lost === undefined) return null;
  return lost.includes(example) ? 'withdrawn' : 'announced';
}

function Sign({ change }: { change: Change | null }) {
  if (change === null) return null;
  return (
    <span className={`change-${change}`} role="img" aria-label={text.changes[change]}>
      {text.changeSigns[change]}
    </span>
  );
}
