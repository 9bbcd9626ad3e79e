import { editedCohort, editedPerson, editedProduct, grantDays } from '@portal/contract';
import { parseSync } from 'vite';
import { expect, test } from 'vitest';
import { findAboutAll, findLabel, groupByDay, sayEntry } from './details.tsx';
import { auditLineOf } from './sample-line.ts';

const NAMES = new Map([
  ['p1', 'Tarnquill'],
  ['p2', 'Lumifern'],
]);
const person = (id: string) => ({ user_id: id, email: `${id}@learner.example`, name: null });
const given = (id: string, fields: object) =>
  auditLineOf({ id, action: 'grant.create', actor: 'noor@team.example', ...fields });

/** Returns the sentences of the entries of each day. */
function sentencesOf(lines: ReturnType<typeof auditLineOf>[]) {
  return groupByDay(lines, NAMES).map(({ entries }) => entries.map((entry) => sayEntry(entry, NAMES)));
}

test('R-TRAIL-51: acts of the same second, actor and name are one line, whose sentence has the count', () => {
  const lines = [
    given('9', { at: '2025-11-20T09:00:00.900Z', detail: { product_ids: ['p1'] } }),
    given('8', { at: '2025-11-20T09:00:00.100Z', detail: { product_ids: ['p2'] } }),
    given('7', {
      at: '2025-11-20T09:00:00.100Z',
      actor: 'ravi@team.example',
      detail: { product_ids: ['p2'] },
    }),
    given('6', { at: '2025-11-20T08:59:59.900Z', detail: { product_ids: ['p2'] } }),
  ];
  expect(sentencesOf(lines)).toEqual([
    ['was given access to 2 products', 'was given access to Lumifern', 'was given access to Lumifern'],
  ]);
});

test('N-78: many people who got the same are one line about all of them', () => {
  const lines = ['3', '2', '1'].map((id) =>
    given(id, { person: person(id), detail: { product_ids: ['p1'] } }),
  );
  const [day] = groupByDay(lines, NAMES);
  expect(day?.entries.map((entry) => [sayEntry(entry, NAMES), findAboutAll(entry.lines)?.name])).toEqual([
    ['was given access to Tarnquill', '3 people'],
  ]);
  const other = given('0', { person: person('0'), detail: { product_ids: ['p2'] } });
  expect(sentencesOf([...lines, other])).toEqual([['4 accesses given']]);
  expect(findAboutAll(lines.slice(0, 1))?.name).toBe('3@learner.example');
});

test('acts without a form for many are folded only if their sentences are the same', () => {
  const sent = (id: string, kind: string) => auditLineOf({ id, action: 'mail.send', detail: { kind } });
  expect(sentencesOf([sent('3', 'sign-in'), sent('2', 'team'), sent('1', 'sign-in')])).toEqual([
    ['was sent the sign-in mail, 2 times', 'was sent the invitation to the team'],
  ]);
});

test('each note is a line of its own, and an act without words is shown by its name', () => {
  const note = (id: string) => auditLineOf({ id, action: 'note.add', detail: { text: id } });
  expect(sentencesOf([note('2'), note('1'), auditLineOf({ id: '0', action: 'comet.land' })])).toEqual([
    ['note', 'note', null],
  ]);
});

test('R-TRAIL-62: the order of the ids stays when the clock went back, so a day can appear twice', () => {
  const at = (id: string, day: string) => auditLineOf({ id, at: `2025-11-${day}T12:00:00.000Z` });
  const days = groupByDay([at('4', '20'), at('3', '19'), at('2', '20'), at('1', '20')], NAMES);
  expect(days.map(({ entries }) => entries.map(({ lines }) => lines.map(({ id }) => id)))).toEqual([
    [['4']],
    [['3']],
    [['2', '1']],
  ]);
});

const sources: Record<string, string> = import.meta.glob(
  ['../../../../server/src/**/*.ts', '!../../../../server/src/**/*.test.ts'],
  { query: '?raw', import: 'default', eager: true },
);
/** What the search finds in the code, but no line contains. */
const NOT_WRITTEN = new Set([
  // Of an edit.
  ...['shared_coupon', 'version', 'archived'],
  // Of a job whose row has a `detail` too.
  ...['undoes', 'dates', 'found', 'ignored', 'tell', 'uploader', 'sha256', 'check'],
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
      // Only what is spread into an object becomes a part of it.
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
  const writing = Object.values(sources).filter((code) =>
    /\b(createAuditLine|createServiceLine|insert into audit)\b/.test(code),
  );
  const written = writing.flatMap(findFields);
  const edited = [editedProduct, editedPerson, editedCohort].flatMap(({ shape }) => Object.keys(shape));
  const fields = new Set([...written, ...edited, ...Object.keys(grantDays)]);
  expect(fields.size).toBeGreaterThan(40);
  const unnamed = [...fields].filter((field) => findLabel(field, 'user.edit') === undefined);
  expect(unnamed.filter((field) => !NOT_WRITTEN.has(field))).toEqual([]);
});
