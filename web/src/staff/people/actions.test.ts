import { COHORTS_OF_PERSON_MAX } from '@portal/contract';
import { counted } from '@portal/contract/german';
import { expect, test } from 'vitest';
import { formatChanged } from './actions.tsx';

test('R-COHORT-05: the texts about people in the most cohorts say how many cohorts that are', () => {
  const most = new RegExp(`\\b${COHORTS_OF_PERSON_MAX} cohorts\\b`);
  for (const full of [1, 2]) expect(formatChanged('join', 3, 0, full)).toMatch(most);
  const key = Object.keys(counted).find((english) => /^\{count\} are in \d+ cohorts already/.test(english));
  const german = Object.values(counted[key ?? ''] ?? {});
  expect(german).toHaveLength(2);
  for (const text of german) expect(text).toContain(` ${COHORTS_OF_PERSON_MAX} Gruppen`);
});
