import { QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, expect, test, vi } from 'vitest';
import { ApiError } from '../api.ts';
import { createQueries } from '../queries.ts';
import { toasts } from '../ui/toast-store.ts';
import { type ActionOrder, refusalWords, useAction } from './action.tsx';

afterEach(() => vi.unstubAllGlobals());

/** Runs the action of a component. Returns the titles of the toasts that it shows. */
async function runAction(order: Pick<ActionOrder<string, void>, 'send' | 'onDone' | 'done'>) {
  const shown: string[] = [];
  const stop = toasts.subscribe(() => shown.push(toasts.get()[0]?.title ?? ''));
  let run: (() => Promise<unknown>) | undefined;
  function Control() {
    run = useAction({ failed: 'Failed to save', ...order }).run;
    return null;
  }
  renderToStaticMarkup(
    createElement(QueryClientProvider, { client: createQueries() }, createElement(Control)),
  );
  await run?.();
  stop();
  return shown;
}

test('only a call that fails is told as a failure, not an error of the page after it', async () => {
  const report = vi.fn();
  vi.stubGlobal('reportError', report);
  const own = new TypeError('x is undefined');
  const breaks = () => {
    throw own;
  };
  expect(await runAction({ send: async () => 'saved', onDone: breaks })).toEqual([]);
  expect(await runAction({ send: async () => 'saved', done: breaks })).toEqual([]);
  expect(report.mock.calls).toEqual([[own], [own]]);
  expect(await runAction({ send: async () => breaks() })).toEqual(['Error']);
  expect(await runAction({ send: async () => 'saved', done: 'Saved' })).toEqual(['Success']);
});

test("R-ERR-09: a refusal is told in the server's words", () => {
  expect(refusalWords(new ApiError(409, 'Conflict', '{"message":"taken"}'), 'Failed')).toEqual({
    title: 'Error',
    description: 'taken',
    variant: 'destructive',
  });
});

test.each([
  ['a proxy in between', new ApiError(502, 'Bad Gateway', '<html>')],
  ['a lost connection', new TypeError('Failed to fetch')],
])('R-ERR-09: the fallback is told when the words are those of %s', (_who, error) => {
  expect(refusalWords(error, 'Failed to create coupon').description).toBe('Failed to create coupon');
});

test('R-TEAM-21: a refusal because the role is too low has its own title', () => {
  const body = '{"code":"role_too_low","message":"Your role (viewer) may not do this. Ask an owner."}';
  expect(refusalWords(new ApiError(403, 'Forbidden', body), 'Failed')).toEqual({
    title: 'Access restricted',
    description: 'Your role (viewer) may not do this. Ask an owner.',
    variant: 'destructive',
  });
});
