// Sample partners and learners of the demo. The companies, people and addresses do not exist.
import type { NewProduct } from '@portal/contract';

export const DEMO_ADMIN = 'admin@example.org';

/** Colleagues of DEMO_ADMIN. Each can sign in. */
export const DEMO_TEAM = [
  { email: 'tomas.brandao@example.org', name: 'Tomás Brandão', team_role: 'manager' },
  { email: 'ravi.menon@example.org', name: 'Ravi Menon', team_role: 'support' },
] as const;

/**
 * A product of the demo with `codes` codes, which begin with `prefix`. Learners redeemed `redeemed` codes last month.
 * The last day of `ending` free codes is in nine days; the other codes have no last day. `logo` is the name of a file in the
 * folder logos, without its ending.
 */
export type DemoProduct = Pick<NewProduct, 'name' | 'description' | 'url'> &
  Partial<NewProduct> & { logo: string; codes: number; prefix: string; redeemed: number; ending?: number };

export const DEMO_PRODUCTS: DemoProduct[] = [
  {
    name: 'Tarnquill',
    logo: 'tarnquill',
    category: 'Writing',
    value: 'worth 240 €',
    terms: 'One place per learner.\nFor accounts that never had a paid plan.',
    perks: ['Twelve months of the Team plan', 'Your own house style', 'Cancel at any time'],
    description:
      'A writing workspace that keeps outline, sources and draft side by side, and learns your house style as you edit. Twelve months of the Team plan for everyone on your course.',
    url: 'https://tarnquill.example/redeem',
    codes: 1200,
    redeemed: 74,
    prefix: 'TQWL',
  },
  {
    name: 'Ostrava Notes',
    logo: 'ostrava-notes',
    category: 'Meetings',
    value: 'worth 90 €',
    description:
      'Records your meetings, writes the minutes and finds what was promised. Six months of the Pro plan.',
    url: 'ostrava-notes.example/start',
    instructions:
      'Open https://ostrava-notes.example/start and create an account.\n\nChoose "I have a code" under Billing.\nPaste your code and press Apply.',
    codes: 800,
    redeemed: 52,
    ending: 60,
    prefix: 'OSTN',
  },
  {
    name: 'Lumenforge',
    logo: 'lumenforge',
    category: 'Design',
    value: '2,000 credits',
    description: 'Turns sketches and sentences into pictures ready for print. 2,000 credits.',
    url: 'https://lumenforge.example',
    header_text: 'For the autumn cohort',
    page_title: 'Lumenforge credits',
    codes: 1500,
    redeemed: 61,
    prefix: 'LMF',
  },
  {
    name: 'Pellucid Voice',
    logo: 'pellucid-voice',
    category: 'Design',
    value: 'worth 75 €',
    description:
      'Clear speech from text in forty languages. Three months of the Studio plan with higher limits.',
    url: 'https://pellucid.example/codes',
    codes: 60,
    redeemed: 55,
    prefix: 'PLVC',
  },
  {
    name: 'Corvid Code',
    logo: 'corvid-code',
    category: 'Code and data',
    value: 'worth 228 €',
    terms: 'For the plan Individual.\nRenews at the usual price unless you cancel.',
    description: 'A pair programmer that reads the whole repository before it speaks. Twelve months.',
    url: 'https://corvid.example/academy',
    codes: 600,
    redeemed: 38,
    prefix: 'CRVD',
  },
  {
    name: 'Saltmarsh Data',
    logo: 'saltmarsh-data',
    category: 'Code and data',
    value: 'worth 120 €',
    description:
      'Ask your spreadsheets questions in plain words and see how each answer was found. Six months.',
    url: 'https://saltmarsh.example/redeem',
    codes: 40,
    redeemed: 37,
    prefix: 'SLTM',
  },
  {
    name: 'Quillon Research',
    logo: 'quillon-research',
    category: 'Writing',
    value: 'worth 144 €',
    description: 'Reads the papers, keeps the references and says where they disagree. Twelve months.',
    url: 'https://quillon.example/partner',
    codes: 25,
    redeemed: 25,
    prefix: 'QLLN',
  },
  {
    name: 'Brightwater Slides',
    logo: 'brightwater-slides',
    category: 'Meetings',
    description: 'Drafts a talk from your notes, in your own template. One code for the whole academy.',
    url: 'https://brightwater.example/academy',
    shared_coupon: true,
    codes: 1,
    redeemed: 30,
    prefix: 'BRIGHTWATER',
  },
];

