import { QueryClient } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { ApiError } from './api.ts';
import { makeQueryFunction, queryDefaults } from './queries.ts';

test('R-CACHE-01: the default query reads the first element of its key', async () => {
  const get = vi.fn(async () => ['product']);
  await expect(makeQueryFunction('throw', get)({ queryKey: ['/api/my/products', 'user'] })).resolves.toEqual([
    'product',
  ]);
  expect(get).toHaveBeenCalledWith('/api/my/products');
});

test('R-CACHE-09: a 401 throws by default, and is null for a query that says so', async () => {
  const refused = async () => {
    throw new ApiError(401, 'Unauthorized', '');
  };
  await expect(makeQueryFunction('throw', refused)({ queryKey: ['/x'] })).rejects.toThrow(
    '401: Unauthorized',
  );
  await expect(makeQueryFunction('null', refused)({ queryKey: ['/x'] })).resolves.toBeNull();
});

test('R-CACHE-09: another refusal throws even for a query that takes 401 as null', async () => {
  const refused = async () => {
    throw new ApiError(500, 'Internal Server Error', '');
  };
  await expect(makeQueryFunction('null', refused)({ queryKey: ['/x'] })).rejects.toThrow('500: ');
});

test('R-CACHE-02, R-CACHE-03, R-CACHE-04, R-CACHE-05, R-CACHE-06: queries never go stale, do not poll, refetch on focus or retry; mutations do not retry', async () => {
  expect(queryDefaults.queries).toMatchObject({
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchInterval: false,
    retry: false,
  });
  expect(queryDefaults.mutations).toMatchObject({ retry: false });

  const failing = vi.fn(async () => {
    throw new Error('down');
  });
  const client = new QueryClient({ defaultOptions: queryDefaults });
  await expect(client.fetchQuery({ queryKey: ['/x'], queryFn: failing })).rejects.toThrow('down');
  expect(failing).toHaveBeenCalledTimes(1);
});
