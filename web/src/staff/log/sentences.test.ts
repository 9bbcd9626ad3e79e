// Compares the words of the acts to the acts that the server writes (R-TRAIL-53).
import type { AuditLine } from '@portal/contract';
import { de } from '@portal/contract/german';
import { afterEach, expect, test } from 'vitest';
import { setCurrentLocale } from '../../words/format.ts';
import { auditLineOf } from './sample-line.ts';
import { findAct, KNOWN_ACTS } from './sentences.ts';

const sources: Record<string, string> = import.meta.glob(
  ['../../../../server/{src,migrations}/**/*.{ts,sql}', '!../../../../server/src/**/*.test.ts'],
  { query: '?raw', import: 'default', eager: true },
);
const code = Object.values(sources).join('\n');

/** Acts whose names the server puts together, by the text in its source code. */
const COMPOSED: Record<string, string[]> = {
  '`batch.${act.kind}`': ['batch.void', 'batch.use_by'],
};

/** Acts that only earlier versions of the portal wrote. */
const OLD = [
  ...['user.make_admin', 'user.remove_admin', 'products.import', 'users.import', 'coupons.import'],
];
/** Acts that this version does not write yet. */
const TO_COME = ['mail.bounce'];

const PRODUCT = { product_id: 'p1', name: 'Tarnquill' };
const NAMES = new Map([['p1', 'Tarnquill']]);

afterEach(() => {
  setCurrentLocale({ catalogue: null, language: 'en', locale: 'en' });
});

/** Returns the names of acts in the server's source code. */
function findActs(): string[] {
  const nouns = [...new Set(KNOWN_ACTS.map((act) => act.split('.')[0]))].join('|');
  // In the arguments of `createAuditLine` and in SQL, an act is a whole string such as 'coupon.redeem'. Acts with a new
  // noun are found where the name of the field is next to it.
  const literals = [
    ...code.matchAll(new RegExp(`'((?:${nouns})\\.[a-z_]+)'`, 'g')),
    ...code.matchAll(/\baction: '([a-z_]+\.[a-z_]+)'/g),
    ...code.matchAll(/createServiceLine\(\s*\w+,\s*'([a-z_]+\.[a-z_]+)'/g),
  ].map(([, act = '']) => act);
  const composed = [...code.matchAll(/\baction: (`[^`]+`)/g)].flatMap(
    ([, text = '']) => COMPOSED[text] ?? [text],
  );
  return [...new Set([...literals, ...composed])].sort();
}

test('R-TRAIL-53: each act of the server has words, and each act with words exists', () => {
  const acts = findActs();
  expect(acts.length).toBeGreaterThan(40);
  expect(acts.filter((act) => !findAct(act))).toEqual([]);
  expect(KNOWN_ACTS.filter((act) => ![...acts, ...OLD, ...TO_COME].includes(act))).toEqual([]);
});

test.each(['en', 'de'])(
  'R-TRAIL-53, R-TRAIL-51: in %s each act has a sentence, for one line and for many',
  (language) => {
    if (language === 'de') setCurrentLocale({ catalogue: de, language: 'de', locale: 'de' });
    const texts = KNOWN_ACTS.flatMap((action) => {
      const lines = [auditLineOf({ action }), auditLineOf({ action, product: PRODUCT, detail: DETAIL })];
      const act = findAct(action);
      return [...lines.map((line) => act?.say(line, NAMES)), act?.sayMany?.(lines, NAMES) ?? 'none'];
    });
    expect(texts.filter((text) => !text || /[{}]|undefined|null|NaN/.test(text))).toEqual([]);
  },
);

const DETAIL = {
  team_role: ['support', 'viewer'],
  product_ids: ['p1'],
  reason: 'refund',
  kind: 'sign-in',
  count: 3,
};

const SENTENCES: [string, Partial<AuditLine>, string, string][] = [
  [
    'coupon.redeem',
    { product: PRODUCT, coupon: { id: '7', hint: 'K5M7' } },
    'took a code of Tarnquill (…K5M7)',
    'Code von Tarnquill geholt (…K5M7)',
  ],
  [
    'coupon.redeem',
    { product: PRODUCT, coupon: { id: '7', hint: null } },
    'took a code of Tarnquill',
    'Code von Tarnquill geholt',
  ],
  [
    'grant.withdraw',
    { product: PRODUCT, actor: 'noor@team.example', actor_name: 'Noor', detail: { reason: 'refund' } },
    'access to Tarnquill removed by Noor: refund',
    'Zugang zu Tarnquill entzogen von Noor: refund',
  ],
  [
    'grant.withdraw',
    { product: PRODUCT, actor: 'noor@team.example', detail: { reason: 'refund' } },
    'access to Tarnquill removed by noor@team.example: refund',
    'Zugang zu Tarnquill entzogen von noor@team.example: refund',
  ],
  ['mail.send', { detail: { kind: 'sign-in' } }, 'was sent the sign-in mail', 'Anmelde-Mail gesendet'],
  [
    'team.role',
    { detail: { team_role: ['support', 'viewer'] } },
    'role changed from support to viewer',
    'Rolle geändert von Support zu Betrachter',
  ],
  [
    'grant.create',
    { detail: { product_ids: ['p1'] } },
    'was given access to Tarnquill',
    'Zugang zu Tarnquill bekommen',
  ],
  [
    'grant.create',
    { detail: { product_ids: 'all' } },
    'was given access to all products',
    'Zugang zu allen Produkten bekommen',
  ],
  ['batch.void', { detail: { voided: 1200 } }, '1,200 codes voided', '1.200 Codes ungültig gemacht'],
];

test.each(SENTENCES)('R-TRAIL-51, N-76, N-78: %s with %j', (action, line, english, german) => {
  const sentence = () => findAct(action)?.say(auditLineOf({ ...line, action }), NAMES);
  expect(sentence()).toBe(english);
  setCurrentLocale({ catalogue: de, language: 'de', locale: 'de' });
  expect(sentence()).toBe(german);
});
