// The dialog that gives a free code to a person whom staff search for (R-DAY-32).
import { type CouponRecord, explainAccess, issueCode, type Verdict } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { queryOf } from '../../queries.ts';
import { RadioGroup } from '../../ui/choice.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { t, tCount, tNode } from '../../words/translate.ts';
import { useDialogForm } from '../form.tsx';
import { formatCode, speakCode } from '../nouns/code.tsx';
import { formatVerdict } from '../nouns/verdict.ts';
import { LEAST_CHARACTERS, useFound } from '../search-results.tsx';

/** The verdicts with which staff may give a code: the person has access and no code (R-LIFE-07). */
const FITS: readonly Verdict[] = [
  'can_redeem',
  'sold_out',
  'product_paused',
  'product_scheduled',
  'product_ended',
];

type SendCodeProps = {
  coupon: CouponRecord;
  /** The code if the page shows it, else null. */
  code: string | null;
  onDone: () => Promise<void>;
  onClose: () => void;
};

export function SendCodeDialog({ coupon: { id, product, hint }, code, onDone, onClose }: SendCodeProps) {
  const form = useDialogForm({
    start: { text: '', email: '' },
    send: ({ email }) => call(issueCode, { params: { id }, body: { email } }),
    failed: t('Failed to send the code'),
    onDone,
    done: ({ coupon }) => t('Code given to {who}: {code}', { who: coupon.email, code: formatCode(coupon) }),
    changes: ['coupons', 'users'],
  });
  const { text, email } = form.values;
  const access = useAccessOf(email, product.product_id);
  const shown = { coupon_code: code, hint };
  return (
    <ConfirmDialog
      title={t('Send this code')}
      words={tNode(
        '{code} of {product} goes to one person, who sees it on the page of the product. No email is sent.',
        {
          code: (
            <>
              <span aria-hidden="true" className="font-mono">
                {formatCode(shown)}
              </span>
              <span className="sr-only">{speakCode(shown)}</span>
            </>
          ),
          product: <bdi>{product.name}</bdi>,
        },
      )}
      confirm={t('Send code')}
      isForm
      action={form}
      disabled={!access.isFit}
      onCancel={onClose}
    >
      <TextField
        name="text"
        value={text}
        // Another text finds other people.
        onChange={(next) => !form.busy && form.reset({ text: next, email: '' })}
        label={t('Search by name or email')}
        type="search"
        autoComplete="off"
        spellCheck={false}
        maxLength={255}
      />
      <People text={text} value={email} onChange={form.field('email').onChange} />
      <p role="status" className="wrap-anywhere">
        {access.words}
      </p>
    </ConfirmDialog>
  );
}

/** The person's access to the product, or why the person cannot get a code. Empty until a person is chosen. */
function useAccessOf(email: string, product_id: string): { words: string; isFit: boolean } {
  const query = useQuery({
    ...queryOf(explainAccess, { email, product_id }),
    enabled: email !== '',
    gcTime: 0,
  });
  if (email === '') return { words: '', isFit: false };
  if (query.isError) return { words: t('We could not load the reasons.'), isFit: false };
  if (!query.data) return { words: t('Loading...'), isFit: false };
  const isFit = FITS.includes(query.data.verdict);
  return { words: formatVerdict(query.data), isFit };
}

type PeopleProps = { text: string; value: string; onChange: (email: string) => void };

/** The people whom the search finds. */
function People({ text, value, onChange }: PeopleProps) {
  const searched = text.trim();
  const isSearching = Array.from(searched).length >= LEAST_CHARACTERS;
  const { groups, isFresh, query } = useFound(isSearching ? searched : '');
  const people = groups.flatMap(({ rows }) => rows.flatMap((row) => (row.kind === 'person' ? row.item : [])));
  return (
    <>
      <p role="status" className={people.length > 0 ? 'sr-only' : 'text-ink-2'}>
        {query.isError ? t('This did not load') : isFresh && formatFound(people.length, searched)}
      </p>
      {isSearching && people.length > 0 && (
        <RadioGroup
          label={t('Person')}
          value={value}
          options={people.map(({ email, name }) => ({
            value: email,
            label: (
              <>
                <bdi className="block wrap-anywhere">{name?.trim() || email}</bdi>
                {name?.trim() && <span className="block text-sm wrap-anywhere text-ink-2">{email}</span>}
              </>
            ),
          }))}
          // Until the results of the text have arrived, those of the text before are still shown.
          onChange={(email) => isFresh && onChange(email)}
        />
      )}
    </>
  );
}

function formatFound(count: number, text: string): string {
  if (count === 0) return t('Nobody found for ‘{text}’', { text });
  return tCount(count, { one: '{count} person found', other: '{count} people found' });
}
