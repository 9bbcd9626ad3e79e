// Checks that the translation catalogues contain every text of the pages. Walks the syntax tree of each source file.
import { PRODUCT_DAYS, PRODUCT_FACTS, PRODUCT_TEXTS } from '@portal/contract';
import { counted, de, mailed, said, served } from '@portal/contract/german';
import { parseSync } from 'vite';
import { expect, test } from 'vitest';

type Node = { type: string; start: number; [field: string]: unknown };

const sources: Record<string, string> = import.meta.glob(
  ['../**/*.{ts,tsx}', '!../**/*.test.{ts,tsx}', '!./*.ts', '!../settings.ts', '!../admin-entries.ts'],
  { query: '?raw', import: 'default', eager: true },
);
const serverSources: Record<string, string> = import.meta.glob(
  ['../../../server/src/**/*.ts', '../../../contract/src/*.ts', '!../../../**/*.test.ts'],
  { query: '?raw', import: 'default', eager: true },
);
const mailSources: Record<string, string> = import.meta.glob(
  [
    '../../../server/src/auth/{sign-in-mail,confirm-routes}.ts',
    '../../../server/src/features/people/mails.ts',
  ],
  { query: '?raw', import: 'default', eager: true },
);
const catalogues = [{ language: 'de', said, counted, served, mailed, readServed: de.readServed }];

const TRANSLATE = ['t', 'said', 'tNode', 'tCount'];
/** Functions that get texts to translate later: the positions of the keys among their arguments. */
const LATER: Record<string, number[]> = { plural: [1], sentence: [1, 2], total: [3] };
/** Attributes and object fields whose values are shown to users. */
const TEXT_FIELDS = new Set(
  'aria-label aria-valuetext alt caption description heading hint label placeholder prompt sub summary text title waiting words'.split(
    ' ',
  ),
);
// Matches sentences ('Failed to import', 'Please wait.'), but no class names or HTTP headers.
const SENTENCE = /^\p{Lu}\p{L}*[,.]?\s+\p{L}/u;
const WORD = /\p{L}{2}/u;
// Matches paths, e-mail addresses and names of fields, which are not translated.
const IDENTIFIERS = /\S*[@_/]\S*/g;
const NAMES = /\{\w+\}/g;

const found = Object.entries(sources).map(([file, code]) => ({ file, ...inspect(file, code) }));
/** Labels that the pages translate with `formatLabel`. */
const labels = [...PRODUCT_TEXTS, ...PRODUCT_FACTS, ...PRODUCT_DAYS].map(({ label }) => label);
const keys = new Set([...found.flatMap((each) => each.keys), ...labels]);

test('every text of the pages is a literal argument of a t function, called inside a function', () => {
  expect(found.length).toBeGreaterThan(100);
  expect(found.flatMap(({ file, problems }) => problems.map((problem) => `${file}: ${problem}`))).toEqual([]);
});

test('dates and numbers are formatted in one file', () => {
  const others = Object.entries(sources).filter(([, code]) =>
    /toLocale(Date|Time)?String|Intl\.(?!\w+Options)/.test(code),
  );
  expect(others.map(([file]) => file)).toEqual([]);
});

test.each(catalogues)('$language translates every text, and no other', (catalogue) => {
  const translated = Object.keys({ ...catalogue.said, ...catalogue.counted });
  expect([...keys].filter((key) => !translated.includes(key))).toEqual([]);
  expect(translated.filter((key) => !keys.has(key))).toEqual([]);
});

test.each(catalogues)('translations in $language keep the placeholders in braces', (catalogue) => {
  const forms = Object.entries(catalogue.counted).flatMap(([key, entry]) =>
    Object.values(entry).map((text): [string, string] => [key, text]),
  );
  const others = [catalogue.said, catalogue.served, catalogue.mailed].flatMap(Object.entries<string>);
  const texts = [...forms, ...others];
  const differ = texts.filter(([key, text]) => namesIn(key) !== namesIn(text));
  expect(differ).toEqual([]);
});

test.each(catalogues)('$language has a form for each of its plural categories', (catalogue) => {
  const { pluralCategories } = new Intl.PluralRules(catalogue.language).resolvedOptions();
  for (const forms of Object.values(catalogue.counted)) {
    expect(Object.keys(forms).sort()).toEqual([...pluralCategories].sort());
  }
});

