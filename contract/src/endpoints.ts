// The list of all endpoints. A new call needs no entry here: the list contains all calls that nouns.ts exports.
import type { Endpoint } from './endpoint.ts';
import * as nouns from './nouns.ts';

/** Every endpoint of the API. The test of access rights and the API description iterate over this list. */
export const endpoints: readonly Endpoint[] = Object.values<unknown>(nouns).filter(isEndpoint);

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'access' in value && 'path' in value;
}
