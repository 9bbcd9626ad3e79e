// A line of the log for unit tests.
import type { AuditLine } from '@portal/contract';

/** Returns a line in which nothing but `fields` is set. */
export function auditLineOf(fields: Partial<AuditLine>): AuditLine {
  return {
    ...{
      id: '1',
      at: '2025-11-20T09:00:00.000Z',
      actor: 'learner',
      actor_name: null,
      action: 'coupon.redeem',
    },
    ...{
      via: 'page',
      ip: null,
      person: null,
      product: null,
      coupon: null,
      cohort: null,
      batch: null,
      detail: {},
    },
    ...fields,
  };
}
