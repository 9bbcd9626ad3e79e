// Reads the Node flags from script/start, so that benchmarks and tests start the server with the flags of production.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const START = new URL('../script/start', import.meta.url);

/** The arguments that script/start passes to Node before the file name. */
export const NODE_FLAGS: string[] =
  /^exec node (.*) server\/src\/main\.ts/m.exec(readFileSync(START, 'utf8'))?.[1]?.split(' ') ?? [];

/** The environment variables that script/start sets. */
export const START_ENV = { NODE_COMPILE_CACHE: resolve(import.meta.dirname, '../.cache/compiled') };
