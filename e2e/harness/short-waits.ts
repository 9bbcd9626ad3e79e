// Exports the path of a server program with short time-outs.
import { fileURLToPath } from 'node:url';

/**
 * Value for the option `program` of `startPortal`. After SIGTERM, this server accepts requests for one more second
 * instead of five.
 */
export const SHORT_WAITS = fileURLToPath(import.meta.resolve('../../server/test/start-with-short-waits.ts'));
