// Type of an endpoint: a value that the server registers as a route and the browser calls. Tests iterate over all of
// them.
import type * as z from 'zod/mini';
import type { ErrorCode } from './errors.ts';

/** Who may call: everybody, any signed-in user, or an administrator (`user_role` is 'admin'). */
export type Access = 'visitor' | 'learner' | 'admin';

type Schema = z.ZodMiniType;

/** An error response whose title and message the specification fixes for one call. */
export type Refusal = { title: string; message: string };

/**
 * One call of the API. `params`, `query` and `body` are the schemas of the request, `reply` is that of a successful
 * response. The response contains only fields that `reply` names. `refusals` overrides the texts of an error code for
 * this call.
 */
export type Endpoint<
  Params extends Schema = Schema,
  Query extends Schema = Schema,
  Body extends Schema = Schema,
  Reply extends Schema = Schema,
  Who extends Access = Access,
> = {
  method: 'GET' | 'POST';
  path: string;
  access: Who;
  summary: string;
  params?: Params;
  query?: Query;
  body?: Body;
  reply: Reply;
  /** Largest request body in bytes; default 100 kB. */
  bodyLimit?: number;
  /** HTTP status of a success; default 200. */
  status?: 200 | 201;
  refusals?: Partial<Record<ErrorCode, Refusal>>;
};

/** Returns `value`; exists so that TypeScript infers the type parameters. */
export function endpoint<
  Params extends Schema = z.ZodMiniUndefined,
  Query extends Schema = z.ZodMiniUndefined,
  Body extends Schema = z.ZodMiniUndefined,
  Reply extends Schema = Schema,
  Who extends Access = Access,
>(value: Endpoint<Params, Query, Body, Reply, Who>): Endpoint<Params, Query, Body, Reply, Who> {
  return value;
}

/** Type of the request body, before validation. */
export type BodyOf<E extends Endpoint> = z.input<NonNullable<E['body']>>;
/** Type of a successful response. */
export type ReplyOf<E extends Endpoint> = z.output<E['reply']>;
