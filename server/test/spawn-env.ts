// Defines the environment variables of processes that tests start.
import { resolve } from 'node:path';

/**
 * The environment variables. They include PATH, but no other variable of the developer's shell, so that no setting of
 * the developer changes the result of a test.
 */
export const SPAWN_ENV = {
  PATH: process.env.PATH ?? '',
  // Folder in which Node caches compiled code. Without this cache each process would compile the program again, which
  // takes half of its start time. Node does not use cached code of a file that has changed.
  NODE_COMPILE_CACHE: resolve(import.meta.dirname, '../../.cache/compiled'),
};
