import { expect, test } from 'vitest';

const sources: Record<string, string> = import.meta.glob(['../**/*.tsx', '!../**/*.test.tsx'], {
  query: '?raw',
  import: 'default',
  eager: true,
});
/** Classes that every element may have, also an element with classes of a CSS module. */
const SHARED = new Set(['sr-only', 'truncate', 'wrap', 'link', 'animate-late', 'animate-rise']);
const CLASS_NAMES = /\bclassName=(?:"[^"]*"|\{(?:[^{}]|\{[^{}]*\})*\})/g;
/** Matches options of `buttonClass`. These options look like class names, but are not. */
const OPTION = /\b(?:look|size): '\w+'/g;
const TEXT = /'([^']*)'|"([^"]*)"|`([^`]*)`/g;

const elements = Object.entries(sources).flatMap(([file, code]) => {
  const modules = [...code.matchAll(/^import (\w+) from '[^']*\.module\.css'/gm)].map(([, name]) => name);
  const ofModule = new RegExp(`\\b(?:${modules.join('|') || 'none'})[.[]`);
  return [...code.matchAll(CLASS_NAMES)].map(([text]) => ({
    where: `${file}: ${text}`,
    ofStaff: file.startsWith('../pages/admin/'),
    hasModule: ofModule.test(text),
    utilities: [...text.replaceAll(OPTION, '').matchAll(TEXT)]
      .flatMap(([, ...found]) =>
        found
          .join('')
          .replaceAll(/\$\{[^}]*\}/g, '')
          .split(/\s+/),
      )
      .filter((name) => name !== '' && !SHARED.has(name)),
  }));
});

test('an element has either utilities or classes of a CSS module; admin pages have no utilities', () => {
  expect(elements.length).toBeGreaterThan(200);
  const wrong = elements.filter(
    ({ ofStaff, hasModule, utilities }) => (ofStaff || hasModule) && utilities.length > 0,
  );
  expect(wrong.map(({ where, utilities }) => `${where} has ${utilities.join(' ')}`)).toEqual([]);
});
