import { isValidElement } from 'react';
import { expect, test } from 'vitest';
import { listProductColumn } from './product.tsx';

const NAMES = new Map([['p-1', 'Tarnquill']]);

/** Returns the text of the cell, and whether it is a link. */
function show(product_id: string | null, formatUnnamed?: (productId: string) => string) {
  const column = listProductColumn(NAMES, formatUnnamed);
  const words = column.words({ product_id });
  return { text: words.text, isLink: isValidElement(column.draw?.({ product_id }, words)) };
}

test('R-FIND-02: only a product with a name is a link', () => {
  expect(show('p-1')).toEqual({ text: 'Tarnquill', isLink: true });
  expect(show('p-2')).toEqual({ text: '-', isLink: false });
  expect(show(null)).toEqual({ text: '-', isLink: false });
});

test('R-FIND-02: a list may show the id of a product without a name', () => {
  const formatId = (productId: string) => productId;
  expect(show('p-1', formatId)).toEqual({ text: 'Tarnquill', isLink: true });
  expect(show('p-2', formatId)).toEqual({ text: 'p-2', isLink: false });
  expect(show(null, formatId)).toEqual({ text: '-', isLink: false });
});
