import { expect, test } from 'vitest';
import { readAhead } from './exports.ts';

const events: string[] = [];

async function* read({ failsAt = Number.POSITIVE_INFINITY } = {}): AsyncGenerator<number> {
  try {
    for (let part = 1; part <= 3; part += 1) {
      events.push(`read ${part}`);
      if (part === failsAt) throw new Error(`part ${part}`);
      yield part;
    }
  } finally {
    events.push('closed');
  }
}

async function use(parts: AsyncIterable<number>, { until = Number.POSITIVE_INFINITY } = {}) {
  events.length = 0;
  for await (const part of parts) {
    // The next read begins before the current part is used.
    events.push(`use ${part}`);
    if (part === until) break;
  }
  return events;
}

test('the next part is read while one is used, and no more than one', async () => {
  expect(await use(readAhead(read()))).toEqual([
    ...['read 1', 'read 2', 'use 1', 'read 3', 'use 2', 'closed', 'use 3'],
  ]);
});

test('a failure is thrown after the parts before it were used', async () => {
  await expect(use(readAhead(read({ failsAt: 3 })))).rejects.toThrow('part 3');
  expect(events).toEqual(['read 1', 'read 2', 'use 1', 'read 3', 'closed', 'use 2']);
});

test('a caller that stops early closes the source', async () => {
  expect(await use(readAhead(read()), { until: 1 })).toEqual(['read 1', 'read 2', 'use 1', 'closed']);
});
