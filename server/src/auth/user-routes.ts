// Routes for signed-in users: GET and PUT /user, and POST /logout.
import * as z from 'zod';
import { authError } from './auth-error.ts';
import { authenticate } from './authenticate.ts';
import type { AuthContext } from './context.ts';
import { endSessions } from './end-sessions.ts';
import { presentUser } from './present-user.ts';
import { updateUser } from './update-user.ts';
import { type AuthRoute, readBody, readQuery } from './wire.ts';

const userBody = z.looseObject({ data: z.record(z.string(), z.unknown()).nullish() });
// Fields that users cannot change. Entitlements belong to the e-mail address, so a user with another address would get
// other entitlements. This service has no phone numbers and no passwords (R-GEN-18).
const REFUSED = ['email', 'phone', 'password', 'nonce', 'current_password'];

/** Returns the routes. All of them need the access token of an active session. */
export function listUserRoutes(context: AuthContext): AuthRoute[] {
  return [
    {
      method: 'GET',
      path: '/user',
      handle: async (request) => {
        const { user } = await authenticate(context, request.headers.authorization);
        return presentUser(user);
      },
    },
    {
      method: 'PUT',
      path: '/user',
      handle: async (request) => {
        const { identity } = await authenticate(context, request.headers.authorization);
        const body = readBody(userBody, request);
        if (body.app_metadata !== undefined) {
          throw authError(403, 'not_admin', 'Updating app_metadata is not allowed');
        }
        const refused = REFUSED.find((field) => body[field] !== undefined && body[field] !== null);
        if (refused !== undefined) {
          throw authError(422, 'validation_failed', `Updating ${refused} is not supported`);
        }
        return presentUser(await updateUser(context, identity, body.data ?? {}));
      },
    },
    {
      method: 'POST',
      path: '/logout',
      handle: async (request, reply) => {
        const { identity } = await authenticate(context, request.headers.authorization);
        await endSessions(context, identity, readQuery(request).scope ?? 'global');
        return reply.code(204).send();
      },
    },
  ];
}