test.each(catalogues)(
  '$language translates every text of the mails and of the page that their links open',
  (catalogue) => {
    const files = Object.entries(mailSources).filter(([file]) => !file.endsWith('.test.ts'));
    const keys = new Set(files.flatMap(([file, code]) => inspect(file, code).keys));
    expect([...keys].sort()).toEqual(Object.keys(catalogue.mailed).sort());
  },
);

test.each(catalogues)(
  'each server message that $language translates exists literally in the server’s code',
  (catalogue) => {
    const code = Object.values(serverSources).join('\n');
    const unsaid = Object.keys(catalogue.served).filter((text) => !literalOf(text).test(code));
    expect(unsaid).toEqual([]);
  },
);

// Errors that no page shows: the page has a text of its own for the error, or never makes the call that fails so.
const UNSHOWN = [
  'Cohort not found',
  // An error of an operator's command.
  'The code of this product is shared: it is not used up',
  'Somebody else changed this product meanwhile. Reload to see their version.',
  'Somebody else changed this cohort meanwhile. Reload to see their version.',
  'Somebody else changed this person meanwhile. Reload to see their version.',
  'to must be another cohort',
  'shared_coupon cannot be changed',
  'use_by_default must be a day after today such as 2026-12-31',
  'revoke_code is not possible for a grant of 7',
  // An error of a dry run of the operator, in whose commands all texts are English.
  'The portal stops before the whole file was checked.',
  // Errors of redeeming, whose texts the specification defines. The ticket shows texts of its own.
  'Your email is not in our database.',
  'Oops! Seems like you do not have access! Please write to us at 7 if you think this is an error.',
  'Your access to this benefit begins on 7.',
  'Your access to this benefit ended on 7. Please write to us at 7',
  'Your code of this benefit was withdrawn. Please write to us at 7',
  'Redeeming opens on 7.',
  'This benefit is paused for the moment. Please try again later.',
];

