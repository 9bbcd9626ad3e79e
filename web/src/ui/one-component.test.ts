import { expect, test } from 'vitest';

const sources: Record<string, string> = import.meta.glob('./*.tsx', {
  query: '?raw',
  import: 'default',
  eager: true,
});
const COMPONENT = /^(?:export )?(?:function|const) ([A-Z][a-z]\w*)/gm;

test.each(Object.entries(sources))('%s holds one component, which has its name', (file, code) => {
  const components = [...code.matchAll(COMPONENT)].map(([, name]) => name);
  const name = file.replace('.tsx', '').replaceAll(/[/-](\w)/g, (_part, letter) => letter.toUpperCase());
  expect(components.map((each) => `.${each}`)).toEqual([name]);
});
