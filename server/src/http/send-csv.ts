// Responds with a CSV file that is written step by step.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/**
 * Responds with the CSV file `name`.csv. If a part of the file fails, the connection is cut, so that the browser does
 * not take the file for whole (R-IMP-21). At most one part waits to be sent: the caller is read again after each part.
 */
export function sendCsv(reply: FastifyReply, name: string, file: AsyncGenerator<string>): Readable {
  reply.type('text/csv; charset=utf-8').header('content-disposition', `attachment; filename="${name}.csv"`);
  return Readable.from(file, { highWaterMark: 1 });
}
