// Tests that callers who ask at the same time share one read, and that no caller gets an older result.
import { expect, test } from 'vitest';
import { shareReads } from './my-products.ts';

/** Returns a read that the test ends by hand, and the shared function over it. */
function prepareReads() {
  const reads: PromiseWithResolvers<string>[] = [];
  const shared = shareReads(() => {
    const read = Promise.withResolvers<string>();
    reads.push(read);
    return read.promise;
  });
  return { reads, shared };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('callers that ask before a read begins share it', async () => {
  const { reads, shared } = prepareReads();
  const asked = [shared(), shared()];
  await settle();
  expect(reads).toHaveLength(1);
  reads[0]?.resolve('first');
  expect(await Promise.all(asked)).toEqual(['first', 'first']);
});

test('a caller that asks while a read is running gets the result of the next read', async () => {
  const { reads, shared } = prepareReads();
  const early = shared();
  await settle();
  const late = [shared(), shared()];
  await settle();
  expect(reads).toHaveLength(1);
  reads[0]?.resolve('first');
  expect(await early).toBe('first');
  await settle();
  expect(reads).toHaveLength(2);
  reads[1]?.resolve('second');
  expect(await Promise.all(late)).toEqual(['second', 'second']);
});

test('a read that fails does so for its callers only', async () => {
  const { reads, shared } = prepareReads();
  const early = shared();
  await settle();
  const late = shared();
  reads[0]?.reject(new Error('no database'));
  await expect(early).rejects.toThrow('no database');
  await settle();
  reads[1]?.resolve('second');
  expect(await late).toBe('second');
});