/**
 * Learners who can sign in to the demo. `products` are indexes of DEMO_PRODUCTS. `redeemed` is the number of these
 * products whose code the learner has redeemed.
 */
export const DEMO_LEARNERS = [
  {
    email: 'amara@example.org',
    name: 'Amara Okafor',
    state: 'learner, nothing redeemed yet',
    products: [0, 1, 2, 3, 4, 5, 6, 7],
    redeemed: 0,
  },
  {
    email: 'jonas@example.org',
    name: 'Jonas Lindqvist',
    state: 'learner, some codes redeemed',
    products: [0, 1, 2, 4],
    redeemed: 2,
  },
  {
    email: 'mei@example.org',
    name: 'Mei Tanaka',
    state: 'learner, everything redeemed',
    products: [0, 2],
    redeemed: 2,
  },
  {
    email: 'nobody@example.org',
    name: null,
    state: 'unknown to the portal: no benefits',
    products: [],
    redeemed: 0,
  },
];

const FIRST_NAMES = [
  ...['Ada', 'Bilal', 'Chiara', 'Dmitri', 'Elif', 'Farah', 'Goran', 'Hana', 'Ines', 'Jamal'],
  ...['Kenji', 'Leila', 'Mateo', 'Nadia', 'Oskar'],
];
const LAST_NAMES = [
  ...['Almeida', 'Brandt', 'Castillo', 'Dubois', 'Eriksen'],
  ...['Fofana', 'Greco', 'Haddad', 'Ivanova', 'Jensen'],
];

/**
 * 150 learners who joined in the last month. Each combination of a first name and a last name occurs once. Every third
 * learner has a phone number.
 */
export const DEMO_COHORT = Array.from({ length: FIRST_NAMES.length * LAST_NAMES.length }, (_, index) => {
  const first = FIRST_NAMES[index % FIRST_NAMES.length];
  // After every 30 learners, the last names are shifted by one. Otherwise the combinations of names would repeat.
  const last = LAST_NAMES[(index + Math.floor(index / 30)) % LAST_NAMES.length];
  return {
    email: `${first}.${last}@example.org`.toLowerCase(),
    name: `${first} ${last}`,
    phone_number: index % 3 === 0 ? `+44 20 7946 0${100 + index}` : null,
    payment_id: null,
  };
});

/**
 * Cohorts. `products` are indexes of DEMO_PRODUCTS, `members` is the range of the members in DEMO_COHORT, and `starts`
 * and `ends` are days from today. The second cohort has more members than its products have free codes. The third one
 * has not begun.
 */
export const DEMO_COHORTS = [
  { name: 'Evening course', products: [0, 4], members: [0, 60], starts: -29, ends: 60 },
  { name: 'Weekend course', products: [3, 5], members: [60, 100], starts: -29, ends: 30 },
  { name: 'Company course', products: [1, 2], members: [100, 150], starts: 21, ends: 200 },
] as const;

/** Number of redemptions per day, starting with today. There are two peaks, as after the start of two courses. */
export const DEMO_DAYS = [
  ...[6, 9, 12, 8, 3, 2, 7, 11, 14, 19, 27, 31, 9, 4, 6],
  ...[8, 10, 7, 3, 1, 5, 9, 12, 16, 23, 29, 34, 18, 5, 2],
];

/** A CSV file of users that the demo imports. Some rows are invalid, with typical mistakes. */
export const DEMO_UPLOAD = {
  file_name: 'late-comers.csv',
  csvData: [
    'email,name,phone_number',
    'rosa.lind@example.org,Rosa Lind,+44 20 7946 0991',
    'tomas.weiss@example.org,Tomas Weiss,',
    'yuki.mori@example,Yuki Mori,',
    'amara@example.org,Amara Okafor,',
    ',Lena Novak,+44 20 7946 0417',
    'ravi.shah@example.org,Ravi Shah,',
    'petra.kovac at example.org,Petra Kovac,',
    'noor.aziz@example.org,Noor Aziz,+44 20 7946 0733',
    '',
  ].join('\n'),
};
