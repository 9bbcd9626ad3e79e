// The search field and the categories above a learner's cards. Both are in the address: ?q= and ?category= (R-CAT-11).
import type { MyProduct } from '@portal/contract';
import type { ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/dom.ts';
import { SearchField } from '../ui/search-field.tsx';
import { currentLocale } from '../words/format.ts';
import { t, tCount } from '../words/translate.ts';
import { findBenefits, hasFinder, listCategories } from './find.ts';

/**
 * Returns the products that match the address, the controls above them, and what to show if none matches. With few
 * products there are no controls, and the address limits nothing.
 */
export function useFinder(products: MyProduct[]): {
  shown: MyProduct[];
  controls?: ReactNode;
  nothing?: ReactNode;
} {
  const address = new URLSearchParams(useSearch());
  const [path, navigate] = useLocation();
  if (!hasFinder(products)) return { shown: products };
  const categories = listCategories(products, currentLocale.locale);
  const q = address.get('q') ?? '';
  const category = categories.length > 0 ? (address.get('category') ?? '') : '';
  const find = (next: { q: string; category: string }) => {
    for (const [name, value] of Object.entries(next)) {
      if (value) address.set(name, value);
      else address.delete(name);
    }
    navigate(address.size > 0 ? `${path}?${address}` : path, { replace: true });
  };
  const shown = findBenefits(products, { q, category });
  const isLimited = q !== '' || category !== '';
  return {
    shown,
    controls: (
      <div className="mt-6 -mb-3 flex flex-wrap items-center gap-x-4 gap-y-3 [&_input]:pointer-coarse:min-h-11">
        <SearchField
          label={t('Search your benefits')}
          hint={t('Search your benefits')}
          value={q}
          onSearch={(words) => find({ q: words, category })}
        />
        {categories.length > 0 && (
          <Chips all={categories} chosen={category} onChoose={(name) => find({ q, category: name })} />
        )}
        <p role="status" className="sr-only">
          {isLimited &&
            tCount(shown.length, { one: '{count} benefit found', other: '{count} benefits found' })}
        </p>
      </div>
    ),
    ...(shown.length === 0 && { nothing: <NothingFound onReset={() => find({ q: '', category: '' })} /> }),
  };
}

type ChipsProps = { all: string[]; chosen: string; onChoose: (name: string) => void };

/** On phones, the chips are in one row, which scrolls. */
function Chips({ all, chosen, onChoose }: ChipsProps) {
  return (
    <fieldset className="-mx-(--gutter) flex min-w-0 gap-2 overflow-x-auto px-(--gutter) py-1 [scrollbar-width:none] md:mx-0 md:flex-wrap md:overflow-visible md:px-0">
      <legend className="sr-only">{t('Category')}</legend>
      {['', ...all].map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === chosen}
          className={classes(
            'min-h-8 flex-none cursor-pointer rounded-full border px-3.5 text-sm font-medium whitespace-nowrap transition-[background-color,border-color] pointer-coarse:min-h-11',
            name === chosen
              ? 'border-transparent bg-ink text-on-ink'
              : 'border-line-strong bg-surface text-ink-2 hover:border-line-control hover:text-ink',
          )}
          // The chosen category is left by a second press.
          onClick={() => onChoose(name === chosen ? '' : name)}
        >
          {name ? <bdi>{name}</bdi> : t('All')}
        </button>
      ))}
    </fieldset>
  );
}

function NothingFound({ onReset }: { onReset: () => void }) {
  return (
    <div className="mt-12 grid justify-items-center gap-4 text-center">
      <p className="text-ink-2">{t('No benefit matches your search.')}</p>
      <Button onClick={onReset}>{t('Show all benefits')}</Button>
    </div>
  );
}
