// Checks whether a request comes from this machine, directly and not through a proxy.
import type { FastifyRequest } from 'fastify';

const FORWARDING = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
];
const LOOPBACK = /^(?:::1|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/;

/** Returns true if the socket's address is a loopback address and the request has no header that proxies add. */
export function isFromThisMachine(request: FastifyRequest): boolean {
  if (FORWARDING.some((name) => request.headers[name] !== undefined)) return false;
  return LOOPBACK.test(request.socket.remoteAddress ?? '');
}
