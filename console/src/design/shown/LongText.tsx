import './long-text.css';

/** Characters that are shown first: no more lines than anybody wants to see. */
const SHORT = 400;

interface LongTextProps {
  readonly text: string;
  readonly label: string;
}

/** What somebody has written about a thing. However long it is, what the page is for stays near; the rest is scrolled to. */
export function LongText({ text, label }: LongTextProps) {
  if (text.length <= SHORT) return <span className="name">{text}</span>;
  return (
    <div className="name long-text" tabIndex={0} role="region" aria-label={label}>
      {text}
    </div>
  );
}
