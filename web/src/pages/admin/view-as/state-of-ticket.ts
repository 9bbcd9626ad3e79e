// Converts a ticket of the server's reply to the state in which the learner's product page shows it.
import { type MyProduct, maskCode, type ViewedTicket } from '@portal/contract';
import { sayServed } from '../../../words/say.ts';
import type { Closed } from '../../product/closed.ts';
import type { RedemptionState } from '../../product/use-redemption.ts';

/** In the result, `code` is the dots and the hint that stand for the code. */
export function stateOfTicket(
  { refusal, title = '', message = '', day, coupon_id, hint, use_by, replaced_on }: ViewedTicket,
  { url }: Pick<MyProduct, 'url'>,
): RedemptionState {
  if (coupon_id !== undefined) {
    const issued = {
      ...{ code: maskCode(hint ?? null), url, fresh: false },
      ...{ useBy: use_by ?? null, replacedOn: replaced_on ?? null },
    };
    return { kind: 'issued', issued, startedBy: 'page' };
  }
  if (refusal === undefined) return { kind: 'idle' };
  if (refusal === 'no_coupon_left')
    return { kind: 'soldOut', startedBy: 'page', title: sayServed(title), message: sayServed(message) };
  // All other refusals of a product in the learner's list close the ticket.
  return { kind: 'closed', reason: refusal as Closed['reason'], day };
}
