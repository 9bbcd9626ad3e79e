// Exports the path of a server program with short time-outs.
import { fileURLToPath } from 'node:url';

/** Value for `program` of `startPortal`: the server drains requests for one second instead of five. */
export const SHORT_WAITS = fileURLToPath(import.meta.resolve('../../server/test/start-with-short-waits.ts'));
