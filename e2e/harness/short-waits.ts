import { fileURLToPath } from 'node:url';

/** `program` of `startPortal`: the server with seconds where production waits for half a minute. */
export const SHORT_WAITS = fileURLToPath(import.meta.resolve('../../server/test/start-with-short-waits.ts'));
