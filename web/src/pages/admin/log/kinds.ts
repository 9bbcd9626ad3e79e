// The kinds of acts by which a list of the log can be filtered (N-79). Each kind has a name for the URL, and the nouns
// with which the names of its acts begin.
import { say } from '../../../words/say.ts';

const NOUNS: Record<string, readonly string[]> = {
  access: ['grant', 'member'],
  codes: ['coupon', 'wait'],
  mail: ['mail'],
  'sign-in': ['session', 'identity'],
  notes: ['note'],
  products: ['product'],
  people: ['user', 'person', 'cohort'],
  team: ['team'],
  uploads: ['batch', 'import'],
};

/** Returns the nouns of a kind for the API's parameter `kind`, or undefined if no kind has this name. */
export function nounsOf(kind: string): string | undefined {
  return Object.hasOwn(NOUNS, kind) ? NOUNS[kind]?.join() : undefined;
}

/** Returns the kinds that every list offers. */
export const listKinds = () => [
  { value: 'access', label: say('Access') },
  { value: 'codes', label: say('Codes') },
  { value: 'mail', label: say('Mail') },
  { value: 'sign-in', label: say('Sign-in') },
  { value: 'notes', label: say('Notes') },
];

/** Returns the kinds that only the list of all acts offers. */
export const listFurtherKinds = () => [
  { value: 'products', label: say('Products') },
  { value: 'people', label: say('People') },
  { value: 'team', label: say('Team') },
  { value: 'uploads', label: say('Uploads') },
];
