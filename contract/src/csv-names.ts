// Recognises the column names of uploaded CSV files, as people write them (R-IMP-14).
import { canonicalKey } from './canonical.ts';
import { type CsvKind, csvKinds } from './csv.ts';

/**
 * A field of a kind of file, or the first or the last name of a person. A file of users may have the columns
 * `first_name` and `last_name` in the place of `name`.
 */
export type CsvField = string;

// Other names of fields, without spaces, hyphens and underscores: in the portal's languages, and as exports of Shopify,
// Stripe, Google, Outlook, Moodle, Canvas, Teachable and Kajabi spell them (R-MAP-21).
const SYNONYMS: Record<CsvKind, Record<CsvField, readonly string[]>> = {
  products: {},
  users: {
    email: [
      ...['mail', 'emailaddress', 'mailadresse', 'emailadresse', 'customeremail'],
      ...['email1value', 'useremail', 'primaryemail'],
    ],
    name: ['fullname', 'billingname', 'customername', 'vollständigername', 'vorundnachname'],
    phone_number: [
      ...['phone', 'mobile', 'mobilephone', 'cellphone', 'telephone', 'billingphone', 'phone1value'],
      ...['telefon', 'telefonnummer', 'handy', 'handynummer', 'mobil', 'mobilnummer', 'mobiltelefon'],
    ],
    first_name: ['firstname', 'givenname', 'vorname'],
    last_name: ['lastname', 'surname', 'familyname', 'nachname', 'familienname'],
  },
  coupons: {
    coupon_code: [
      ...['code', 'coupon', 'voucher', 'vouchercode', 'promocode', 'giftcode', 'discountcode'],
      ...['gutschein', 'gutscheincode', 'aktionscode', 'rabattcode'],
    ],
    use_by: [
      ...[
        'expires',
        'expiry',
        'expirydate',
        'expirationdate',
        'expiresat',
        'expireson',
        'validuntil',
        'validto',
      ],
      ...[
        'redeemby',
        'gültigbis',
        'gueltigbis',
        'einlösbarbis',
        'einloesbarbis',
        'ablaufdatum',
        'verfallsdatum',
      ],
    ],
  },
};

/** No name of a column is longer. */
const NAME_MAX = 100;

const simplify = (name: string) =>
  canonicalKey(name)
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '');

const FIELDS = Object.fromEntries(
  Object.entries(csvKinds).map(([kind, { required, optional }]) => [
    kind,
    new Map([
      ...[...required, ...optional].map((field) => [simplify(field), field] as const),
      ...Object.entries(SYNONYMS[kind as CsvKind]).flatMap(([field, names]) =>
        names.map((name) => [name, field] as const),
      ),
    ]),
  ]),
) as Record<CsvKind, Map<string, CsvField>>;

/**
 * Returns the field that the column `name` holds in a file of this kind; null if the name is unknown. Ignores case,
 * spaces, hyphens and underscores.
 */
export function csvFieldOf(kind: CsvKind, name: string): CsvField | null {
  // The first line of a file may hold cells of 100,000 characters.
  if (name.length > NAME_MAX) return null;
  return FIELDS[kind].get(simplify(name)) ?? null;
}
