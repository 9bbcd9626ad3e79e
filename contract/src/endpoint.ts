// Defines the type of an endpoint: the description of one API call, from which the server registers a route and the
// browser makes requests.
import type * as z from 'zod/mini';
import type { ErrorCode } from './errors.ts';
import type { TeamRole } from './team-role.ts';

/** Who may call an endpoint: everybody, any signed-in user, or only a member of the team (`user_role` is 'admin'). */
export type Access = 'visitor' | 'learner' | 'admin';

type Schema = z.ZodMiniType;

/** Title and message of an error response, if the specification prescribes them for a call. */
export type Refusal = { title: string; message: string };

/**
 * `params`, `query` and `body` are the schemas of the parts of a request. `reply` is the schema of a successful response;
 * fields that the schema does not name are not sent. `refusals` contains, by error code, texts that replace the usual
 * texts of an error response.
 */
type Description<
  Params extends Schema = Schema,
  Query extends Schema = Schema,
  Body extends Schema = Schema,
  Reply extends Schema = Schema,
> = {
  summary: string;
  params?: Params;
  query?: Query;
  body?: Body;
  reply: Reply;
  /** Largest request body in bytes; default 100 kB. */
  bodyLimit?: number;
  /** Media types of a body that is no JSON. The handler gets its bytes as a Buffer, unchecked. */
  bodyTypes?: readonly string[];
  /** HTTP status of a success; default 200. */
  status?: 200 | 201;
  /** Another HTTP status of a success, which the handler sets if the call created nothing. */
  otherStatus?: 200;
  refusals?: Partial<Record<ErrorCode, Refusal>>;
};

/** One call of the API. An endpoint of the team names the least role that may call it (R-TEAM-01). */
export type Endpoint<
  Params extends Schema = Schema,
  Query extends Schema = Schema,
  Body extends Schema = Schema,
  Reply extends Schema = Schema,
  Who extends Access = Access,
> = Description<Params, Query, Body, Reply> & {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  access: Who;
} & (Who extends 'admin' ? { role: TeamRole } : { role?: undefined });

/** Returns `value`, a call of visitors or learners. Lets TypeScript infer the types of its schemas. */
export function endpoint<
  Params extends Schema = z.ZodMiniUndefined,
  Query extends Schema = z.ZodMiniUndefined,
  Body extends Schema = z.ZodMiniUndefined,
  Reply extends Schema = Schema,
  Who extends Access = Access,
>(value: Endpoint<Params, Query, Body, Reply, Who>): Endpoint<Params, Query, Body, Reply, Who> {
  return value;
}

/** Returns the endpoint of a call that members of the team may make whose role is `role` or higher. */
/* @__NO_SIDE_EFFECTS__ */
export function staffCall<
  Params extends Schema = z.ZodMiniUndefined,
  Query extends Schema = z.ZodMiniUndefined,
  Body extends Schema = z.ZodMiniUndefined,
  Reply extends Schema = Schema,
>(
  role: TeamRole,
  method: Endpoint['method'],
  path: string,
  description: Description<Params, Query, Body, Reply>,
): Endpoint<Params, Query, Body, Reply, 'admin'> {
  return { method, path, access: 'admin', role, ...description };
}

/** Type of the request body as the client sends it, before the server validates and converts it. */
export type BodyOf<E extends Pick<Endpoint, 'body'>> = z.input<NonNullable<E['body']>>;
/** Type of a successful response. */
export type ReplyOf<E extends Partial<Pick<Endpoint, 'reply'>>> = z.output<NonNullable<E['reply']>>;
