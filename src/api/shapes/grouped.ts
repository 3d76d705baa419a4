/** `2,000`, as `toLocaleString('en')` writes it, without loading what Node.js knows of languages: a start would pay for it. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
