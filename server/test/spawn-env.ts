// The environment of the processes that tests start.
import { resolve } from 'node:path';

/** Nothing of a developer's own settings. Node compares the compiled code with its sources each time that it uses it. */
export const SPAWN_ENV = {
  PATH: process.env.PATH ?? '',
  // Without it each process compiles the program again, which is half of what most of them cost.
  NODE_COMPILE_CACHE: resolve(import.meta.dirname, '../../.cache/compiled'),
};
