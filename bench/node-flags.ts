// Reads the Node flags of script/start, so that benchmarks and tests run the server as operators do.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const START = new URL('../script/start', import.meta.url);

/** Node arguments that come before the file name. */
export const NODE_FLAGS: string[] =
  /^exec node (.*) server\/src\/main\.ts/m.exec(readFileSync(START, 'utf8'))?.[1]?.split(' ') ?? [];

/** Environment that script/start sets. */
export const START_ENV = { NODE_COMPILE_CACHE: resolve(import.meta.dirname, '../.cache/compiled') };
