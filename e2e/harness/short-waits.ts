// Names the server program with short time-outs.
import { fileURLToPath } from 'node:url';

/** Value for `program` of `startPortal`: drains requests for one second instead of half a minute. */
export const SHORT_WAITS = fileURLToPath(import.meta.resolve('../../server/test/start-with-short-waits.ts'));