test.each(catalogues)(
  '$language translates every error of the features and of bulk work',
  ({ readServed }) => {
    const errors = Object.entries(serverSources)
      .filter(([file]) => /\/(features|bulk|jobs)\/.*(?<!routes)\.ts$/.test(file))
      .flatMap(([, code]) => [...code.matchAll(/new AppError\(\s*'\w+',\s*(['"`])(.+?)\1\s*[,)]/gs)])
      // A number takes the place of each value in the text.
      .map(([, , message = '']) => message.replaceAll(/\$\{.*?\}/g, '7'));
    expect(errors.length).toBeGreaterThan(20);
    expect(
      errors.filter((message) => readServed(message) === undefined && !UNSHOWN.includes(message)),
    ).toEqual([]);
  },
);

test.each([
  ['<p>Hello there</p>', 1],
  ["<p>{busy ? 'Saving' : t('Save')}</p>", 1],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the string is sample code
  ['<p>{`${count} codes`}</p>', 1],
  ['<img alt="A ticket" />', 1],
  ["<Field label={'Email'} />", 1],
  ["showToast({ title: 'Error' })", 1],
  ["const words = 'Please try again'", 1],
  ['t(key)', 1],
  ["const ERROR = t('Error')", 1],
  ["tCount(count, { one: 'Set one day', other: 'Set {count} days' })", 0],
  ['plural(one, other)', 1],
  ["plural('Add {count} code', 'Add {count} codes')", 0],
  ['<p className="mt-auto flex">{t(\'Hello\')} · <code>coupon_code</code></p>', 0],
])('a text that bypasses the catalogue is found: %s', (code, count) => {
  const body = code.startsWith('const ERROR') ? code : `const draw = () => { ${code}; }`;
  expect(inspect('sample.tsx', body).problems).toHaveLength(count);
});

/** Returns the catalogue keys that a file uses, and its texts that bypass the catalogue. */
function inspect(file: string, code: string): { keys: string[]; problems: string[] } {
  const { program, errors } = parseSync(file, code, { lang: file.endsWith('x') ? 'tsx' : 'ts' });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const result = { keys: [] as string[], problems: [] as string[] };
  const note = (node: Node, text: string) => {
    const line = code.slice(0, node.start).split('\n').length;
    result.problems.push(`line ${line}: ${text.trim()}`);
  };

  const walk = (node: Node, isText: boolean, isLate: boolean): void => {
    if (node.type.startsWith('TS') && !('expression' in node)) return;
    if (node.type === 'ImportDeclaration' || node.type === 'ThrowStatement') {
      if (node.type === 'ThrowStatement') walkInto(node, false, isLate);
      return;
    }
    if (isCallOf(node, TRANSLATE)) {
      const key = keyOf(node);
      if (key === null || !isLate) note(node, code.slice(node.start, node.start + 60));
      else result.keys.push(key);
      // Walks only the arguments after the text. In `tCount`, the text is the second argument: an object with plural
      // forms.
      const values = (node.arguments as Node[]).slice(nameOf(node.callee) === 'tCount' ? 2 : 1);
      for (const value of values) walk(value, false, isLate);
      return;
    }
    const keysAt = isCallOf(node, Object.keys(LATER)) ? LATER[nameOf(node.callee)] : undefined;
    if (keysAt) {
      const texts = node.arguments as Node[];
      const keys = keysAt.flatMap((at) => texts[at] ?? []).map(literal);
      if (keys.includes(null)) note(node, code.slice(node.start, node.start + 60));
      result.keys.push(...keys.filter((key) => key !== null));
      for (const argument of texts) if (literal(argument) === null) walk(argument, false, isLate);
      return;
    }
    const text = textOf(node);
    if (text !== null && (isText ? WORD : SENTENCE).test(text.replaceAll(IDENTIFIERS, ''))) note(node, text);
    walkInto(node, isText, isLate);
  };

  const walkInto = (node: Node, isText: boolean, isLate: boolean): void => {
    const late = isLate || /Function/.test(node.type);
    for (const [field, child] of childrenOf(node)) walk(child, readByPeople(node, field, isText), late);
  };

  walk(program as unknown as Node, false, false);
  return result;
}

/**
 * Returns true if users see the part of the syntax node `node` that is in the property `field`. `isText` is true if
 * users see `node` itself.
 */
function readByPeople(node: Node, field: string, isText: boolean): boolean {
  switch (node.type) {
    case 'JSXElement':
      return field === 'children' && nameOf((node.openingElement as Node).name) !== 'code';
    case 'JSXFragment':
      return field === 'children';
    case 'JSXAttribute':
    case 'Property':
      return field === 'value' && TEXT_FIELDS.has(nameOf(node.name ?? node.key));
    case 'JSXExpressionContainer':
    case 'TemplateLiteral':
    case 'ParenthesizedExpression':
      return isText;
    case 'ConditionalExpression':
      return isText && field !== 'test';
    case 'LogicalExpression':
      return isText && (field === 'right' || node.operator !== '&&');
    default:
      return false;
  }
}

function childrenOf(node: Node): [string, Node][] {
  return Object.entries(node).flatMap(([field, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((child): child is Node => typeof child?.type === 'string')
      .map((child): [string, Node] => [field, child]),
  );
}

function textOf(node: Node): string | null {
  if (node.type === 'JSXText' || node.type === 'Literal')
    return typeof node.value === 'string' ? node.value : null;
  if (node.type === 'TemplateElement') return (node.value as { cooked: string }).cooked;
  return null;
}

function isCallOf(node: Node, names: string[]): boolean {
  return node.type === 'CallExpression' && names.includes(nameOf(node.callee));
}

/**
 * Returns the catalogue key of a call of a t function, for example `t`. Returns null if the key is no literal. The
 * key of a `tCount` call is the plural form of the text.
 */
function keyOf(call: Node): string | null {
  const [first, second] = call.arguments as Node[];
  if (nameOf(call.callee) !== 'tCount') return first ? literal(first) : null;
  const other = (second?.properties as Node[] | undefined)?.find((each) => nameOf(each.key) === 'other');
  return other ? literal(other.value as Node) : null;
}

function literal(node: Node): string | null {
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : null;
}

function nameOf(node: unknown): string {
  const { name, value } = (node ?? {}) as { name?: unknown; value?: unknown };
  return String(name ?? value ?? '');
}

function namesIn(text: string): string {
  return (text.match(NAMES) ?? []).sort().join();
}

/** Returns a pattern that finds `text` in source code, where each placeholder is written as `${…}`. */
function literalOf(text: string): RegExp {
  const escaped = text.replaceAll(/[.*+?^$()[\]\\|]/g, '\\$&').replaceAll(NAMES, '\\$\\{.*?\\}');
  return new RegExp(`['"\`]${escaped}['"\`]|\\b${escaped}: \\{`);
}
