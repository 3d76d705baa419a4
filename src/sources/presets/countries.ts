import type { SourcePreset } from '../../api/entries/source-presets.ts';

/** ISO 3166-1 alpha-2. */
const COUNTRIES =
  'ad ae af ag ai al am ao ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq br bs bt bw by bz ca cd cf cg ch ci ck cl cm ' +
  'cn co cr cu cv cw cy cz de dj dk dm do dz ec ee eg er es et fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gt gu gw gy ' +
  'hk hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md ' +
  'me mf mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pr ps pt ' +
  'pw py qa re ro rs ru rw sa sb sc sd se sg si sk sl sm sn so sr ss st sv sx sy sz tc td tg th tj tk tl tm tn to tr tt tv tw tz ua ug ' +
  'us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw';

const PATH = "$.prefixes['ipv4','ipv6'][*]";

/** The names of countries take Node.js a while: nobody may ask for them. */
export function countryPreset(): SourcePreset {
  const names = new Intl.DisplayNames('en', { type: 'region' });
  return {
    id: 'country',
    name: 'Country',
    provider: 'Regional Internet registries',
    category: 'country',
    description:
      'Addresses that the registries have delegated to holders in one country. Where they are used is another matter: a holder may use them ' +
      'anywhere. The preset has no list of its own; take a variant.',
    url: null,
    format: 'json',
    json_path: PATH,
    csv_column: null,
    variants: COUNTRIES.split(' ').map((code) => ({
      id: `country:${code.toUpperCase()}`,
      name: names.of(code.toUpperCase()) ?? code.toUpperCase(),
      url: `https://raw.githubusercontent.com/ipverse/rir-ip/master/country/${code}/aggregated.json`,
      format: 'json',
      json_path: PATH,
    })),
    documentation: 'https://github.com/ipverse/rir-ip',
  };
}
