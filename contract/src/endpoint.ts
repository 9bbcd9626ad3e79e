// What a call is: a value that the server registers, the browser calls and the tests walk.
import type * as z from 'zod/mini';
import type { ErrorCode } from './errors.ts';

/** Who may call: everybody, anyone signed in, or an administrator (user_role 'admin'). */
export type Access = 'visitor' | 'learner' | 'admin';

type Schema = z.ZodMiniType;

/** A refusal whose words the specification fixes for one call. */
export type Refusal = { title: string; message: string };

/**
 * One call of the API. `params`, `query` and `body` describe what is sent, `reply` what a success answers: fields
 * that `reply` does not name never leave the server. `refusals` replaces the words of an error code for this call.
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
  /** Largest body; 100 kB unless told otherwise. */
  bodyLimit?: number;
  /** HTTP status of a success; 200 unless told otherwise. */
  status?: 200 | 201;
  refusals?: Partial<Record<ErrorCode, Refusal>>;
};

/** Writes an endpoint down with its types inferred. */
export function endpoint<
  Params extends Schema = z.ZodMiniUndefined,
  Query extends Schema = z.ZodMiniUndefined,
  Body extends Schema = z.ZodMiniUndefined,
  Reply extends Schema = Schema,
  Who extends Access = Access,
>(value: Endpoint<Params, Query, Body, Reply, Who>): Endpoint<Params, Query, Body, Reply, Who> {
  return value;
}

/** What a caller sends as body. */
export type BodyOf<E extends Endpoint> = z.input<NonNullable<E['body']>>;
/** What a success answers. */
export type ReplyOf<E extends Endpoint> = z.output<E['reply']>;
