// Reads the brand of the portal (name, logos, links, texts, accent colour) from BRAND_FILE, with neutral default
// values.
import { readFile } from 'node:fs/promises';
import { type Brand, brand as brandFields, parseWebAddress } from '@portal/contract';
import { BUILT_IN_ACCENT, paletteStyles, readColour } from '@portal/contract/palette';
import * as z from 'zod';
import { partial } from 'zod/mini';
import { ConfigError, isLoopback } from './config.ts';

/** The brand that pages show. All colours of the pages are computed from `accent`, a CSS colour. */
export type BrandSettings = { brand: Brand; accent: string };

const NEUTRAL: Brand = {
  name: 'Partner Benefits',
  logo_url: null,
  logo_dark_url: null,
  share_image_url: null,
  support_email: 'support@example.org',
  onboarding_call_url: 'https://example.org/onboarding-call',
  social_links: [
    { label: 'Community', url: 'https://example.org/community' },
    { label: 'Newsletter', url: 'https://example.org/newsletter' },
  ],
  terms_url: 'https://example.org/terms',
  privacy_url: 'https://example.org/privacy',
  refund_url: 'https://example.org/refunds',
  perks: [
    'Priority access at peak times',
    '5x more messages than the free tier',
    'Early access to new features',
  ],
  copyright: '© Partner Benefits',
};

// A web address, or the path of a file of the portal, for example /logo.svg.
const link = z
  .string()
  .max(2048)
  .refine(
    (value) =>
      /^\/(?![/\\])[^\s\\]*$/.test(value) || (/^https?:/i.test(value) && parseWebAddress(value) !== null),
    {
      message: 'must be a web address that begins with https://',
    },
  );

const brandFile = z.strictObject({
  ...partial(brandFields).shape,
  logo_url: link.nullable().optional(),
  logo_dark_url: link.nullable().optional(),
  share_image_url: link.nullable().optional(),
  onboarding_call_url: link.optional(),
  social_links: z.array(z.object({ label: z.string(), url: link })).optional(),
  terms_url: link.optional(),
  privacy_url: link.optional(),
  refund_url: link.optional(),
  perks: z
    .array(z.string())
    .max(3, 'must be a list of at most three texts, such as ["Priority access"]')
    .optional(),
  accent: z
    .string()
    .refine((text) => readColour(text) !== undefined, 'must be a CSS colour such as #7a1f5c')
    .optional(),
});

/**
 * Returns the brand in `file`, with default values for missing fields; if `file` is null, only default values.
 * @throws ConfigError if the file cannot be read or has an invalid field. The message names the field.
 */
export async function readBrand(file: string | null): Promise<BrandSettings> {
  if (file === null) return { brand: NEUTRAL, accent: BUILT_IN_ACCENT };
  const example = 'Example: BRAND_FILE=./brand.json';
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new ConfigError(`BRAND_FILE ${file} cannot be read (${String(error)}). ${example}`);
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`BRAND_FILE ${file} is not JSON (${String(error)}). ${example}`);
  }
  const parsed = brandFile.safeParse(value);
  if (!parsed.success) {
    throw new ConfigError(`BRAND_FILE ${file}: ${describeIssue(parsed.error.issues[0])}`);
  }
  const { accent = BUILT_IN_ACCENT, name = NEUTRAL.name, ...words } = parsed.data;
  return { brand: { ...NEUTRAL, copyright: `© ${name}`, name, ...words }, accent };
}

/** Returns a sentence that names the wrong field, and an example of a right one (R-DAY-54). */
function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  const field = issue?.path.join('.') ?? '';
  if (issue?.code === 'unrecognized_keys')
    return `there is no field ${issue.keys.join(', ')}. The fields are ${Object.keys(brandFile.shape).join(', ')}`;
  if (issue?.code !== 'invalid_type') return `${field} ${issue?.message ?? ''}`;
  if (field === '') return 'the file must contain one JSON object. Example: {"name": "Alderquay Academy"}';
  const [name = 'name'] = issue.path as (keyof Brand | 'accent')[];
  const kinds: Record<string, string> = { array: 'a list', object: 'an object' };
  const example = JSON.stringify(name === 'accent' ? '#7a1f5c' : NEUTRAL[name]);
  return `${field} must be ${kinds[issue.expected] ?? 'a text'}. Example: "${name}": ${example}`;
}

/** The fields that each academy has to set, because they name the academy or have its addresses. */
const OWN_FIELDS = [
  ...(['name', 'logo_url', 'logo_dark_url', 'share_image_url'] as const),
  ...(['support_email', 'onboarding_call_url', 'social_links'] as const),
  ...(['terms_url', 'privacy_url', 'refund_url', 'copyright'] as const),
];

// Hosts that are reserved for examples (RFC 2606), as the neutral brand has, and the academy of brand.example.json.
const EXAMPLE = /\bexample\.(com|net|org)\b|\.example\b|\bAlderquay Academy\b/;

/**
 * Returns the names of the fields that still have the values of an example, if people can reach the portal at `publicUrl`
 * (R-DAY-54).
 */
export function listExampleFields({ brand }: BrandSettings, publicUrl: string): string[] {
  if (isLoopback(publicUrl)) return [];
  return OWN_FIELDS.filter((name) => EXAMPLE.test(JSON.stringify(brand[name])));
}

/**
 * Returns a style sheet with colours that are computed from the accent. Browsers without light-dark() ignore this style
 * sheet and use the default colours of tokens.css.
 */
export function brandStyles({ accent }: BrandSettings): string {
  return `@supports (color:light-dark(red,red)){${paletteStyles(accent)}}`;
}
