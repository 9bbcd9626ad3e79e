import { isValidElement } from 'react';
import { expect, test } from 'vitest';
import { listByColumn } from './person.tsx';

test.each([
  ['staff@example.org', true],
  ['operator', false],
  ['key:shop', false],
  ['key:shop@example.org', false],
  [null, false],
])('R-FIND-02: the actor %s is a link: %s', (created_by, isLink) => {
  const column = listByColumn();
  const words = column.words({ created_by });
  expect(words.text).toBe(created_by ?? '-');
  expect(isValidElement(column.draw?.({ created_by }, words))).toBe(isLink);
});
