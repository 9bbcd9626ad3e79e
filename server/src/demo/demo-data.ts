// Sample partners and learners. No such company, person or address exists.
import type { NewProduct } from '@portal/contract';

export const DEMO_ADMIN = 'admin@example.org';

export type DemoProduct = NewProduct & { codes: number; prefix: string };

const plain = { page_title: null, header_text: null, instructions: null, shared_coupon: false };

export const DEMO_PRODUCTS: DemoProduct[] = [
  {
    ...plain,
    name: 'Tarnquill',
    description:
      'A writing workspace that keeps outline, sources and draft side by side, and learns your house style as you edit. Twelve months of the Team plan for everyone on your course.',
    url: 'https://tarnquill.example/redeem',
    codes: 1200,
    prefix: 'TQWL',
  },
  {
    ...plain,
    name: 'Ostrava Notes',
    description:
      'Records your meetings, writes the minutes and finds what was promised. Six months of the Pro plan.',
    url: 'ostrava-notes.example/start',
    instructions:
      'Open https://ostrava-notes.example/start and create an account.\n\nChoose "I have a code" under Billing.\nPaste your code and press Apply.',
    codes: 800,
    prefix: 'OSTN',
  },
  {
    ...plain,
    name: 'Lumenforge',
    description: 'Turns sketches and sentences into pictures ready for print. 2,000 credits.',
    url: 'https://lumenforge.example',
    header_text: 'For the autumn cohort',
    page_title: 'Lumenforge credits',
    codes: 1500,
    prefix: 'LMF',
  },
  {
    ...plain,
    name: 'Pellucid Voice',
    description:
      'Clear speech from text in forty languages. Three months of the Studio plan with higher limits.',
    url: 'https://pellucid.example/codes',
    codes: 400,
    prefix: 'PLVC',
  },
  {
    ...plain,
    name: 'Corvid Code',
    description: 'A pair programmer that reads the whole repository before it speaks. Twelve months.',
    url: 'https://corvid.example/academy',
    codes: 600,
    prefix: 'CRVD',
  },
  {
    ...plain,
    name: 'Saltmarsh Data',
    description:
      'Ask your spreadsheets questions in plain words and see how each answer was found. Six months.',
    url: 'https://saltmarsh.example/redeem',
    codes: 3,
    prefix: 'SLTM',
  },
  {
    ...plain,
    name: 'Quillon Research',
    description: 'Reads the papers, keeps the references and says where they disagree. Twelve months.',
    url: 'https://quillon.example/partner',
    codes: 0,
    prefix: 'QLLN',
  },
  {
    ...plain,
    name: 'Brightwater Slides',
    description: 'Drafts a talk from your notes, in your own template. One code for the whole academy.',
    url: 'https://brightwater.example/academy',
    shared_coupon: true,
    codes: 1,
    prefix: 'BRIGHTWATER',
  },
];

/** `products`: indexes of DEMO_PRODUCTS; `redeemed` how many of them are redeemed already. */
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
