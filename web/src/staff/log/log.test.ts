// Compares the words of the actions to the actions that the server writes (R-TRAIL-53), and checks the sentences of lines and of summaries.
import { type AuditLine, endpoints } from '@portal/contract';
import { de } from '@portal/contract/german';
import { parseSync } from 'vite';
import { afterEach, expect, test } from 'vitest';
import { setCurrentLocale } from '../../words/format.ts';
import { findLabel, formatLine } from './details.tsx';
import { groupByDay } from './lines.tsx';
import { findAction, KNOWN_ACTIONS } from './sentences.ts';

const sources: Record<string, string> = import.meta.glob(
  ['../../../../server/{src,schema}/**/*.{ts,sql}', '!../../../../server/src/**/*.test.ts'],
  { query: '?raw', import: 'default', eager: true },
);
const code = Object.values(sources).join('\n');

/** Actions whose names the server puts together, by the text in its source code. */
const COMPOSED: Record<string, string[]> = {
  '`batch.${act.kind}`': ['batch.void', 'batch.use_by'],
};

/** Actions that only earlier versions of the portal wrote. */
const OLD = [
  ...[
    'user.make_admin',
    'user.remove_admin',
    'user.grant_all',
    'products.import',
    'users.import',
    'coupons.import',
  ],
];
/** Actions that this version does not write yet. */
const TO_COME = ['mail.bounce'];

const PRODUCT = { product_id: 'p1', name: 'Tarnquill' };
const NAMES = new Map([
  ['p1', 'Tarnquill'],
  ['p2', 'Lumifern'],
]);

/** Returns a line in which nothing but `fields` is set. */
function auditLineOf(fields: Partial<AuditLine>): AuditLine {
  return {
    ...{
      id: '1',
      at: '2025-11-20T09:00:00.000Z',
      actor: 'learner',
      actor_name: null,
      action: 'coupon.redeem',
    },
    ...{
      via: 'page',
      ip: null,
      person: null,
      product: null,
      coupon: null,
      cohort: null,
      batch: null,
      detail: {},
      group_id: null,
    },
    ...fields,
  };
}

afterEach(() => {
  setCurrentLocale({ catalogue: null, language: 'en', locale: 'en' });
});

