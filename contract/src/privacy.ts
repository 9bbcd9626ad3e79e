// Calls with which staff download all data about a person, and erase a person (R-PRIV-01, R-PRIV-02).
import * as z from 'zod/mini';
import { staffCall } from './endpoint.ts';
import { email, idInPath, reason } from './fields.ts';

// `user_id` may also be the address of the person, as in the other calls about a person.
const ofPerson = z.object({ user_id: idInPath });

/** `email` is the address of the person, typed again. */
export const erasure = z.object({ email, reason });

export const erasePerson = staffCall('owner', 'POST', '/api/admin/people/:user_id/erase', {
  summary: 'Erase a person for good: all texts about the person go, and the codes stay assigned',
  params: ofPerson,
  body: erasure,
  /** `codes_kept` is the number of codes that stay assigned to the erased person. */
  reply: z.object({ codes_kept: z.int() }),
});

/**
 * The parts of `getPersonData` (R-PRIV-01, N-250). Other people appear as `user_id`. Codes are in full. The parts
 * `waiting`, `reports` and `purchases` are empty, because the portal stores none yet.
 */
export const PERSON_DATA_PARTS = [
  ...(['person', 'account', 'identities', 'sessions', 'grants', 'cohorts', 'codes', 'redemptions'] as const),
  ...(['waiting', 'reports', 'purchases', 'emails', 'notes', 'log', 'uploads'] as const),
] as const;

export const getPersonData = staffCall('manager', 'GET', '/api/admin/people/:user_id/data.json', {
  summary: 'All that the portal holds about a person, as one JSON document with named parts',
  params: ofPerson,
  /** A stream, which is sent without a schema: an object with a list of rows for each part. */
  reply: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))),
});
