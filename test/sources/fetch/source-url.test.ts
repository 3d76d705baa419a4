import { describe, expect, it } from 'vitest';
import { checkSourceUrl, shownUrl } from '../../../src/sources/fetch/source-url.ts';

describe('checkSourceUrl', () => {
  it.each([
    ['https://example.com/list.txt', 'https://example.com/list.txt'],
    ['http://example.com:8080?a=1', 'http://example.com:8080/?a=1'],
    ['HTTPS://EXAMPLE.com/A#part', 'https://example.com/A'],
    ['https://bücher.example/ä', 'https://xn--bcher-kva.example/%C3%A4'],
    ['http://[2a00:1::1]/', 'http://[2a00:1::1]/'],
  ])('reads %s', (text, href) => {
    const checked = checkSourceUrl(text);
    expect(checked.ok && checked.value.href).toBe(href);
  });

  it.each([
    ['', /not a URL: write it in full/],
    ['example.com/list.txt', /not a URL/],
    ['/list.txt', /not a URL/],
    ['http://', /not a URL/],
    ['http://256.1.1.1/', /not a URL/],
    ['https://example.com:99999/', /not a URL/],
    ['ftp://example.com/list', /begins with ftp:/],
    ['file:///etc/passwd', /begins with file:/],
    ['javascript:alert(1)', /begins with javascript:/],
    ['https://user@example.com/', /put them into a header/],
    ['https://:pass@example.com/', /put them into a header/],
    [' https://example.com/', /blank or a control character/],
    ['https://example.com/a b', /blank or a control character/],
    ['https://exam\nple.com/', /blank or a control character/],
    ['https://example.com/\0', /blank or a control character/],
    [`https://example.com/${'a'.repeat(2048)}`, /longer than 2048/],
  ])('refuses %j', (text, reason) => {
    expect(checkSourceUrl(text)).toEqual({ ok: false, reason: expect.stringMatching(reason) as string });
  });
});

describe('shownUrl', () => {
  it('leaves the query out', () => {
    expect(shownUrl(new URL('https://example.com/a?token=s'))).toBe('https://example.com/a?…');
    expect(shownUrl(new URL('https://example.com/a'))).toBe('https://example.com/a');
  });
});
