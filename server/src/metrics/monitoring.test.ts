// Tests that the dashboard, the alerts and docs/monitoring.md use only metrics, labels and label values of a running
// portal.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { addLearner, addProduct } from '../../test/factories.ts';
import { openTestApp, type TestApp } from '../../test/open-test-app.ts';
import { readSamples, type Sample } from '../../test/read-samples.ts';

type Rule = {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; description: string };
};
type Panel = { id: number; title: string; type: string; targets?: { expr: string }[] };

const strict = parser.configure({ strict: true });
/** Names that Prometheus adds itself, so the portal's scrape does not contain them. */
const PROMETHEUS_METRICS = ['up'];
const PROMETHEUS_LABELS = ['instance', 'job'];

const read = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
const { groups } = parse(read('monitoring/alerts.yml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read('monitoring/grafana-dashboard.json')) as { panels: Panel[] };
const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ title, expr: expr.replaceAll('$__rate_interval', '5m') })),
);

let portal: TestApp;
let samples: Sample[];

beforeAll(async () => {
  portal = await openTestApp();
  const product = await addProduct(portal.db, { codes: 2 });
  const token = await portal.signIn((await addLearner(portal.db, [product])).email);
  await portal.call('POST', '/api/redeem-secure', { token, body: { productId: product.product_id } });
  await portal.call('POST', '/api/redeem-secure', { token, body: { productId: randomUUID() } });
  const response = await portal.app.inject({ url: '/metrics', headers: { host: 'localhost:3000' } });
  samples = readSamples(response.body);
});

afterAll(() => portal.close());

type Selector = { metric: string; matchers: { label: string; op: string; value: string }[] };

/** Returns the selectors and the grouping labels in a PromQL expression. @throws if the expression cannot be parsed. */
function readExpression(expr: string): { selectors: Selector[]; groupings: string[] } {
  const selectors: Selector[] = [];
  const groupings: string[] = [];
  strict.parse(expr).iterate({
    enter: ({ name, node, from, to }) => {
      const text = expr.slice(from, to);
      const parent = node.parent?.name;
      if (name === 'Identifier' && parent === 'VectorSelector')
        selectors.push({ metric: text, matchers: [] });
      if (name === 'LabelName' && parent === 'GroupingLabels') groupings.push(text);
      if (name === 'UnquotedLabelMatcher') {
        const [, label = '', op = '', value = ''] = /^(\w+)\s*(=~|!~|!=|=)\s*"(.*)"$/.exec(text) ?? [];
        selectors.at(-1)?.matchers.push({ label, op, value });
      }
    },
  });
  return { selectors, groupings };
}

/** Returns an error message for each metric, label or value in a PromQL expression that the scrape does not contain. */
function findErrors(expr: string): string[] {
  const { selectors, groupings } = readExpression(expr);
  const errors: string[] = [];
  const labels = new Set(PROMETHEUS_LABELS);
  for (const { metric, matchers } of selectors) {
    if (PROMETHEUS_METRICS.includes(metric)) continue;
    const own = samples.filter(({ name }) => name === metric);
    if (own.length === 0) errors.push(`no metric ${metric}`);
    for (const label of own.flatMap((sample) => Object.keys(sample.labels))) labels.add(label);
    for (const { label, op, value } of matchers) {
      if (PROMETHEUS_LABELS.includes(label)) continue;
      const values = own.map((sample) => sample.labels[label]);
      if (values.every((found) => found === undefined)) errors.push(`${metric} has no label ${label}`);
      // The metric must have each label value that the expression names, with two exceptions. A value after `!=` or
      // `!~` may be missing. The label `status` is not checked, because this test causes no server errors.
      if (label === 'status' || op.startsWith('!')) continue;
      const alternatives = op === '=' ? [value] : value.split('|');
      for (const wanted of alternatives) {
        const fits =
          op === '='
            ? (found?: string) => found === wanted
            : (found = '') => new RegExp(`^(?:${wanted})$`).test(found);
        if (!values.some(fits)) errors.push(`no ${metric} with ${label}${op}${wanted}`);
      }
    }
  }
  for (const label of groupings) if (!labels.has(label)) errors.push(`nothing has the label ${label}`);
  return errors;
}

test('the check itself finds wrong names', () => {
  expect(() => findErrors('sum(rate(portal_sign_ins_total[5m])')).toThrow();
  expect(findErrors('portal_sign_ins > 1')).toEqual(['no metric portal_sign_ins']);
  expect(findErrors('sum by (colour) (portal_redemptions_total{outcome=~"issued|lost"})')).toEqual([
    'no portal_redemptions_total with outcome=~lost',
    'nothing has the label colour',
  ]);
});

describe('alerts', () => {
  test.each(rules)('$alert uses existing names', ({ expr }) => {
    expect(findErrors(expr)).toEqual([]);
  });

  test.each(rules)('$alert has a severity, a summary and a description', ({ labels, annotations }) => {
    expect(labels.severity).toMatch(/^(critical|warning)$/);
    expect(annotations.summary.length).toBeGreaterThan(10);
    expect(annotations.description.length).toBeGreaterThan(40);
  });

  test('alerts have unique names', () => {
    const names = rules.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('dashboard', () => {
  test.each(queries)('$title uses existing names: $expr', ({ expr }) => {
    expect(findErrors(expr)).toEqual([]);
  });

  test('every panel has a unique id and, unless it is a heading, a query', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { type, targets = [], title } of dashboard.panels) {
      expect(targets.length > 0, title).toBe(type !== 'row');
    }
  });
});

test('every metric of the portal is in docs/monitoring.md', () => {
  const base = (name: string) => name.replace(/_(bucket|sum|count)$/, '');
  const ours = new Set(samples.map(({ name }) => base(name)).filter((name) => name.startsWith('portal_')));
  const documentation = read('docs/monitoring.md');
  expect([...ours].filter((name) => !documentation.includes(`\`${name}\``))).toEqual([]);
});