/** Returns the names of actions in the server's source code. */
function findActions(): string[] {
  const nouns = [...new Set(KNOWN_ACTIONS.map((action) => action.split('.')[0]))].join('|');
  // In the arguments of `createAuditLine` and in SQL, an action is a whole string such as 'coupon.redeem'. Actions with a new
  // noun are found where the name of the field is next to it.
  const literals = [
    ...code.matchAll(new RegExp(`'((?:${nouns})\\.[a-z_]+)'`, 'g')),
    ...code.matchAll(/\baction: '([a-z_]+\.[a-z_]+)'/g),
    ...code.matchAll(/createServiceLine\(\s*\w+,\s*'([a-z_]+\.[a-z_]+)'/g),
  ].map(([, action = '']) => action);
  const composed = [...code.matchAll(/\baction: (`[^`]+`)/g)].flatMap(
    ([, text = '']) => COMPOSED[text] ?? [text],
  );
  return [...new Set([...literals, ...composed])].sort();
}

test('R-TRAIL-53: each act of the server has words, and each act with words exists', () => {
  const actions = findActions();
  expect(actions.length).toBeGreaterThan(40);
  expect(actions.filter((action) => !findAction(action))).toEqual([]);
  expect(KNOWN_ACTIONS.filter((action) => ![...actions, ...OLD, ...TO_COME].includes(action))).toEqual([]);
});

test.each(['en', 'de'])('R-TRAIL-53, R-TRAIL-51: in %s each act has a sentence', (language) => {
  if (language === 'de') setCurrentLocale({ catalogue: de, language: 'de', locale: 'de' });
  const texts = KNOWN_ACTIONS.flatMap((name) => {
    const lines = [
      auditLineOf({ action: name }),
      auditLineOf({ action: name, product: PRODUCT, detail: DETAIL }),
    ];
    const action = findAction(name);
    return lines.map((line) => action?.t(line, NAMES));
  });
  expect(texts.filter((text) => !text || /[{}]|undefined|null|NaN/.test(text))).toEqual([]);
});

const DETAIL = {
  team_role: ['support', 'viewer'],
  product_ids: ['p1'],
  reason: 'refund',
  kind: 'sign-in',
  count: 3,
};

const SENTENCES: [string, Partial<AuditLine>, string, string][] = [
  // R-DAY-38: a line about a code names its suffix, also before the reason.
  [
    'coupon.revoke',
    {
      product: PRODUCT,
      coupon: { id: '7', hint: 'K5-M7' },
      actor: 'a@team.example',
      detail: { reason: 'refund' },
    },
    'code of Tarnquill revoked by a@team.example (…K5-M7): refund',
    'Code für Tarnquill zurückgezogen von a@team.example (…K5-M7): refund',
  ],
  ['note.add', { coupon: { id: '7', hint: 'K5M7' } }, 'note (…K5M7)', 'Notiz (…K5M7)'],
  [
    'coupon.redeem',
    { product: PRODUCT, coupon: { id: '7', hint: 'K5M7' } },
    'redeemed Tarnquill (…K5M7)',
    'Tarnquill eingelöst (…K5M7)',
  ],
  [
    'coupon.redeem',
    { product: PRODUCT, coupon: { id: '7', hint: null } },
    'redeemed Tarnquill',
    'Tarnquill eingelöst',
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
  ['mail.send', { detail: { kind: 'sign-in' } }, 'was sent the sign-in email', 'Anmelde-E-Mail gesendet'],
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
  const sentence = () => findAction(action)?.t(auditLineOf({ ...line, action }), NAMES);
  expect(sentence()).toBe(english);
  setCurrentLocale({ catalogue: de, language: 'de', locale: 'de' });
  expect(sentence()).toBe(german);
});

const person = (id: string) => ({ user_id: id, email: `${id}@learner.example`, name: null });
/** Returns the sentences of the lines of each day. */
function sentencesOf(lines: ReturnType<typeof auditLineOf>[]) {
  return groupByDay(lines).map((day) => day.lines.map((line) => formatLine(line, NAMES)));
}

test('R-TRAIL-51: each line is a row of its own, and an act without words is shown by its name', () => {
  const sent = (id: string) => auditLineOf({ id, action: 'mail.send', detail: { kind: 'sign-in' } });
  expect(sentencesOf([sent('3'), sent('2'), auditLineOf({ id: '1', action: 'comet.land' })])).toEqual([
    ['was sent the sign-in email', 'was sent the sign-in email', null],
  ]);
});

const AUTUMN = { cohort_id: 'c1', name: 'Autumn 2026' };
const imported = (detail: object) => ({
  ...{ action: 'import.done', group_id: 'g1' },
  detail: { kind: 'users', file_name: 'shop.csv', count: 300, success: 300, failures: 0, ...detail },
});

const SUMMARIES: [Partial<AuditLine>, string, string][] = [
  [
    { action: 'user.act', cohort: AUTUMN, detail: { act: 'join', count: 10_000 } },
    '10,000 people joined Autumn 2026',
    '10.000 Personen in Autumn 2026 aufgenommen',
  ],
  [
    { action: 'member.add', cohort: AUTUMN, detail: { count: 2 } },
    '2 people joined Autumn 2026',
    '2 Personen in Autumn 2026 aufgenommen',
  ],
  [
    { action: 'member.add', cohort: AUTUMN, others: 299, person: person('7') },
    'joined Autumn 2026 with 299 others',
    'in Autumn 2026 aufgenommen, zusammen mit 299 anderen',
  ],
  [
    { action: 'member.add', cohort: AUTUMN, others: 1, person: person('7') },
    'joined Autumn 2026 with 1 other',
    'in Autumn 2026 aufgenommen, zusammen mit 1 anderen Person',
  ],
  [
    { action: 'member.move', detail: { cohort: ['Autumn', 'Winter'], count: 40 } },
    '40 people moved from Autumn to Winter',
    '40 Personen von Autumn nach Winter verschoben',
  ],
  [
    { action: 'user.act', detail: { act: 'grant', product_ids: ['p1'], count: 30 } },
    '30 people were given access to Tarnquill',
    '30 Personen haben Zugang zu Tarnquill bekommen',
  ],
  [imported({}), '300 people added by file shop.csv', '300 Personen durch Datei shop.csv angelegt'],
  [
    imported({ failures: 1 }),
    '300 people added by file shop.csv, 1 row failed',
    '300 Personen durch Datei shop.csv angelegt, 1 Zeile fehlerhaft',
  ],
  [
    imported({ cancelled: true }),
    '300 people added by file shop.csv, then upload cancelled',
    '300 Personen durch Datei shop.csv angelegt, dann: Upload abgebrochen',
  ],
  [
    { ...imported({ count: 0, joined: 12 }), cohort: AUTUMN },
    '12 people joined Autumn 2026 by file shop.csv',
    '12 Personen durch Datei shop.csv in Autumn 2026 aufgenommen',
  ],
  [
    imported({ count: 0, duplicates: 4 }),
    'upload finished: 300 new, 4 duplicates, 0 failed',
    'Upload fertig: 300 neu, 4 doppelt, 0 fehlerhaft',
  ],
];

test.each(SUMMARIES)('R-DAY-40, N-221: the sentence of %j', (fields, english, german) => {
  const sentence = () => formatLine(auditLineOf(fields), NAMES)?.replaceAll(/[\u2068\u2069]/g, '');
  expect(sentence()).toBe(english);
  setCurrentLocale({ catalogue: de, language: 'de', locale: 'de' });
  expect(sentence()).toBe(german);
});

test('R-TRAIL-51: on the page of its product or code, a sentence does not name the product', () => {
  const line = auditLineOf({ action: 'coupon.redeem', product: PRODUCT, coupon: { id: '7', hint: 'K5M7' } });
  expect(formatLine({ ...line, isOwn: true }, NAMES)).toBe('redeemed a code (…K5M7)');
  setCurrentLocale({ catalogue: de, language: 'de', locale: 'de' });
  expect(formatLine({ ...line, isOwn: true }, NAMES)).toBe('Code eingelöst (…K5M7)');
});

test('R-TRAIL-62: the order of the ids stays when the clock went back, so a day can appear twice', () => {
  const at = (id: string, day: string) => auditLineOf({ id, at: `2025-11-${day}T12:00:00.000Z` });
  const days = groupByDay([at('4', '20'), at('3', '19'), at('2', '20'), at('1', '20')]);
  expect(days.map(({ lines }) => lines.map(({ id }) => id))).toEqual([['4'], ['3'], ['2', '1']]);
});

const modules: Record<string, string> = import.meta.glob(
  ['../../../../server/src/**/*.ts', '!../../../../server/src/**/*.test.ts'],
  { query: '?raw', import: 'default', eager: true },
);
/** Names that `findFields` finds in the code, but that no line contains. */
const NOT_WRITTEN = new Set([
  // Fields of an edit.
  ...['shared_coupon', 'version', 'archived', 'was'],
  // Fields of a job, whose row also has a column `detail`.
  ...[
    'undoes',
    'dates',
    'found',
    'ignored',
    'left_out',
    'tell',
    'uploader',
    'sha256',
    'update_names',
    'check',
    'audited',
  ],
  // A value in SQL.
  'ready',
]);

type Node = { type: string; [field: string]: unknown };

/** Returns the names in the objects `detail` of the code, also in objects that are spread into them. */
function findFields(code: string): string[] {
  const fields: string[] = [];
  const walk = (node: unknown, isDetail: boolean): void => {
    if (Array.isArray(node)) for (const each of node) walk(each, isDetail);
    if (typeof (node as Node | null)?.type !== 'string') return;
    const { type, key, id, value, init, ...rest } = node as Node;
    const name = (key ?? id) as { name?: string } | undefined;
    if (type === 'Property' && isDetail) fields.push(`${name?.name}`);
    else if (type === 'Property' || type === 'VariableDeclarator')
      walk(value ?? init, name?.name === 'detail');
    else {
      // Only a spread (`...`) adds fields to an object.
      const isPart = /^(Object|Spread|Logical|Conditional|Parenthesized)/.test(type);
      walk([...Object.values(rest), value, init, id], isDetail && isPart);
    }
  };
  walk(parseSync('x.ts', code).program as unknown as Node, false);
  const statements = code.matchAll(/insert into audit\b[^`]*?jsonb_build_object\(([^`]*)/g);
  const names = [...statements].flatMap(([, fieldsOf = '']) => [...fieldsOf.matchAll(/'(\w+)',/g)]);
  return [...fields, ...names.map(([, name = '']) => name)];
}

test('R-TRAIL-51: each field that an act writes into `detail` has a label, or is hidden', () => {
  const writing = Object.values(modules).filter((code) =>
    /\b(createAuditLine|createServiceLine|insert into audit)\b/.test(code),
  );
  const written = writing.flatMap(findFields);
  const edits = endpoints.filter(({ path }) => path.endsWith('/edit'));
  expect(edits.length).toBeGreaterThan(3);
  const edited = edits.flatMap(({ body }) => Object.keys((body as unknown as { shape: object }).shape));
  const fields = new Set([...written, ...edited]);
  expect(fields.size).toBeGreaterThan(40);
  const unnamed = [...fields].filter((field) => findLabel(field, 'user.edit') === undefined);
  expect(unnamed.filter((field) => !NOT_WRITTEN.has(field))).toEqual([]);
});
