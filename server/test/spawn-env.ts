// Environment variables for processes that tests start.
import { resolve } from 'node:path';

/**
 * Contains no variables of the developer's shell except PATH. Node checks cached code against its source on each use.
 */
export const SPAWN_ENV = {
  PATH: process.env.PATH ?? '',
  // Without the cache each process compiles the program again, which is half of its start time.
  NODE_COMPILE_CACHE: resolve(import.meta.dirname, '../../.cache/compiled'),
};
