// Generates input for fuzz tests of API calls: valid, nearly valid and invalid values.
import fc from 'fast-check';
import * as z from 'zod';

type JsonSchema = {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  enum?: unknown[];
  anyOf?: JsonSchema[];
};

/** Texts that often cause errors in databases, parsers, templates, URLs or user interfaces. */
const HOSTILE_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udc00x',
  '\u202Etxt.exe',
  '\uFEFF',
  'ﷺ'.repeat(50),
  'Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A',
  '👩‍👩‍👧‍👦',
  '-0',
  '1e309',
  '9223372036854775808',
  'NaN',
  'null',
  '__proto__',
  'constructor',
  "'; drop table coupon; --",
  '%00',
  '%',
  '../../etc/passwd',
  '{{7*7}}',
  '<script>alert(1)</script>',
  'x'.repeat(300),
  'x'.repeat(20_000),
  '{"a":1}',
  '\r\nSet-Cookie: a=b',
];

const fuzzNumber = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(0, -0, -1, 0.5, 2 ** 31, 2 ** 53, 2 ** 63, 1e308, Number.MAX_VALUE, 5e-324),
);

/** Generates texts. A third of them are HOSTILE_TEXTS; the others are random. */
export const fuzzText = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 40 }),
);

/** Generates any JSON value. */
export const fuzzValue: fc.Arbitrary<unknown> = fc.oneof(
  fuzzText,
  fuzzNumber,
  fc.constantFrom(null, true, false, [], {}),
  fc.array(fuzzText, { maxLength: 3 }),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constant(nestArrays(200)),
);

/**
 * Returns a generator of values for `schema`. Many values match the schema. The other values lack fields, or have
 * fields with a wrong type, or fields that are not in the schema. Many text fields contain one of the `known` texts, so
 * that calls find rows.
 */
export function fuzzFor(schema: z.core.$ZodType, known: readonly string[]): fc.Arbitrary<unknown> {
  const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  return fc.oneof({ weight: 9, arbitrary: build(described, known) }, { weight: 1, arbitrary: fuzzValue });
}

/**
 * Returns a generator of requests that differ from the valid `request` in one value: an identifier in the path, or a
 * field of the query or of the body. The other value is one of the `known` texts, or any JSON value.
 */
export function changeOneField<T extends { parts: [string, string]; query: unknown; body: unknown }>(
  request: T,
  known: readonly string[],
): fc.Arbitrary<T> {
  const text = fc.oneof(fc.constantFrom(...known), fuzzText);
  const [first, second] = request.parts;
  const changeIn = (place: 'query' | 'body', value: fc.Arbitrary<unknown>) =>
    Object.keys(request[place] as object).map((name) =>
      value.map((other) => ({ ...request, [place]: { ...(request[place] as object), [name]: other } })),
    );
  return fc.oneof(
    text.map((part) => ({ ...request, parts: [part, second] })),
    ...(second === '' ? [] : [text.map((part) => ({ ...request, parts: [first, part] }))]),
    ...changeIn('query', text),
    ...changeIn('body', fc.oneof(fc.constantFrom(...known), fuzzValue)),
  );
}

function build(schema: JsonSchema, known: readonly string[]): fc.Arbitrary<unknown> {
  const fitting = buildFitting(schema, known);
  return fc.oneof({ weight: 5, arbitrary: fitting }, { weight: 1, arbitrary: fuzzValue });
}

function buildFitting(schema: JsonSchema, known: readonly string[]): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((each) => build(each, known)));
  switch ([schema.type].flat()[0]) {
    case 'object':
      return buildObject(schema.properties ?? {}, known);
    case 'array':
      return fc.array(build(schema.items ?? {}, known), { maxLength: 5 });
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return fuzzNumber;
    default:
      return fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...known) },
        { weight: 1, arbitrary: fuzzText },
      );
  }
}

function buildObject(
  properties: Record<string, JsonSchema>,
  known: readonly string[],
): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, each]) => [name, build(each, known)]),
  );
  const missing = fc.record(fields, { requiredKeys: [] });
  const whole = fc.record(fields);
  const extra = fc.tuple(whole, fc.dictionary(fuzzText, fuzzValue, { maxKeys: 2 })).map(([own, more]) => ({
    ...more,
    ...own,
  }));
  return fc.oneof({ weight: 4, arbitrary: whole }, missing, extra);
}

function nestArrays(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}
