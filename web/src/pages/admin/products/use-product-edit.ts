// State of the form that changes a product: the typed values, the saved version on which they are based, and a conflict
// with another edit.
import {
  editedProduct,
  editProduct,
  getProductRecord,
  type ProductRecord,
  type StaffProduct,
} from '@portal/contract';
import { useState } from 'react';
import { call } from '../../../api.ts';
import { queryClient, queryOf } from '../../../queries.ts';
import { say } from '../../../words/say.ts';
import { refreshLists } from '../changes.ts';
import { tellRefusal, tellSuccess } from '../refusal-toast.ts';
import { useStaffForm } from '../use-staff-form.ts';
import { sayRequired, textsOf } from './product-fields.tsx';

/**
 * A conflict: somebody else has saved the product while the user edited it here. `theirs` says who saved that version
 * and when. It is null until the user asks to see that version. `busy` is true while that version loads.
 */
export type Conflict = { theirs: { by: string; at: string } | null; busy: boolean };

function valuesOf(product: StaffProduct) {
  return {
    ...textsOf(product),
    shared_coupon: product.shared_coupon,
    opens_on: product.opens_on ?? '',
    closes_on: product.closes_on ?? '',
    use_by_default: product.use_by_default ?? '',
    version: product.version,
  };
}
type Values = ReturnType<typeof valuesOf>;
export type EditedName = Exclude<keyof Values, 'shared_coupon' | 'version'>;

export function useProductEdit(record: ProductRecord) {
  const { product_id: id } = record;
  const [base, setBase] = useState<StaffProduct>(record);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  /** The fields that somebody else has changed; empty until the user asks to see their version. */
  const [changed, setChanged] = useState<EditedName[]>([]);
  const start = valuesOf(base);
  const form = useStaffForm({
    start,
    required: sayRequired,
    schema: editedProduct,
    save: (body) => call(editProduct, { params: { id }, body }),
    failed: say('Failed to save product'),
    // `use_by_default` must be after today, and the server's clock decides which day is today. So `use_by_default` is
    // the only value that the server can refuse after the schema has accepted it.
    refusedAt: { invalid_request: 'use_by_default' },
    sayInvalid: {
      opens_on: say('Enter a complete day'),
      closes_on: say('Enter a complete day, not before the day on which redeeming opens'),
      use_by_default: say('Enter a complete day after today'),
    },
    onConflict: () => setConflict({ theirs: null, busy: false }),
    onSaved: (saved, reset) => {
      setBase(saved);
      reset(valuesOf(saved));
      setConflict(null);
      setChanged([]);
      tellSuccess(say('Product saved'));
      refreshLists('products');
    },
  });
  const showTheirs = async () => {
    setConflict({ theirs: null, busy: true });
    try {
      const theirs = await call(getProductRecord, { params: { id } });
      // The page outside of the form, such as its title and the state card, shows this version too.
      queryClient.setQueryData(queryOf(getProductRecord, { id }).queryKey, theirs);
      const now = valuesOf(theirs);
      setChanged(listNames(now).filter((name) => now[name] !== start[name]));
      setBase(theirs);
      form.field('version').onChange(theirs.version);
      const { changed_by, changed_at } = theirs;
      setConflict({ theirs: { by: changed_by ?? '', at: changed_at ?? '' }, busy: false });
    } catch (error) {
      setConflict({ theirs: null, busy: false });
      tellRefusal(error, say('We could not load their version.'));
    }
  };
  const differs = (name: EditedName) => form.values[name] !== start[name];
  return {
    form,
    conflict,
    showTheirs,
    isChanged: listNames(start).some(differs),
    /**
     * The values that somebody else saved and that still differ from the form, by field. The user can copy them into
     * the form.
     */
    theirs: Object.fromEntries(changed.filter(differs).map((name) => [name, start[name]])) as Partial<
      Record<EditedName, string>
    >,
  };
}

function listNames({ shared_coupon: _fixed, version: _version, ...edited }: Values): EditedName[] {
  return Object.keys(edited) as EditedName[];
}
