// The list of all endpoints. A new call needs no entry: it is found in the file of its noun.

import * as actOnUsers from './act-on-users.ts';
import * as audit from './audit.ts';
import * as batches from './batches.ts';
import * as cohorts from './cohorts.ts';
import * as coupons from './coupons.ts';
import type { Endpoint } from './endpoint.ts';
import * as exports from './exports.ts';
import * as find from './find.ts';
import * as grants from './grants.ts';
import * as importActs from './import-acts.ts';
import * as importUndo from './import-undo.ts';
import * as imports from './imports.ts';
import * as jobs from './jobs.ts';
import * as people from './people.ts';
import * as products from './products.ts';
import * as redemption from './redemption.ts';
import * as session from './session.ts';
import * as stats from './stats.ts';
import * as team from './team.ts';
import * as users from './users.ts';
import * as viewAs from './view-as.ts';
import * as why from './why.ts';

const NOUNS = [
  actOnUsers,
  audit,
  batches,
  cohorts,
  coupons,
  exports,
  find,
  grants,
  importActs,
  importUndo,
  imports,
  jobs,
  people,
  products,
  redemption,
  session,
  stats,
  team,
  users,
  viewAs,
  why,
];

/** Every endpoint of the API. The test of access rights and the API description iterate over this list. */
export const endpoints: readonly Endpoint[] = NOUNS.flatMap((noun): unknown[] => Object.values(noun)).filter(
  isEndpoint,
);

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'access' in value && 'path' in value;
}
