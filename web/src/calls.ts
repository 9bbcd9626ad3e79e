// The calls of the API that the pages of visitors and learners make. Staff pages take theirs from the contract.
import type * as contract from '@portal/contract';
import type { Endpoint } from '@portal/contract';
import { learnerCalls } from '@portal/contract/learner-calls';

/** An endpoint of the contract, or the method and path of one. The schemas are needed for their types only. */
export type Call = Pick<Endpoint, 'method' | 'path' | 'body'> & Partial<Pick<Endpoint, 'reply'>>;

/** Method and path of an endpoint, with the types of its request and reply; no value of these types exists. */
type WithoutSchemas<Of extends Endpoint> = Pick<Of, 'method' | 'path' | 'body'> & Partial<Pick<Of, 'reply'>>;
type LearnerCalls = { [Name in keyof typeof learnerCalls]: WithoutSchemas<(typeof contract)[Name]> };

export const { getSessionUser, checkAdmin, getProduct, listMyProducts, redeemCoupon }: LearnerCalls =
  learnerCalls;

/** Returns the path of a call with its `:name` parts replaced by encoded values. */
export function pathOf(call: { path: string }, params: Record<string, string> = {}): string {
  return call.path.replace(/:(\w+)/g, (_part, name: string) => encodeURIComponent(params[name] ?? ''));
}
